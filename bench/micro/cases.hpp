// SPDX-License-Identifier: Apache-2.0
// The data of suite micro, the same for every way to marshal it.
#pragma once

#include <cstddef>
#include <string>

namespace bench {

inline constexpr std::size_t kBinStructs = 1365;  ///< 32 KiB of them
inline constexpr std::size_t kNames = 1000;
inline constexpr int kTreeDepth = 10;  ///< levels of a binary tree
inline constexpr std::size_t kTreeNodes = (1U << kTreeDepth) - 1;

/// 8 to 39 characters.
inline std::string name_of(std::size_t i) {
  return "name " + std::to_string(100 + i % 900) + std::string(i * 7 % 32, static_cast<char>('a' + i % 26));
}

/// "direction=encode,type=tree,by=omniORB"
inline std::string piece(const char* direction, const char* type, const std::string& by) {
  return std::string("direction=") + direction + ",type=" + type + ",by=" + by;
}

}  // namespace bench
