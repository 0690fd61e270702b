// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "corbel/base/bytes.hpp"

/// Conversions between the program's code sets (UTF-8; wchar_t as Unicode scalar values) and those of the wire.
namespace corbel::cdr {

/// UTF-8 to ISO 8859-1; false on malformed input or a character beyond U+00FF.
bool utf8_to_latin1(std::string_view text, std::string& out);
/// ISO 8859-1 to UTF-8; cannot fail, at most doubles the size.
void latin1_to_utf8(base::ConstByteSpan octets, std::string& out);

/// True for what one wchar_t may hold: a Unicode scalar value (no surrogate).
constexpr bool is_scalar(char32_t character) noexcept {
  return character < 0xd800 || (character > 0xdfff && character <= 0x10ffff);
}
constexpr bool is_high_surrogate(char32_t unit) noexcept {
  return unit >= 0xd800 && unit <= 0xdbff;
}
constexpr bool is_low_surrogate(char32_t unit) noexcept {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
constexpr char32_t join_surrogates(char32_t high, char32_t low) noexcept {
  return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
}
constexpr char32_t high_surrogate(char32_t character) noexcept {
  return 0xd800 + ((character - 0x10000) >> 10);
}
constexpr char32_t low_surrogate(char32_t character) noexcept {
  return 0xdc00 + ((character - 0x10000) & 0x3ff);
}

/// UTF-16 code units (`octets.size() / 2` of them) to wide characters; false on an unpaired surrogate or a NUL.
bool utf16_to_wide(base::ConstByteSpan octets, bool little_endian, std::wstring& out);

}  // namespace corbel::cdr
