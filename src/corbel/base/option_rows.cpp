// SPDX-License-Identifier: Apache-2.0
#include "corbel/base/option_rows.hpp"

namespace corbel::base {

bool read_number(std::string_view text, std::uint64_t& number) {
  if (text.empty() || text.size() > 12) return false;
  number = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return false;
    number = number * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return true;
}

bool read_switch(std::string_view text, bool& value) {
  for (const std::string_view word : {"on", "true", "yes", "1"}) {
    if (text == word) return value = true;
  }
  for (const std::string_view word : {"off", "false", "no", "0"}) {
    if (text == word) return !(value = false);
  }
  return false;
}

std::string environment_name(std::string_view option) {
  std::string name = "CORBEL";
  for (const char c : option) {
    const bool upper = c >= 'A' && c <= 'Z';
    if (upper) name += '_';
    name += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  return name;
}

}  // namespace corbel::base
