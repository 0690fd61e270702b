// SPDX-License-Identifier: Apache-2.0
#include "corbel/connection/framer.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace corbel::connection {

/// Gives back what was paid for the buffer beyond the first, and for the message that was joined last.
void Framer::repay() noexcept {
  account_.give(std::max(capacity_, kFirstCapacity) - kFirstCapacity + joined_.cost());
}

/// True if the message at hand was dropped: its sender need not be the peer, and has harmed nothing else.
bool Framer::drop(base::Error error) noexcept {
  if (!forgiving_ || error.code == base::Code::out_of_resources) return false;
  begin_ = end_ = 0;
  wanted_.store(0, std::memory_order_relaxed);
  return true;
}

void Framer::clear() noexcept {
  large_ = nullptr;
  own_large_.reset();
  expects_large_ = false;
  repay();
  data_.reset();
  capacity_ = begin_ = end_ = look_at_ = 0;
  looks_ = false;
  wanted_.store(0, std::memory_order_relaxed);
  joined_ = {};
}

void Framer::reserve(std::size_t capacity, bool must) {
  // The first buffer is not counted: it goes with the connection, and connections are limited.
  const std::size_t more = std::max(capacity, kFirstCapacity) - std::max(capacity_, kFirstCapacity);
  if (must) account_.force(more);
  if (!must && !account_.take(more)) throw std::bad_alloc();
  if (resize(capacity)) return;
  account_.give(more);
  throw std::bad_alloc();
}

bool Framer::resize(std::size_t capacity) noexcept {
  // realloc: large buffers grow by moving pages, not octets.
  auto* resized = static_cast<base::Octet*>(std::realloc(data_.get(), capacity));
  if (resized == nullptr) return false;
  (void)data_.release();
  data_.reset(resized);
  capacity_ = capacity;
  look_at_ = capacity > kBusyCapacity ? 0 : capacity;
  return true;
}

/// Of the message at hand so much has come that more is worth to be received where it will stay.
[[gnu::cold]] void Framer::begin_large(Message& scratch) {
  if (largest_message_ != 0 || forgiving_ || not_large_ == consumed_) return;
  if (own_large_ == nullptr) own_large_.reset(new (std::nothrow) LargeMessage(account_));
  if (own_large_ == nullptr) return;
  if (own_large_->leaves_out()) {
    not_large_ = consumed_;
    return;
  }
  if (own_large_->begin(session_, unread(), wanted_.load(std::memory_order_relaxed), scratch)) {
    large_ = own_large_.get();
    begin_ = end_ = 0;
  } else if (unread().size() >= LargeMessage::kLongestHead) {
    not_large_ = consumed_;
  }
  scratch.kind = messaging::Kind::nothing;
}

[[gnu::cold]] base::Result<bool> Framer::next_large(Message& message) {
  if (!large_->is_whole()) return false;
  if (!wants_more()) {  // it was the last one
    std::exchange(large_, nullptr)->end();
    return next(message);
  }
  CORBEL_CHECK(large_->take(session_, message));
  consumed_ += message.size;
  wanted_.store(0, std::memory_order_relaxed);
  expects_large_ = true;
  return true;
}

base::ByteSpan Framer::space() {
  if (fills_large()) [[unlikely]]
    return large_->space();
  if (large_ != nullptr && !wants_more()) [[unlikely]]
    std::exchange(large_, nullptr)->end();
  if (begin_ == end_) {
    begin_ = end_ = 0;
  } else if (begin_ != 0 && (end_ == capacity_ || wanted_.load(std::memory_order_relaxed) > capacity_ - begin_)) {
    std::memmove(data_.get(), data_.get() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (looks_ || joined_.octets.data() != nullptr) [[unlikely]]
    adapt();
  if (end_ == capacity_) [[unlikely]]
    grow();
  if (std::exchange(expects_large_, false) && end_ == 0) [[unlikely]]
    return {data_.get(), std::min(capacity_, kHeadOfLarge)};
  return {data_.get() + end_, capacity_ - end_};
}

/// After a receive that filled the buffer, and with each of a buffer that is very large: is it too small for what comes
/// at a time, or do others lack what a message has left behind? Neither is a reason to fail.
void Framer::adapt() noexcept {
  const bool looks = std::exchange(looks_, capacity_ > kBusyCapacity);
  if (!account_.plenty()) {
    account_.give(joined_.cost());
    joined_ = {};
    if (capacity_ > kBusyCapacity && largest_message_ == 0 && end_ == 0) clear();
  } else if (looks && capacity_ < kBusyCapacity && account_.take_of_plenty(capacity_) && !resize(capacity_ * 2)) {
    account_.give(capacity_);
  }
}

/// There is no room at all.
void Framer::grow() {
  if (capacity_ == 0) return reserve(std::max(kFirstCapacity, largest_message_));
  const std::size_t wanted = wanted_.load(std::memory_order_relaxed);
  reserve(std::min(capacity_ * 2, std::max(wanted, capacity_ + kFirstCapacity)));
}

void Framer::shrink() noexcept {
  if (!has_begun()) clear();
}

void Framer::take_over(Framer& other) {
  const base::ConstByteSpan rest = other.unread();
  if (!rest.empty()) {
    reserve(std::max(rest.size(), kFirstCapacity), true);  // what is there already is only put elsewhere
    std::memcpy(data_.get(), rest.data(), rest.size());
    end_ = rest.size();
  }
  consumed_ = other.consumed_;
}

}  // namespace corbel::connection
