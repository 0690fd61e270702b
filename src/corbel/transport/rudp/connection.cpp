// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/rudp/connection.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace corbel::transport::rudp {

using base::Code;
using base::Deadline;
using base::Stage;

namespace {

constexpr Time kSoonest = std::chrono::microseconds(200);  // a timer

/// What tells that a datagram has not left, or has found nobody. What may pass by itself is not among it: it counts as
/// lost.
Code failure_of(const base::Error& error) noexcept {
  switch (error.code) {
    case Code::refused:
    case Code::lost:
      return Code::refused;
    case Code::unreachable:
      return Code::unreachable;
    default:
      return Code::none;
  }
}

/// Walks through the octets of a list.
class Cursor {
 public:
  explicit Cursor(std::span<const cdr::Segment> list) noexcept : list_(list) {
    for (const cdr::Segment& each : list) left_ += each.size;
  }
  std::size_t left() const noexcept { return left_; }
  /// As many as the conversation takes.
  void give(Conversation& to) {
    while (left_ != 0) {
      const base::ConstByteSpan piece{static_cast<const base::Octet*>(list_.front().data), list_.front().size};
      const std::size_t taken = to.put(piece.subspan(offset_));
      left_ -= taken;
      offset_ += taken;
      if (offset_ != piece.size()) return;
      list_ = list_.subspan(1);
      offset_ = 0;
    }
  }

 private:
  std::span<const cdr::Segment> list_;
  std::size_t offset_ = 0;  // in the first
  std::size_t left_ = 0;
};

Conversation make_conversation(std::uint64_t token, const Terms& terms, const Offer* offer, Time now) {
  if (offer == nullptr) return Conversation(token, terms, now);
  return Conversation(token, *offer, terms, now);
}

}  // namespace

Connection::Connection(WayPtr way, const ipc::InetAddress& peer, const ipc::InetAddress& here, std::uint64_t token,
                       const Terms& terms, const Offer* offer, base::Duration spin)
    : way_(std::move(way)),
      peer_(peer),
      here_(here),
      accepting_(offer != nullptr),
      send_buffer_(terms.send_buffer),
      spin_(spin),
      conversation_(make_conversation(token, terms, offer, now())),
      datagram_(std::max(terms.datagram, kSmallestDatagram)) {}

// --- going on ---

void Connection::go_on() {
  Lock lock(mutex_);
  settle(lock);
}

bool Connection::hear(const Datagram& datagram) {
  const Lock lock(mutex_);
  conversation_.hear(datagram, now());
  return !conversation_.take_unpaid();
}

void Connection::hear_of_failure(const base::Error& error) {
  const Code code = failure_of(error);
  if (code == Code::none) return;
  const Lock lock(mutex_);
  conversation_.hear_of_failure(code, now());
}

void Connection::settle(Lock& lock) {
  speak();
  come_back();
  wake();
  const bool opened = accepting_ && conversation_.is_open() && !std::exchange(told_open_, conversation_.is_open());
  const bool over = conversation_.is_over() && !std::exchange(forgotten_, conversation_.is_over());
  if (!opened && !over) return lock.unlock();
  const ConnectionPtr self(this);
  lock.unlock();
  if (opened) way_->opened(*this);
  if (over) way_->forget(*this);
}

/// Without memory for one more segment that is tried again, as those under way have timers.
void Connection::speak() try {
  const Time time = now();
  for (std::size_t size = 0; (size = conversation_.next(datagram_, time)) != 0;) {
    const auto sent = way_->send(base::ConstByteSpan(datagram_).first(size), peer_, here_);
    if (sent) continue;
    const Code code = failure_of(sent.error());
    if (code != Code::none) conversation_.hear_of_failure(code, time);
  }
} catch (const std::bad_alloc&) {
}

/// A timer that comes too early is cheaper than one that is moved each time. Without memory for one it is tried again
/// with whatever comes next; callers have deadlines of their own.
void Connection::come_back() try {
  const Time due = conversation_.due();
  if (due >= armed_ && due != kNever) return;
  const Time soonest = now() + kSoonest;
  // One that comes so soon stays: where there is always something to do, it would be put off for ever.
  if (due != kNever && armed_ <= soonest) return;
  // If it cannot be cancelled, it waits for the lock, and comes back here.
  if (armed_ != kNever && !way_->reactor().cancel(timer_)) return;
  armed_ = due;
  if (due == kNever) return;
  armed_ = std::max(due, soonest);
  timer_ = way_->reactor().schedule(reactor::TimePoint(armed_), [self = ConnectionPtr(this)] {
    Lock lock(self->mutex_);
    self->armed_ = kNever;
    self->conversation_.expire(now());
    self->settle(lock);
  });
} catch (const std::bad_alloc&) {
  armed_ = kNever;
}

