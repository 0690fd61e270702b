// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "corbel/ior/profile.hpp"

namespace corbel::ior {
namespace {

constexpr std::uint32_t id(cdr::CodeSet set) noexcept {
  return static_cast<std::uint32_t>(set);
}

bool speaks(const CodeSetInfo::Component& server, cdr::CodeSet set) noexcept {
  return server.native == id(set) ||
         std::find(server.conversions.begin(), server.conversions.end(), id(set)) != server.conversions.end();
}

/// Of the wide sets in the OSF's registry those of ISO 10646: UCS-2, UCS-4, UTF-16, each at three levels.
constexpr bool is_unicode(std::uint32_t set) noexcept {
  return set >= id(cdr::CodeSet::ucs_2) && set <= id(cdr::CodeSet::utf_16);
}

}  // namespace

CodeSetInfo own_code_sets() {
  return {.for_char = {.native = id(cdr::CodeSet::utf_8), .conversions = {id(cdr::CodeSet::iso_8859_1)}},
          .for_wchar = {.native = id(cdr::CodeSet::utf_16), .conversions = {}}};
}

CodeSetChoice choose_code_sets(const CodeSetInfo* server) {
  CodeSetChoice choice;
  if (server == nullptr) return choice;
  choice.negotiated = true;
  if (speaks(server->for_char, cdr::CodeSet::utf_8)) {
    choice.for_char = cdr::CodeSet::utf_8;
  } else if (speaks(server->for_char, cdr::CodeSet::iso_8859_1)) {
    choice.for_char = cdr::CodeSet::iso_8859_1;
  } else {
    choice.compatible = false;
  }
  // Where neither side converts, but both have the same characters, UTF-16 is what both convert to (CORBA 3.3 part 2,
  // 7.10.2.6). A server without can still be called with everything that has no wide characters in it.
  if (speaks(server->for_wchar, cdr::CodeSet::utf_16) || is_unicode(server->for_wchar.native)) {
    choice.for_wchar = cdr::CodeSet::utf_16;
  }
  return choice;
}

}  // namespace corbel::ior
