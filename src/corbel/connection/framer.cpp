// SPDX-License-Identifier: Apache-2.0
#include "corbel/connection/framer.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace corbel::connection {

using base::Code;
using base::Stage;

base::Result<bool> Framer::next(Message& message) try {
  for (;;) {
    const std::size_t available = end_ - begin_;
    if (available < frame_header_size_) [[unlikely]] {
      if (largest_message_ != 0 && available != 0) return base::error(Stage::receive, Code::malformed);
      return false;
    }
    const base::ConstByteSpan octets(data_.get() + begin_, available);
    const auto frame = protocol_.decode_frame(octets, limits_);
    if (!frame) [[unlikely]]
      return base::error(Stage::receive, frame.error().code);
    if (available != frame->message_size) [[unlikely]] {
      if (largest_message_ != 0) return base::error(Stage::receive, Code::malformed);
      if (available < frame->message_size) {
        wanted_ = frame->message_size;
        return false;
      }
    }
    message.frame = *frame;
    message.octets = octets.first(frame->message_size);
    message.joints = {};
    const auto consume = [&] {
      begin_ += frame->message_size;
      consumed_ += frame->message_size;
      wanted_ = 0;
    };
    const bool continues = message.frame.type == messaging::MessageType::fragment;
    if (!continues && !message.frame.more_fragments) [[likely]] {
      consume();
      return true;
    }
    // Without memory for a part, it stays where it is until there is some: these throw.
    base::Result<bool> whole = continues ? join_fragment(message, message) : open_message(message);
    consume();
    if (!whole || *whole) return whole;
  }
} catch (const std::bad_alloc&) {
  return base::error(Stage::receive, Code::out_of_resources);
}

base::Result<bool> Framer::open_message(const Message& first) {
  const auto id = protocol_.peek_request_id(first.frame, first.octets);
  if (!id) return base::error(Stage::receive, id.error().code);
  for (const Open& open : open_) {
    if (open.request_id == *id) return base::error(Stage::receive, Code::malformed);
  }
  if (open_.size() >= kMaxOpen || open_octets_ + first.octets.size() > limits_.max_message_size) {
    return base::error(Stage::receive, Code::too_large);
  }
  pay(first.octets.size());
  open_.push_back({first.frame, consumed_ + 1, *id, base::Bytes(first.octets.begin(), first.octets.end()), {}});
  open_octets_ += first.octets.size();
  return false;
}

base::Result<bool> Framer::join_fragment(const Message& fragment, Message& message) {
  const auto decoded = protocol_.decode_fragment(fragment.frame, fragment.octets);
  if (!decoded) return base::error(Stage::receive, decoded.error().code);
  const messaging::Protocol::Fragment& part = *decoded;
  // A fragment without id (GIOP 1.1) continues the only message that can be open.
  const auto open = part.has_request_id ? std::find_if(open_.begin(), open_.end(),
                                                       [&](const Open& o) { return o.request_id == part.request_id; })
                                        : open_.begin();
  if (open == open_.end() || open->frame.little_endian != fragment.frame.little_endian ||
      open->frame.version != fragment.frame.version) {
    return base::error(Stage::receive, Code::malformed);
  }
  const base::ConstByteSpan data = fragment.octets.subspan(part.data_offset);
  if (open_octets_ + data.size() > limits_.max_message_size) return base::error(Stage::receive, Code::too_large);
  pay(data.size());
  if (!part.has_request_id) open->joints.push_back(open->octets.size());
  open->octets.insert(open->octets.end(), data.begin(), data.end());
  open_octets_ += data.size();
  if (fragment.frame.more_fragments) return false;
  open_octets_ -= open->octets.size();
  repay(joined_.size());
  joined_ = std::move(open->octets);
  joints_ = std::move(open->joints);
  message.frame = open->frame;
  message.frame.more_fragments = false;
  message.frame.message_size = static_cast<std::uint32_t>(joined_.size());
  message.octets = joined_;
  message.joints = joints_;
  open_.erase(open);
  return true;
}

void Framer::drop(std::uint32_t request_id) noexcept {
  const auto open = std::find_if(open_.begin(), open_.end(), [&](const Open& o) { return o.request_id == request_id; });
  if (open == open_.end()) return;
  open_octets_ -= open->octets.size();
  repay(open->octets.size());
  open_.erase(open);
}

void Framer::pay(std::size_t octets, bool must) {
  if (memory_ == nullptr || octets == 0) return;
  short_of_memory_ = !must && !memory_->take(octets, paid_);
  if (short_of_memory_) throw std::bad_alloc();
  if (must) memory_->force(octets);
  paid_ += octets;
}

void Framer::repay(std::size_t octets) noexcept {
  if (memory_ == nullptr || octets == 0) return;
  memory_->give(octets);
  paid_ -= octets;
}

void Framer::clear() noexcept {
  data_.reset();
  capacity_ = begin_ = end_ = 0;
  open_.clear();
  open_octets_ = 0;
  joined_ = {};
  repay(paid_);
}

void Framer::reserve(std::size_t capacity, bool must) {
  // The first buffer is free: it goes with the connection, and those are counted.
  pay(std::max(capacity, kFirstCapacity) - std::max(capacity_, kFirstCapacity), must);
  // realloc: large buffers grow by moving pages, not octets.
  auto* grown = static_cast<base::Octet*>(std::realloc(data_.get(), capacity));
  if (grown == nullptr) throw std::bad_alloc();
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
  repay(std::max(capacity_, kFirstCapacity) - kFirstCapacity + joined_.size());
  data_.reset();
  capacity_ = begin_ = end_ = 0;
  filled_ = false;
  joined_ = {};
  joints_ = {};
}

void Framer::take_over(Framer& other) {
  const base::ConstByteSpan rest = other.unread();
  if (!rest.empty()) {
    reserve(std::max(rest.size(), kFirstCapacity), true);  // what is there already is only put elsewhere
    std::memcpy(data_.get(), rest.data(), rest.size());
    end_ = rest.size();
  }
  pay(other.open_octets_, true);
  other.repay(other.open_octets_);
  open_ = std::move(other.open_);
  other.open_.clear();
  open_octets_ = std::exchange(other.open_octets_, 0);
  consumed_ = other.consumed_;
}

}  // namespace corbel::connection
