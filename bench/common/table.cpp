// SPDX-License-Identifier: Apache-2.0
#include "common/table.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ostream>

namespace bench {
namespace {

/// Characters of UTF-8 text: octets that do not continue one.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }));
}

}  // namespace

Table::Table(std::vector<std::string> heads, std::size_t texts, bool text_at_end)
    : texts_(texts), text_at_end_(text_at_end) {
  rows_.push_back(std::move(heads));
  add_rule();
}

void Table::add(std::vector<std::string> cells) {
  cells.resize(rows_.front().size());
  rows_.push_back(std::move(cells));
}

void Table::add_rule() {
  rows_.emplace_back();
}

std::vector<std::size_t> Table::widths() const {
  std::vector<std::size_t> widths(rows_.front().size());
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  return widths;
}

void Table::print(std::ostream& out) const {
  const std::vector<std::size_t> columns = widths();
  std::size_t whole = 0;
  for (const std::size_t column : columns) whole += column + 2;
  for (const auto& row : rows_) {
    std::string line;
    if (row.empty()) line.assign(whole - 2, '-');
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string blanks(columns[i] - width_of(row[i]), ' ');
      const bool left = i < texts_ || (text_at_end_ && i + 1 == row.size());
      line += left ? row[i] + blanks : blanks + row[i];
      if (i + 1 < row.size()) line += "  ";
    }
    out << line.substr(0, line.find_last_not_of(' ') + 1) << '\n';
  }
}

std::string number(double value, int decimals) {
  if (!std::isfinite(value)) return "-";
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

std::string grouped(double value) {
  std::string text = number(std::round(value));
  if (!std::isfinite(value)) return text;
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  for (std::size_t place = text.size(); place > first + 3; place -= 3) text.insert(place - 3, 1, ' ');
  return text;
}

}  // namespace bench
