// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "demo/sha256.hpp"

namespace demo {

using SharedBlock = std::shared_ptr<const Block>;

/// An image in the blocks in which it came: they are kept and given out, never copied, as long as they are asked for as
/// they came. Where there is none the image is zeros. Not thread-safe.
class StoredImage {
 public:
  explicit StoredImage(std::uint64_t size) : size_(size) {}

  std::uint64_t size() const noexcept { return size_; }
  /// Within the image.
  void put(std::uint64_t offset, SharedBlock block);
  /// Within the image.
  SharedBlock get(std::uint64_t offset, std::size_t length) const;
  /// The SHA-256 in hexadecimal.
  std::string digest() const { return sha256(*get(0, size_)); }
  /// All blocks; zeros are left.
  std::vector<SharedBlock> take_blocks();

 private:
  std::uint64_t size_;
  std::map<std::uint64_t, SharedBlock> blocks_;  // by their offset; they do not overlap
};

/// Blocks of images that are no more. For each block that comes one goes, and what comes next is received into its
/// memory, which need not be asked of the system again. Thread-safe.
class SpareBlocks {
 public:
  void add(std::vector<SharedBlock> blocks);
  void drop_one() noexcept;

 private:
  static constexpr std::size_t kMost = 64U << 20;

  std::mutex mutex_;
  std::vector<SharedBlock> blocks_;
  std::size_t octets_ = 0;
};

}  // namespace demo
