// SPDX-License-Identifier: Apache-2.0
#include "corbel/cdr/encoder.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "corbel/base/shelf.hpp"
#include "corbel/cdr/swap.hpp"

namespace corbel::cdr {
namespace {

constexpr std::size_t kSmallestBlock = 64;
constexpr std::size_t kLargestGrowth = 64U << 10;

}  // namespace

/// Storage never moves: a block that is full is followed by another. Its octets follow the struct, 16-aligned.
struct alignas(16) Encoder::Block {
  Block* next;
  std::size_t size;

  std::uint8_t* octets() noexcept { return reinterpret_cast<std::uint8_t*>(this + 1); }
  static Block* make(std::size_t size, Block* next) {
    void* memory = ::operator new (sizeof(Block) + size, std::align_val_t{alignof(Block)});
    return new (memory) Block{next, size};
  }
  static void destroy(Block* block) noexcept { ::operator delete (block, std::align_val_t{alignof(Block)}); }
  /// The first one of an encoder, with room for its first segments behind the octets.
  static Block* make_first(std::size_t size) { return new (base::Shelf::take(whole(size))) Block{nullptr, size}; }
  static void destroy_first(Block* block) noexcept { base::Shelf::give(block, whole(block->size)); }

 private:
  static constexpr std::size_t whole(std::size_t size) noexcept {
    return sizeof(Block) + size + kFirstSegments * sizeof(Segment);
  }
};

Encoder::Encoder(Format format, std::size_t capacity)
    : first_capacity_((std::max(capacity, kSmallestBlock) + 15) & ~std::size_t{15}) {
  begin_storage();
  reset(format);
}

Encoder::~Encoder() {
  release();
}

/// The first block, behind whose octets the first segments are.
void Encoder::begin_storage() {
  first_ = Block::make_first(first_capacity_);
  current_ = first_;
  cursor_ = segment_begin_ = origin_ = first_begin_ = first_->octets();
  limit_ = first_limit_ = first_begin_ + first_capacity_;
  segments_ = first_segments();
  segment_capacity_ = kFirstSegments;
}

void Encoder::release() noexcept {
  detach();
  if (first_ == nullptr) return;
  free_blocks_after(first_);
  if (segments_ != first_segments()) delete[] segments_;
  Block::destroy_first(first_);
  first_ = current_ = nullptr;
  cursor_ = limit_ = segment_begin_ = origin_ = first_begin_ = first_limit_ = nullptr;
  segments_ = nullptr;
  segment_capacity_ = segment_count_ = closed_octets_ = kept_octets_ = 0;
}

Attachment::~Attachment() = default;

void Encoder::attach(Attachment* attachment) noexcept {
  delete std::exchange(attachment_, attachment);
}

void Encoder::detach() noexcept {
  attach(nullptr);
}

void Encoder::erase_last(std::size_t size) noexcept {
  if (static_cast<std::size_t>(cursor_ - segment_begin_) >= size) {
    cursor_ -= size;
    return;
  }
  // Nothing has been written since storage was added.
  segments_[segment_count_ - 1].size -= size;
  closed_octets_ -= size;
  cursor_ = segment_begin_ = current_->octets() + (closed_octets_ & 7);
}

/// Gives back what exceeds kKeepCapacity.
void Encoder::trim() noexcept {
  if (segments_ != first_segments()) {
    kept_octets_ -= segment_capacity_ * sizeof(Segment);
    delete[] segments_;
    segments_ = first_segments();
    segment_capacity_ = kFirstSegments;
  }
  std::size_t kept = 0;
  for (Block* block = first_; block->next != nullptr; block = block->next) {
    if (kept + block->next->size > kKeepCapacity) return free_blocks_after(block);
    kept += block->next->size;
  }
}

void Encoder::free_blocks_after(Block* last) noexcept {
  Block* block = last->next;
  last->next = nullptr;
  while (block != nullptr) {
    Block* next = block->next;
    kept_octets_ -= block->size;
    Block::destroy(block);
    block = next;
  }
}

void Encoder::grow(std::size_t size) {
  if (first_ == nullptr) {
    begin_storage();
    if (size <= first_capacity_) return;
  }
  close_segment();
  const std::size_t phase = closed_octets_ & 7;
  if (current_->next == nullptr || current_->next->size < size + phase) {
    const std::size_t doubled = std::min(current_->size * 2, kLargestGrowth);
    current_->next = Block::make(std::max(size + 8, doubled), current_->next);
    kept_octets_ += current_->next->size;
  }
  current_ = current_->next;
  cursor_ = segment_begin_ = current_->octets() + phase;
  limit_ = current_->octets() + current_->size;
  if (closed_octets_ == 0) origin_ = cursor_;
}

void Encoder::enlarge_segments() {
  if (first_ == nullptr) return begin_storage();
  auto* larger = new Segment[segment_capacity_ * 2];
  std::copy_n(segments_, segment_count_, larger);
  if (segments_ != first_segments()) {
    kept_octets_ -= segment_capacity_ * sizeof(Segment);
    delete[] segments_;
  }
  segments_ = larger;
  segment_capacity_ *= 2;
  kept_octets_ += segment_capacity_ * sizeof(Segment);
}

/// What may be referred to, and is unless there are too many small pieces already.
void Encoder::refer(const void* data, std::size_t size) {
  if (size < kReferenceThreshold && segment_count_ >= kMostSmallSegments) [[unlikely]]
    return copy_octets(data, size);
  put_reference(data, size);
}

void Encoder::put_reference(const void* data, std::size_t size) {
  if (size == 0) return;
  close_segment();
  add_segment(data, size);
  closed_octets_ += size;
  const std::size_t skip = (closed_octets_ - reinterpret_cast<std::uintptr_t>(cursor_)) & 7;
  if (static_cast<std::size_t>(limit_ - cursor_) < skip) {
    grow(0);
  } else {
    cursor_ += skip;
    segment_begin_ = cursor_;
  }
}

void Encoder::put_swapped(const void* values, std::size_t count, std::size_t width) {
  const auto* from = static_cast<const std::uint8_t*>(values);
  while (count > 0) {
    std::size_t room = static_cast<std::size_t>(limit_ - cursor_) / width;
    if (room == 0) {
      grow(std::min(count * width, kLargestGrowth));
      room = static_cast<std::size_t>(limit_ - cursor_) / width;
    }
    const std::size_t run = std::min(count, room);
    swap_copy(cursor_, from, run, width);
    cursor_ += run * width;
    from += run * width;
    count -= run;
  }
}

base::Bytes Encoder::to_bytes() {
  base::Bytes bytes;
  bytes.reserve(position());
  for (const Segment& segment : segments()) {
    const auto* octets = static_cast<const std::uint8_t*>(segment.data);
    bytes.insert(bytes.end(), octets, octets + segment.size);
  }
  return bytes;
}

}  // namespace corbel::cdr
