// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace avionics {

// What is sent, by number: both ends know it, so that each can tell whether what came is right.

inline constexpr std::int16_t kFullDeflection = 1000;

inline std::int16_t air_data(std::uint32_t activation, std::size_t channel) {
  return static_cast<std::int16_t>((activation * 7U + static_cast<std::uint32_t>(channel) * 1000U) % 30'000U);
}
inline std::int16_t position(std::uint32_t activation) {
  return static_cast<std::int16_t>(static_cast<int>(activation * 37U % (2U * kFullDeflection)) - kFullDeflection);
}
/// Board 0 is A, board 1 is B.
inline double attitude(std::uint32_t activation, std::size_t axis, int board) {
  return static_cast<double>(activation) * 0.25 + static_cast<double>(axis) * 10.0 + board * 1000.0;
}

/// Blocks of a bulk transfer that differ from each other; the number of a block says which it is.
class Blocks {
 public:
  explicit Blocks(std::size_t size) {
    std::uint32_t state = 1;
    for (auto& block : blocks_) {
      block.resize(size);
      for (auto& octet : block) octet = static_cast<std::uint8_t>((state = state * 1664525U + 1013904223U) >> 24U);
    }
  }
  const std::vector<std::uint8_t>& operator[](std::uint32_t number) const { return blocks_[number % blocks_.size()]; }

 private:
  std::vector<std::vector<std::uint8_t>> blocks_ = std::vector<std::vector<std::uint8_t>>(7);
};

}  // namespace avionics
