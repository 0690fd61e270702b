// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "demo/sha256.hpp"

namespace demo {

/// A file in memory.
struct File {
  std::string path;
  std::string name;  ///< as the server knows it: a number and what is printable of the last part of the path
  std::uint64_t size = 0;
  std::vector<Block> blocks;  ///< all of one size but the last
  std::string digest;
};

/// The largest regular files below the system's folders that are readable and no larger than half of `octets`: as many
/// as it takes to hold `octets`. The same machine gives the same files.
std::vector<std::string> large_files(std::uint64_t octets);

/// Reads the files, in blocks of `block_size` octets. Throws std::runtime_error naming the one that cannot be read, or
/// when they need more than half of the memory that is free.
std::vector<File> load(const std::vector<std::string>& paths, std::size_t block_size);

std::uint64_t total_size(const std::vector<File>& files);

}  // namespace demo
