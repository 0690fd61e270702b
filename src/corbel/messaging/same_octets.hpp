// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace corbel::messaging {

template <class Word>
inline bool differ(const std::uint8_t* one, const std::uint8_t* other) noexcept {
  Word words[2];
  std::memcpy(words, one, sizeof(Word));
  std::memcpy(words + 1, other, sizeof(Word));
  return words[0] != words[1];
}

/// True if both begin with the same `size` octets: memcmp() without a library call, for keys and names, which are
/// short.
inline bool same_octets(const std::uint8_t* one, const void* with, std::size_t size) noexcept {
  const auto* const other = static_cast<const std::uint8_t*>(with);
  if (size >= 8) {
    for (std::size_t at = 0; at + 8 < size; at += 8) {
      if (differ<std::uint64_t>(one + at, other + at)) return false;
    }
    return !differ<std::uint64_t>(one + size - 8, other + size - 8);
  }
  if (size >= 4) return !differ<std::uint32_t>(one, other) && !differ<std::uint32_t>(one + size - 4, other + size - 4);
  for (std::size_t at = 0; at < size; ++at) {
    if (one[at] != other[at]) return false;
  }
  return true;
}

}  // namespace corbel::messaging
