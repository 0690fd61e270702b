// SPDX-License-Identifier: Apache-2.0
// The cubes of both ORBs' servants.
#pragma once

#include <cstdint>

namespace peer {

/// Wraps around, as the papers' servants did.
template <class T>
constexpr T cubed(T value) {
  const auto wide = static_cast<std::uint64_t>(value);
  return static_cast<T>(wide * wide * wide);
}

/// Elements of the sequences called small (4 octets) and large (4,096 octets).
inline constexpr std::size_t kSmallOctets = 4;
inline constexpr std::size_t kLargeOctets = 4096;

}  // namespace peer
