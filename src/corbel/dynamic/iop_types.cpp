// SPDX-License-Identifier: Apache-2.0
#include "corbel/dynamic/iop_types.hpp"

#include <ostream>

#include "corbel/mapping/print.hpp"

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

#define CORBEL_IOP_PRINT(MODULE, NAME, A, FIRST, B, SECOND)                                                            \
  std::ostream& MODULE::operator<<(std::ostream& stream, const NAME& value) {                                          \
    return corbel::mapping::print_members(stream, #MODULE "::" #NAME, #FIRST, value.FIRST(), #SECOND, value.SECOND()); \
  }
CORBEL_IOP_STRUCTS(CORBEL_IOP_PRINT)
#undef CORBEL_IOP_PRINT
