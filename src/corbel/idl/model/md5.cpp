// SPDX-License-Identifier: Apache-2.0
#include "corbel/idl/model/md5.hpp"

#include <bit>
#include <cmath>
#include <string>

namespace corbel::idl::model {
namespace {

using State = std::array<std::uint32_t, 4>;

/// floor(2^32 |sin(i + 1)|), RFC 1321, 3.4.
std::array<std::uint32_t, 64> make_sines() {
  std::array<std::uint32_t, 64> sines{};
  for (std::size_t i = 0; i < sines.size(); ++i) {
    sines[i] = static_cast<std::uint32_t>(std::floor(std::fabs(std::sin(static_cast<double>(i + 1))) * 4294967296.0));
  }
  return sines;
}

void add_block(State& state, const char* block) {
  static const std::array<std::uint32_t, 64> kSines = make_sines();
  static constexpr int kShifts[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
  std::array<std::uint32_t, 16> words{};
  for (std::size_t i = 0; i < 64; ++i) {
    words[i / 4] |= static_cast<std::uint32_t>(static_cast<std::uint8_t>(block[i])) << (i % 4 * 8);
  }
  auto [a, b, c, d] = state;
  for (std::uint32_t i = 0; i < 64; ++i) {
    std::uint32_t mixed = 0;
    std::uint32_t word = 0;
    switch (i / 16) {
      case 0:
        mixed = (b & c) | (~b & d);
        word = i;
        break;
      case 1:
        mixed = (d & b) | (~d & c);
        word = 5 * i + 1;
        break;
      case 2:
        mixed = b ^ c ^ d;
        word = 3 * i + 5;
        break;
      default:
        mixed = c ^ (b | ~d);
        word = 7 * i;
        break;
    }
    mixed += a + kSines[i] + words[word % 16];
    a = d;
    d = c;
    c = b;
    b += std::rotl(mixed, kShifts[i / 16][i % 4]);
  }
  state = {state[0] + a, state[1] + b, state[2] + c, state[3] + d};
}

}  // namespace

std::array<std::uint8_t, 16> md5(std::string_view text) {
  std::string padded(text);
  padded += static_cast<char>(0x80);
  while (padded.size() % 64 != 56) padded += '\0';
  const std::uint64_t bits = std::uint64_t{text.size()} * 8;
  for (int shift = 0; shift < 64; shift += 8) padded += static_cast<char>(bits >> shift & 0xff);
  State state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  for (std::size_t i = 0; i < padded.size(); i += 64) add_block(state, padded.data() + i);
  std::array<std::uint8_t, 16> digest{};
  for (std::size_t i = 0; i < digest.size(); ++i) {
    digest[i] = static_cast<std::uint8_t>(state[i / 4] >> (i % 4 * 8) & 0xff);
  }
  return digest;
}

}  // namespace corbel::idl::model
