// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace bench {

/// A table for a terminal: the first `texts` columns and, if `text_at_end`, the last one flush left, the others flush
/// right. Columns are told apart by two blanks; widths count characters of UTF-8.
class Table {
 public:
  Table(std::vector<std::string> heads, std::size_t texts, bool text_at_end = false);

  /// As many cells as there are heads.
  void add(std::vector<std::string> cells);
  /// A rule between the rows before and after.
  void add_rule();
  void print(std::ostream& out) const;

 private:
  std::vector<std::size_t> widths() const;

  std::vector<std::vector<std::string>> rows_;  ///< the heads first; an empty row is a rule
  std::size_t texts_;
  bool text_at_end_;
};

/// `value` with `decimals` digits after the point; "-" if it is not a number.
std::string number(double value, int decimals = 0);
/// The same with blanks between groups of three digits.
std::string grouped(double value);

}  // namespace bench
