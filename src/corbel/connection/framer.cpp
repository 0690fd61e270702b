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

/// True if the message at hand was dropped: whoever sent it need not be the peer, and has harmed it alone.
bool Framer::drop(base::Error error) noexcept {
  if (!forgiving_ || error.code == base::Code::out_of_resources) return false;
  begin_ = end_ = 0;
  wanted_ = 0;
  return true;
}

void Framer::clear() noexcept {
  repay();
  data_.reset();
  capacity_ = begin_ = end_ = 0;
  joined_ = {};
}

void Framer::reserve(std::size_t capacity, bool must) {
  // The first buffer is free: it goes with the connection, and those are counted.
  const std::size_t more = std::max(capacity, kFirstCapacity) - std::max(capacity_, kFirstCapacity);
  if (must) account_.force(more);
  if (!must && !account_.take(more)) throw std::bad_alloc();
  // realloc: large buffers grow by moving pages, not octets.
  auto* grown = static_cast<base::Octet*>(std::realloc(data_.get(), capacity));
  if (grown == nullptr) {
    account_.give(more);
    throw std::bad_alloc();
  }
  (void)data_.release();
  data_.reset(grown);
  capacity_ = capacity;
}

base::ByteSpan Framer::space() {
  if (begin_ == end_) {
    begin_ = end_ = 0;
  } else if (begin_ != 0 && (end_ == capacity_ || wanted_ > capacity_ - begin_)) {
    std::memmove(data_.get(), data_.get() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (capacity_ == 0) {
    reserve(std::max(kFirstCapacity, largest_message_));
  } else if (filled_ && capacity_ < kBusyCapacity) {
    reserve(capacity_ * 2);
  } else if (end_ == capacity_) {
    reserve(std::min(capacity_ * 2, std::max(wanted_, capacity_ + kFirstCapacity)));
  }
  filled_ = false;
  return {data_.get() + end_, capacity_ - end_};
}

void Framer::shrink() noexcept {
  if (begin_ != end_) return;
  clear();
  filled_ = false;
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
