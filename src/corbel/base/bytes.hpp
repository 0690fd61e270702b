// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "corbel/base/export.hpp"

namespace corbel::base {

using Octet = std::uint8_t;
using ByteSpan = std::span<Octet>;
using ConstByteSpan = std::span<const Octet>;
using Bytes = std::vector<Octet>;

/// The octets of a string, without terminator.
inline ConstByteSpan as_bytes(std::string_view text) noexcept {
  return {reinterpret_cast<const Octet*>(text.data()), text.size()};
}
/// Octets seen as characters.
inline std::string_view as_text(ConstByteSpan bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
/// How much is copied at a time where copying all at once would be slow.
inline constexpr std::size_t kCopyPiece = 2048;
/// Beyond 2 KiB glibc copies with the processor's string instructions. Some processors (AMD's of today) are twenty
/// times slower at them when the target begins less than a cache line after the source, counted within their pages.
/// Where this says true, copy in pieces of kCopyPiece.
inline bool copies_slowly(const void* to, const void* from, std::size_t size) noexcept {
  const auto ahead = (reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from)) % 4096;
  return size > kCopyPiece && ahead > 0 && ahead < 64;
}
/// memcpy without that; of no octets, also from and to nowhere.
inline void copy_octets(void* to, const void* from, std::size_t size) noexcept {
  if (size == 0) return;
  auto* target = static_cast<Octet*>(to);
  const auto* source = static_cast<const Octet*>(from);
  if (copies_slowly(to, from, size)) [[unlikely]] {
    for (; size > kCopyPiece; size -= kCopyPiece, target += kCopyPiece, source += kCopyPiece) {
      std::memcpy(target, source, kCopyPiece);
    }
  }
  std::memcpy(target, source, size);
}
/// Lower-case hexadecimal.
CORBEL_API std::string to_hex(ConstByteSpan bytes);
/// Reads hexadecimal in either case; false (and `out` unspecified) on an odd number of digits or a non-digit.
CORBEL_API bool from_hex(std::string_view text, Bytes& out);

}  // namespace corbel::base
