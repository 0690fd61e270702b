// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace demo {

using Block = std::vector<std::uint8_t>;

/// SHA-256 of the octets, in hexadecimal.
std::string sha256(std::span<const std::uint8_t> octets);
/// Of the blocks' octets, one block after the other.
std::string sha256(const std::vector<Block>& blocks);

}  // namespace demo