void Connection::wake() {
  const bool receivable = would_receive();
  receivable_.store(receivable, std::memory_order_release);
  const bool roomy = room_wanted_ != 0 && (!can_send() || conversation_.room() >= room_wanted_);
  const bool settled = opener_waits_ && is_settled();
  if ((reader_waits_ && receivable) || roomy || settled) changed_.notify_all();
  if (!event_.is_open()) return;
  const bool wanted = receivable && !reader_waits_;
  if (std::exchange(event_is_set_, wanted) == wanted) return;
  if (wanted) {
    event_.set();
  } else {
    event_.clear();
  }
}

// --- its user ---

base::Status Connection::wait_until_open(Deadline deadline) {
  Lock lock(mutex_);
  opener_waits_ = true;
  const bool settled = changed_.wait(lock, deadline, [&] { return is_settled(); });
  opener_waits_ = false;
  if (!settled) return base::error(Stage::connect, Code::timed_out);
  // It may be over again; then who uses it is told.
  const Code reason = conversation_.reason();
  if (!conversation_.is_over() || reason == Code::lost || reason == Code::closed) return {};
  return base::error(Stage::connect, reason);
}

base::Result<std::size_t> Connection::send(std::span<const cdr::Segment> data, Deadline deadline, bool some) {
  Cursor cursor(data);
  const std::size_t total = cursor.left();
  if (total == 0) return total;
  const bool late = deadline.expired();
  if (late && !some && !deadline.is_now()) return base::error(Stage::send, Code::timed_out);
  for (;;) {
    Lock lock(mutex_);
    if (!can_send()) return base::error(Stage::send, Code::lost);
    const std::size_t before = cursor.left();
    cursor.give(conversation_);
    if (cursor.left() != before) settle(lock);
    if (cursor.left() == 0) return total;
    if (!lock.owns_lock()) lock.lock();
    // A waiting sender is woken for a good piece of room.
    room_wanted_ = std::min(cursor.left(), std::max<std::size_t>(send_buffer_ / 4, 1));
    const bool ready =
        changed_.wait(lock, deadline, [&] { return !can_send() || conversation_.room() >= room_wanted_; });
    room_wanted_ = 0;
    if (ready) continue;
    if (!some && !deadline.is_now()) return base::error(Stage::send, Code::timed_out);
    if (cursor.left() == total) return base::error(Stage::send, Code::would_block);
    return total - cursor.left();
  }
}

base::Result<std::size_t> Connection::receive(base::ByteSpan buffer, Deadline deadline) {
  if (!deadline.is_now() && !receivable_.load(std::memory_order_acquire)) {
    (void)spin_.until(deadline, [&] { return receivable_.load(std::memory_order_acquire); });
  }
  Lock lock(mutex_);
  if (!would_receive()) {
    if (deadline.is_now()) return base::error(Stage::receive, Code::would_block);
    reader_waits_ = true;
    const bool ready = changed_.wait(lock, deadline, [&] { return would_receive(); });
    reader_waits_ = false;
    if (!ready) return base::error(Stage::receive, Code::timed_out);
  }
  return received(buffer, lock);
}

base::Result<std::size_t> Connection::received(base::ByteSpan buffer, Lock& lock) {
  const std::size_t size = conversation_.read(buffer);
  if (size != 0) {
    settle(lock);
    return size;
  }
  wake();
  if (shut_ || conversation_.has_ended() || conversation_.reason() == Code::closed) {
    return base::error(Stage::receive, Code::closed);
  }
  return base::error(Stage::receive, Code::lost);
}

void Connection::shutdown() {
  Lock lock(mutex_);
  if (std::exchange(shut_, true)) return;
  conversation_.finish();
  settle(lock);
}

void Connection::release() {
  Lock lock(mutex_);
  shut_ = true;
  conversation_.release(now());
  settle(lock);
}

int Connection::handle() {
  const Lock lock(mutex_);
  if (!event_.is_open()) {
    auto event = ipc::Event::open();
    if (!event) return ipc::Handle::kNone;
    event_ = *std::move(event);
    wake();
  }
  return event_.handle();
}

}  // namespace corbel::transport::rudp
