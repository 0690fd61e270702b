// SPDX-License-Identifier: Apache-2.0
#include "corbel/dynamic/library_types.hpp"

#include <ostream>

namespace corbel::dynamic {

std::ostream& print_enumerator(std::ostream& stream, const CORBA::TypeCode& type, std::uint32_t value) {
  static constexpr std::string_view kStart = "IDL:omg.org/";
  const TypeNode& node = type._node();
  if (value >= node.members.size()) return stream << value;
  for (const char c : node.id.substr(kStart.size(), node.id.rfind(':') - kStart.size())) {
    c == '/' ? stream << "::" : stream << c;
  }
  return stream << "::" << node.members[value].name;
}

}  // namespace corbel::dynamic
