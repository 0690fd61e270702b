// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/exception_detail.hpp"

#include "corbel/base/log.hpp"
#include "corbel/cdr/decoder.hpp"
#include "corbel/cdr/encapsulation.hpp"

namespace corbel::orb {
namespace {

constexpr std::size_t kLongest = 1000;  // octets

constexpr cdr::Format kWide{.giop_minor = 2, .wchar_set = cdr::CodeSet::utf_16};

/// The input is UTF-8 that is known to be right.
std::wstring to_wide(std::string_view text) {
  std::wstring wide;
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i]);
    const std::size_t length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    char32_t character = length == 1 ? first : first & (0x7FU >> length);
    for (std::size_t j = 1; j < length; ++j)
      character = character << 6 | (static_cast<unsigned char>(text[i + j]) & 0x3FU);
    wide += static_cast<wchar_t>(character);
    i += length;
  }
  return wide;
}

std::string to_utf8(std::wstring_view wide) {
  std::string text;
  const auto put = [&](char32_t octet) { text += static_cast<char>(octet); };
  for (const wchar_t each : wide) {
    const auto character = static_cast<char32_t>(each);
    if (character < 0x80) {
      put(character);
      continue;
    }
    const unsigned more = character < 0x800 ? 1 : character < 0x10000 ? 2 : 3;
    put((0xFF80U >> more & 0xFFU) | character >> (6 * more));
    for (unsigned i = more; i-- > 0;) put(0x80 | (character >> (6 * i) & 0x3F));
  }
  return text;
}

}  // namespace

base::Bytes encode_exception_detail(std::string_view text) {
  const std::wstring wide = to_wide(base::printable(text, kLongest));
  auto octets = cdr::encapsulate([&](cdr::Encoder& encoder) { encoder.put_wstring(wide); }, kWide);
  return octets ? *std::move(octets) : base::Bytes();
}

std::string exception_detail(const messaging::ServiceContextView& contexts) {
  base::ConstByteSpan data;
  if (!contexts.find(kExceptionDetailContext, data)) return {};
  cdr::Decoder decoder = cdr::Decoder::from_encapsulation(data, kWide);
  std::wstring wide;
  decoder.get_wstring(wide);
  if (!decoder.ok()) return {};
  return base::printable(to_utf8(wide), kLongest);
}

}  // namespace corbel::orb
