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
  // A server without UTF-16 can still be called with everything that has no wide characters in it.
  if (speaks(server->for_wchar, cdr::CodeSet::utf_16)) choice.for_wchar = cdr::CodeSet::utf_16;
  return choice;
}

}  // namespace corbel::ior
