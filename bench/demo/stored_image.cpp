// SPDX-License-Identifier: Apache-2.0
#include "demo/stored_image.hpp"

#include <algorithm>
#include <utility>

namespace demo {

void StoredImage::put(std::uint64_t offset, SharedBlock block) {
  if (block->empty()) return;
  const std::uint64_t end = offset + block->size();
  // What is there already and sticks out remains.
  auto at = blocks_.upper_bound(offset);
  if (at != blocks_.begin()) --at;
  while (at != blocks_.end() && at->first < end) {
    const auto [from, old] = *at;
    if (from + old->size() <= offset) {
      ++at;
      continue;
    }
    at = blocks_.erase(at);
    const auto piece = [&, begin = from, whole = old](std::uint64_t first, std::uint64_t last) {
      const auto octets = whole->begin() + static_cast<std::ptrdiff_t>(first - begin);
      blocks_[first] = std::make_shared<const Block>(octets, octets + static_cast<std::ptrdiff_t>(last - first));
    };
    if (from < offset) piece(from, offset);
    if (from + old->size() > end) piece(end, from + old->size());
  }
  blocks_[offset] = std::move(block);
}

SharedBlock StoredImage::get(std::uint64_t offset, std::size_t length) const {
  const auto exact = blocks_.find(offset);
  if (exact != blocks_.end() && exact->second->size() == length) return exact->second;
  auto octets = std::make_shared<Block>(length);
  auto at = blocks_.upper_bound(offset);
  if (at != blocks_.begin()) --at;
  for (; at != blocks_.end() && at->first < offset + length; ++at) {
    const std::uint64_t from = std::max(offset, at->first);
    const std::uint64_t to = std::min(offset + length, at->first + at->second->size());
    if (from >= to) continue;
    std::copy_n(at->second->begin() + static_cast<std::ptrdiff_t>(from - at->first), to - from,
                octets->begin() + static_cast<std::ptrdiff_t>(from - offset));
  }
  return octets;
}

std::vector<SharedBlock> StoredImage::take_blocks() {
  std::vector<SharedBlock> blocks;
  for (auto& [offset, block] : blocks_) blocks.push_back(std::move(block));
  blocks_.clear();
  return blocks;
}

void SpareBlocks::add(std::vector<SharedBlock> blocks) {
  const std::lock_guard lock(mutex_);
  for (SharedBlock& block : blocks) {
    if (octets_ + block->size() > kMost) break;
    octets_ += block->size();
    blocks_.push_back(std::move(block));
  }
}

void SpareBlocks::drop_one() noexcept {
  SharedBlock one;  // goes without the lock
  const std::lock_guard lock(mutex_);
  if (blocks_.empty()) return;
  one = std::move(blocks_.back());
  blocks_.pop_back();
  octets_ -= one->size();
}

}  // namespace demo
