// SPDX-License-Identifier: Apache-2.0
#include "corbel/cdr/code_sets.hpp"

namespace corbel::cdr {

bool utf8_to_latin1(std::string_view text, std::string& out) {
  out.clear();
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto lead = static_cast<unsigned char>(text[i]);
    if (lead < 0x80) {
      out += text[i];
      continue;
    }
    // Only U+0080 to U+00FF fit: the lead octets C2 and C3.
    if (lead < 0xc2 || lead > 0xc3 || ++i == text.size()) return false;
    const auto trail = static_cast<unsigned char>(text[i]);
    if ((trail & 0xc0) != 0x80) return false;
    out += static_cast<char>(((lead & 3) << 6) | (trail & 0x3f));
  }
  return true;
}

void latin1_to_utf8(base::ConstByteSpan octets, std::string& out) {
  out.clear();
  out.reserve(octets.size());
  for (const base::Octet octet : octets) {
    if (octet < 0x80) {
      out += static_cast<char>(octet);
    } else {
      out += static_cast<char>(0xc0 | (octet >> 6));
      out += static_cast<char>(0x80 | (octet & 0x3f));
    }
  }
}

bool utf16_to_wide(base::ConstByteSpan octets, bool little_endian, std::wstring& out) {
  static_assert(sizeof(wchar_t) == 4, "wchar_t holds one Unicode scalar value");
  const auto unit = [&](std::size_t i) -> char32_t {
    const base::Octet first = octets[2 * i];
    const base::Octet second = octets[2 * i + 1];
    return little_endian ? static_cast<char32_t>(first | (second << 8)) : static_cast<char32_t>((first << 8) | second);
  };
  const std::size_t count = octets.size() / 2;
  out.clear();
  out.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    char32_t character = unit(i);
    if (is_high_surrogate(character) && i + 1 < count && is_low_surrogate(unit(i + 1))) {
      character = join_surrogates(character, unit(++i));
    }
    if (character == 0 || !is_scalar(character)) return false;
    out += static_cast<wchar_t>(character);
  }
  return true;
}

}  // namespace corbel::cdr
