// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
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
/// Lower-case hexadecimal.
CORBEL_API std::string to_hex(ConstByteSpan bytes);
/// Reads hexadecimal in either case; false (and `out` unspecified) on an odd number of digits or a non-digit.
CORBEL_API bool from_hex(std::string_view text, Bytes& out);

}  // namespace corbel::base
