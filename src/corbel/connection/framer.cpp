// SPDX-License-Identifier: Apache-2.0
#include "corbel/connection/framer.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "corbel/base/shelf.hpp"
#include "corbel/base/spare.hpp"

namespace corbel::connection {

using SpareFramer = base::Spare<base::IntrusivePtr<Framer>>;

base::IntrusivePtr<Framer> Framer::make(messaging::Session& session, InputAccount& account, std::size_t largest_message,
                                        bool forgiving) {
  auto framer = SpareFramer::take();
  if (framer == nullptr) return base::IntrusivePtr<Framer>(new Framer(session, account, largest_message, forgiving));
  framer->session_ = &session;
  framer->account_ = &account;
  framer->largest_message_ = largest_message;
  framer->forgiving_ = forgiving;
  return framer;
}

void Framer::rest() noexcept {
  if (has_begun()) return;
  if (first_ == nullptr || !in_first() || own_large_ != nullptr || joined_.octets.data() != nullptr) clear();
}

void Framer::hand_on(base::IntrusivePtr<Framer> framer) noexcept {
  if (framer->reference_count() != 1) return;
  Framer& of = *framer;
  if (of.has_begun()) of.clear();
  of.rest();
  of.session_ = nullptr;
  of.account_ = nullptr;
  of.owner.store(Owner::reader, std::memory_order_relaxed);
  of.begin_ = of.end_ = 0;
  of.consumed_ = 0;
  of.wanted_.store(0, std::memory_order_relaxed);
  of.upcalls.store(0, std::memory_order_relaxed);
  of.look_at_ = of.capacity_;
  of.looks_ = of.streams_ = of.expects_many_ = false;
  of.expects_none_ = 0;
  of.not_large_ = UINT64_MAX;
  SpareFramer::give(std::move(framer));
}

/// Gives back what was paid for the buffer beyond the first, and for the message that was joined last.
void Framer::repay() noexcept {
  if (account_ == nullptr) return;  // of one that was handed on
  account_->give(std::max(capacity_, kFirstCapacity) - kFirstCapacity + joined_.cost());
}

/// True if the message at hand was dropped: its sender need not be the peer, and has harmed nothing else.
bool Framer::drop(base::Error error) noexcept {
  if (!forgiving_ || error.code == base::Code::out_of_resources) return false;
  begin_ = end_ = 0;
  wanted_.store(0, std::memory_order_relaxed);
  return true;
}

void Framer::clear() noexcept {
  large_ = Large::none;
  own_large_.reset();
  repay();
  if (first_ != nullptr) {
    if (!in_first()) std::free(data_);
    std::destroy_at(&first_->message);
    base::Shelf::give(std::exchange(first_, nullptr), sizeof(First));
  }
  data_ = nullptr;
  capacity_ = begin_ = end_ = look_at_ = 0;
  looks_ = false;
  streams_ = expects_many_ = false;
  wanted_.store(0, std::memory_order_relaxed);
  joined_ = {};
}

void Framer::reserve(std::size_t capacity, bool must) {
  if (first_ == nullptr) {
    first_ = static_cast<First*>(base::Shelf::take(sizeof(First)));
    std::construct_at(&first_->message);
    data_ = first_->octets;
    capacity_ = look_at_ = kFirstCapacity;
    if (capacity <= kFirstCapacity) return;
  }
  // The first buffer is not counted: it goes with the connection, and connections are limited.
  const std::size_t more = std::max(capacity, kFirstCapacity) - std::max(capacity_, kFirstCapacity);
  if (must) account_->force(more);
  if (!must && !account_->take(more)) throw std::bad_alloc();
  if (resize(capacity)) return;
  account_->give(more);
  throw std::bad_alloc();
}

bool Framer::resize(std::size_t capacity) noexcept {
  // realloc: large buffers grow by moving pages, not octets.
  const bool first = in_first();
  auto* resized = static_cast<base::Octet*>(std::realloc(first ? nullptr : data_, capacity));
  if (resized == nullptr) return false;
  if (first) std::memcpy(resized, data_, end_);
  data_ = resized;
  capacity_ = capacity;
  look_at_ = capacity > kBusyCapacity ? 0 : capacity;
  return true;
}

[[gnu::always_inline]] inline base::ByteSpan Framer::space_in_buffer() {
  if (begin_ == end_) {
    begin_ = end_ = 0;
  } else if (begin_ != 0 && (end_ == capacity_ || wanted_.load(std::memory_order_relaxed) > capacity_ - begin_)) {
    std::memmove(data_, data_ + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (looks_ || joined_.octets.data() != nullptr) [[unlikely]]
    adapt();
  if (end_ == capacity_) [[unlikely]]
    grow();
  return {data_ + end_, capacity_ - end_};
}

bool Framer::make_large() noexcept {
  if (own_large_ == nullptr) own_large_.reset(new (std::nothrow) LargeMessage(*account_));
  return own_large_ != nullptr;
}

/// Of the message at hand so much has come that more is worth to be received where it will stay.
[[gnu::cold]] void Framer::begin_large(Message& scratch) {
  if (largest_message_ != 0 || forgiving_ || not_large_ == consumed_) return;
  if (!make_large()) return;
  if (own_large_->leaves_out()) {
    not_large_ = consumed_;
    return;
  }
  if (own_large_->begin(*session_, unread(), wanted_.load(std::memory_order_relaxed), scratch)) {
    large_ = own_large_->is_whole() ? Large::whole : Large::filling;
    begin_ = end_ = 0;
  } else if (unread().size() >= LargeMessage::kLongestHead) {
    not_large_ = consumed_;
  }
  scratch.kind = messaging::Kind::nothing;
}

[[gnu::cold]] bool Framer::begin_lent(std::size_t octets) noexcept {
  if (largest_message_ != 0 || forgiving_) return false;
  if (large_ == Large::filling) return own_large_->lacks_all() && own_large_->missing() == octets;
  const std::size_t wanted = wanted_.load(std::memory_order_relaxed);
  if (large_ != Large::none || wanted != unread().size() + octets || !make_large()) return false;
  const bool begun = own_large_->begin_lent(*session_, unread(), wanted, first_->message);
  first_->message.kind = messaging::Kind::nothing;
  if (!begun) return false;
  large_ = Large::filling;
  begin_ = end_ = 0;
  return true;
}

[[gnu::cold]] void Framer::received_lent(transport::LentMemory memory) noexcept {
  own_large_->set_lent(std::move(memory));
  large_ = Large::whole;
}

[[gnu::cold]] base::Result<bool> Framer::next_large(Message& message) {
  if (large_ == Large::filling) return false;
  if (large_ == Large::whole) {
    CORBEL_CHECK(own_large_->take(*session_, message));
    large_ = Large::used;
    streams_ = message.kind == messaging::Kind::request && message.request.response == messaging::Response::none;
    consumed_ += message.size;
    wanted_.store(0, std::memory_order_relaxed);
    return true;
  }
  if (large_ == Large::used) end_large();
  return next_small(message);
}

[[gnu::cold]] void Framer::received_large(std::size_t size) noexcept {
  own_large_->received(size);
  if (own_large_->is_whole()) large_ = Large::whole;
}

void Framer::end_large() noexcept {
  own_large_->end();
  large_ = Large::expected;
}

[[gnu::cold]] base::ByteSpan Framer::space_for_large() {
  if (expects_none_ != 0) {
    --expects_none_;
  } else {
    expects_many_ = streams_;
  }
  if (large_ == Large::filling) return own_large_->space();
  if (large_ == Large::used) end_large();
  const bool next = large_ == Large::expected;
  if (next) large_ = Large::none;
  const base::ByteSpan space = space_in_buffer();
  // What comes with the beginning of a large message has to be copied, and the rest would come to an odd address, which
  // the system copies to more slowly. The next beginning is probably as long as the last one.
  return next && end_ == 0 ? space.first(std::min(space.size(), own_large_->head_size())) : space;
}

base::ByteSpan Framer::space_with_care() {
  if (large_ != Large::none) [[unlikely]]
    return space_for_large();
  return space_in_buffer();
}

/// After a receive that filled the buffer, and with each of a buffer that is very large: is it too small for what comes
/// at a time, or do others lack what a message has left behind? Neither is a reason to fail.
void Framer::adapt() noexcept {
  const bool looks = std::exchange(looks_, capacity_ > kBusyCapacity);
  if (!account_->plenty()) {
    account_->give(joined_.cost());
    joined_ = {};
    if (capacity_ > kBusyCapacity && largest_message_ == 0 && end_ == 0) clear();
  } else if (looks && capacity_ < kBusyCapacity && account_->take_of_plenty(capacity_) && !resize(capacity_ * 2)) {
    account_->give(capacity_);
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
    std::memcpy(data_, rest.data(), rest.size());
    end_ = rest.size();
  }
  consumed_ = other.consumed_;
}

}  // namespace corbel::connection
