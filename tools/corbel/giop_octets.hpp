// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "corbel/base/bytes.hpp"

/// What the commands that look at a stream of octets themselves know of GIOP.
namespace corbel::tool {

inline constexpr std::size_t kGiopHeader = 12;

/// As far as it has come.
inline bool is_giop(base::ConstByteSpan octets) {
  return base::as_text(octets.first(std::min<std::size_t>(4, octets.size()))) ==
         std::string_view("GIOP").substr(0, octets.size());
}

/// In the byte order of the message.
inline std::uint32_t giop_number(base::ConstByteSpan message, std::size_t at) {
  std::uint32_t value = 0;
  const bool little = (message[6] & 1) != 0;
  for (std::size_t i = 0; i < 4; ++i) value |= std::uint32_t{message[at + i]} << 8 * (little ? i : 3 - i);
  return value;
}

/// Header and body, as the header says.
inline std::uint64_t giop_size(base::ConstByteSpan header) {
  return kGiopHeader + std::uint64_t{giop_number(header, 8)};
}

}  // namespace corbel::tool
