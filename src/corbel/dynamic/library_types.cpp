// SPDX-License-Identifier: Apache-2.0
#include "corbel/dynamic/library_types.hpp"

#include <ostream>

#include "corbel/dynamic/codec_factory_types.hpp"
#include "corbel/dynamic/dyn_any_types.hpp"
#include "corbel/dynamic/messaging_types.hpp"
#include "corbel/mapping/print.hpp"

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

namespace DynamicAny {

std::ostream& operator<<(std::ostream& stream, const NameValuePair& pair) {
  return corbel::mapping::print_members(stream, "DynamicAny::NameValuePair", "id", pair.id(), "value", pair.value());
}
std::ostream& operator<<(std::ostream& stream, const NameDynAnyPair& pair) {
  return corbel::mapping::print_members(stream, "DynamicAny::NameDynAnyPair", "id", pair.id(), "value", pair.value());
}

}  // namespace DynamicAny

namespace IOP {

std::ostream& operator<<(std::ostream& stream, const Encoding& encoding) {
  return corbel::mapping::print_members(stream, "IOP::Encoding", "format", encoding.format(), "major_version",
                                        encoding.major_version(), "minor_version", encoding.minor_version());
}
std::ostream& operator<<(std::ostream& stream, const Encoding_1_2& encoding) {
  return corbel::mapping::print_members(stream, "IOP::Encoding_1_2", "format", encoding.format(), "major_version",
                                        encoding.major_version(), "minor_version", encoding.minor_version(),
                                        "char_codeset", encoding.char_codeset(), "wchar_codeset",
                                        encoding.wchar_codeset());
}

}  // namespace IOP

namespace TimeBase {

std::ostream& operator<<(std::ostream& stream, const UtcT& time) {
  return corbel::mapping::print_members(stream, "TimeBase::UtcT", "time", time.time(), "inacclo", time.inacclo(),
                                        "inacchi", time.inacchi(), "tdf", time.tdf());
}
std::ostream& operator<<(std::ostream& stream, const IntervalT& interval) {
  return corbel::mapping::print_members(stream, "TimeBase::IntervalT", "lower_bound", interval.lower_bound(),
                                        "upper_bound", interval.upper_bound());
}

}  // namespace TimeBase
