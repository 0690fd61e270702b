// SPDX-License-Identifier: Apache-2.0
#include "corbel/corba/minor_codes.hpp"

namespace corbel::corba {
namespace {

struct Named {
  std::string_view exception;
  std::uint32_t minor;
  std::string_view text;
};
#define CORBEL_MINOR_ROW(EXCEPTION, NUMBER, CONSTANT, TEXT) {#EXCEPTION, minor::CONSTANT, TEXT},
constexpr Named kOmgMinors[] = {CORBEL_OMG_MINORS(CORBEL_MINOR_ROW)};
#undef CORBEL_MINOR_ROW

}  // namespace

std::string minor_name(std::string_view exception, std::uint32_t minor) {
  constexpr std::uint32_t kVendorBits = 0xfffff000;
  if ((minor & kVendorBits) == kCorbelVmcid) {
    const auto stage = static_cast<base::Stage>(minor >> 7 & 0x1f);
    const auto code = static_cast<base::Code>(minor & 0x7f);
    return std::string(to_string(stage)).append(" ").append(to_string(code));
  }
  for (const Named& named : kOmgMinors) {
    if (named.minor == minor && named.exception == exception) return std::string(named.text);
  }
  return {};
}

}  // namespace corbel::corba
