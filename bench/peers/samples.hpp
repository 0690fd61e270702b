// SPDX-License-Identifier: Apache-2.0
// What the programs of values.idl pass around: as much in each ORB.
#pragma once

namespace sample {

inline constexpr const char* kName = "sixteen letters.";
inline constexpr unsigned kOctets = 1U << 20;  ///< of the large result
inline constexpr unsigned kStrings = 1000;
inline constexpr unsigned kBranches = 10;
inline constexpr unsigned kLeaves = 10;  ///< of each branch
inline constexpr int kNodes = 100;       ///< of a chain

}  // namespace sample
