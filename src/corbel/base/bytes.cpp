// SPDX-License-Identifier: Apache-2.0
#include "corbel/base/bytes.hpp"

namespace corbel::base {
namespace {

int digit(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::string to_hex(ConstByteSpan bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const Octet octet : bytes) {
    text += kDigits[octet >> 4];
    text += kDigits[octet & 15];
  }
  return text;
}

bool from_hex(std::string_view text, Bytes& out) {
  if (text.size() % 2 != 0) return false;
  out.clear();
  out.reserve(text.size() / 2);
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = digit(text[i]);
    const int low = digit(text[i + 1]);
    if (high < 0 || low < 0) return false;
    out.push_back(static_cast<Octet>(high * 16 + low));
  }
  return true;
}

}  // namespace corbel::base
