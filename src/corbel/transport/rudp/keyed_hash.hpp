// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "corbel/base/bytes.hpp"

namespace corbel::transport::rudp {

using Key = std::array<std::uint64_t, 2>;

/// SipHash (Aumasson and Bernstein) with one round for each word and three at the end: who does not know the key can
/// neither tell what it makes of octets, nor find other octets of which it makes the same. The same on every machine.
class KeyedHash {
 public:
  explicit KeyedHash(const Key& key) noexcept
      : v0_(key[0] ^ 0x736f6d6570736575U),
        v1_(key[1] ^ 0x646f72616e646f6dU),
        v2_(key[0] ^ 0x6c7967656e657261U),
        v3_(key[1] ^ 0x7465646279746573U) {}

  KeyedHash& add(std::uint64_t word) noexcept {
    v3_ ^= word;
    round();
    v0_ ^= word;
    return *this;
  }
  /// The octets, read as little-endian words, and their number.
  KeyedHash& add(base::ConstByteSpan octets) noexcept {
    std::size_t left = octets.size();
    const base::Octet* at = octets.data();
    for (; left >= 8; left -= 8, at += 8) add(word_at(at, 8));
    return add(word_at(at, left) | static_cast<std::uint64_t>(octets.size()) << 56);
  }
  /// To be asked once, at the end.
  std::uint64_t result() noexcept {
    v2_ ^= 0xff;
    for (int i = 0; i < 3; ++i) round();
    return v0_ ^ v1_ ^ v2_ ^ v3_;
  }

 private:
  static std::uint64_t word_at(const base::Octet* at, std::size_t size) noexcept {
    std::uint64_t word = 0;
    if constexpr (std::endian::native == std::endian::little) {
      if (size != 0) std::memcpy(&word, at, size);
    } else {
      for (std::size_t i = 0; i < size; ++i) word |= std::uint64_t{at[i]} << 8 * i;
    }
    return word;
  }
  void round() noexcept {
    v0_ += v1_;
    v2_ += v3_;
    v1_ = std::rotl(v1_, 13) ^ v0_;
    v3_ = std::rotl(v3_, 16) ^ v2_;
    v0_ = std::rotl(v0_, 32);
    v2_ += v1_;
    v0_ += v3_;
    v1_ = std::rotl(v1_, 17) ^ v2_;
    v3_ = std::rotl(v3_, 21) ^ v0_;
    v2_ = std::rotl(v2_, 32);
  }

  std::uint64_t v0_, v1_, v2_, v3_;
};

}  // namespace corbel::transport::rudp
