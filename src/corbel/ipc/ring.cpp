// SPDX-License-Identifier: Apache-2.0
#include "corbel/ipc/ring.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "corbel/ipc/os_error.hpp"
#include "corbel/ipc/transfer.hpp"

namespace corbel::ipc {
namespace {

using base::Code;
using base::Deadline;
using base::Stage;
using Word = std::atomic<std::uint32_t>;

static_assert(Word::is_always_lock_free && sizeof(Word) == 4);

constexpr std::size_t kMinCapacity = 64;
constexpr std::size_t kMaxCapacity = std::size_t{1} << 30;

long futex(Word& word, int operation, std::uint32_t value, const timespec* timeout) noexcept {
  return ::syscall(SYS_futex, &word, operation, value, timeout, nullptr, 0);
}

/// Tells the processor that this is a loop that waits.
void pause_processor() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

// Why nobody sleeps for ever: a sleeper first notes the futex, then says that it sleeps, then looks again; the other
// side first publishes, then looks whether anybody sleeps, and if so changes the futex before it wakes. All four steps
// that meet are sequentially consistent.

base::Status RingEnd::attach(base::ByteSpan area, bool produces) noexcept {
  static_assert(2 * sizeof(Block) == kHeaderSize);
  const std::size_t capacity = area.size() > kHeaderSize ? area.size() - kHeaderSize : 0;
  if (capacity < kMinCapacity || capacity > kMaxCapacity || !std::has_single_bit(capacity) ||
      reinterpret_cast<std::uintptr_t>(area.data()) % alignof(Block) != 0) {
    return base::error(Stage::configure, Code::bad_argument);
  }
  auto* const blocks = reinterpret_cast<Block*>(area.data());
  own_ = &blocks[produces ? 0 : 1];
  peer_ = &blocks[produces ? 1 : 0];
  data_ = area.subspan(kHeaderSize);
  produces_ = produces;
  return {};
}

void RingEnd::wake(Block& sleeper) noexcept {
  sleeper.sleeps.store(0, std::memory_order_relaxed);
  sleeper.futex.fetch_add(1, std::memory_order_seq_cst);
  futex(sleeper.futex, FUTEX_WAKE, 1, nullptr);
}

void RingEnd::wake_peer() noexcept {
  wake(*peer_);
  if (peer_event_ != nullptr) peer_event_->set();
}

void RingEnd::close() noexcept {
  if (own_ == nullptr) return;
  own_->closed.store(1, std::memory_order_seq_cst);
  wake_peer();
  wake(*own_);  // a thread of this process may sleep in an operation
}

base::Result<std::uint32_t> RingEnd::peer_moved(Stage stage) noexcept {
  const std::uint32_t peer = peer_->moved.load(std::memory_order_seq_cst);
  const std::uint32_t under_way = produces_ ? moved_ - peer : peer - moved_;
  broken_ = broken_ || under_way > data_.size();
  if (broken_) return base::error(stage, Code::malformed);
  return peer;
}

void RingEnd::publish(std::uint32_t count) noexcept {
  moved_ += count;
  own_->moved.store(moved_, std::memory_order_seq_cst);
  if (peer_->sleeps.load(std::memory_order_seq_cst) != 0) wake_peer();
}

bool RingEnd::nothing_new(std::uint32_t seen) const noexcept {
  return peer_->moved.load(std::memory_order_seq_cst) == seen && peer_->closed.load(std::memory_order_seq_cst) == 0 &&
         own_->closed.load(std::memory_order_seq_cst) == 0;
}

base::Result<bool> RingEnd::arm() noexcept {
  own_->sleeps.store(1, std::memory_order_seq_cst);
  const bool closed =
      peer_->closed.load(std::memory_order_seq_cst) != 0 || own_->closed.load(std::memory_order_seq_cst) != 0;
  CORBEL_TRY(const std::uint32_t peer, peer_moved(produces_ ? Stage::send : Stage::receive));
  const bool ready = closed || (produces_ ? moved_ - peer < data_.size() : peer != moved_);
  if (ready) own_->sleeps.store(0, std::memory_order_relaxed);
  return ready;
}

base::Status RingEnd::sleep(std::uint32_t seen, Deadline deadline, Stage stage) noexcept {
  if (deadline.is_now()) return base::error(stage, Code::would_block);
  const auto look = [&] {
    for (int i = 0; i < 64; ++i) {  // the clock costs more than a look
      if (!nothing_new(seen)) return true;
      pause_processor();
    }
    return false;
  };
  if (spin_.until(deadline, look)) return {};
  const std::uint32_t before = own_->futex.load(std::memory_order_seq_cst);
  own_->sleeps.store(1, std::memory_order_seq_cst);
  if (nothing_new(seen)) {
    timespec timeout{};
    if (!deadline.is_none()) {
      const std::int64_t left = deadline.remaining().count();
      if (left == 0) return base::error(stage, Code::timed_out);
      timeout = {.tv_sec = left / 1'000'000'000, .tv_nsec = left % 1'000'000'000};
    }
    futex(own_->futex, FUTEX_WAIT, before, deadline.is_none() ? nullptr : &timeout);
  }
  own_->sleeps.store(0, std::memory_order_relaxed);
  return {};
}

base::Result<RingProducer> RingProducer::attach(base::ByteSpan area) noexcept {
  RingProducer end;
  CORBEL_CHECK(end.RingEnd::attach(area, true));
  return end;
}

base::Result<RingConsumer> RingConsumer::attach(base::ByteSpan area) noexcept {
  RingConsumer end;
  CORBEL_CHECK(end.RingEnd::attach(area, false));
  return end;
}

base::Result<std::size_t> RingProducer::send(base::ConstByteSpan data, Deadline deadline) noexcept {
  if (data.empty()) return std::size_t{0};
  for (;;) {
    if (own_->closed.load(std::memory_order_relaxed) != 0) return base::error(Stage::send, Code::cancelled);
    if (peer_->closed.load(std::memory_order_relaxed) != 0) return base::error(Stage::send, Code::lost);
    CORBEL_TRY(const std::uint32_t taken, peer_moved(Stage::send));
    const std::size_t free = data_.size() - (moved_ - taken);
    if (free != 0) {
      const std::size_t count = std::min(free, data.size());
      const std::size_t at = moved_ & (data_.size() - 1);
      const std::size_t first = std::min(count, data_.size() - at);
      std::memcpy(data_.data() + at, data.data(), first);
      std::memcpy(data_.data(), data.data() + first, count - first);
      publish(static_cast<std::uint32_t>(count));
      return count;
    }
    CORBEL_CHECK(sleep(taken, deadline, Stage::send));
  }
}

base::Result<std::size_t> RingConsumer::recv(base::ByteSpan room, Deadline deadline) noexcept {
  if (room.empty()) return std::size_t{0};
  for (;;) {
    if (own_->closed.load(std::memory_order_relaxed) != 0) return base::error(Stage::receive, Code::cancelled);
    const bool ended = peer_->closed.load(std::memory_order_acquire) != 0;  // before looking what was sent last
    CORBEL_TRY(const std::uint32_t given, peer_moved(Stage::receive));
    const std::size_t there = given - moved_;
    if (there != 0) {
      const std::size_t count = std::min(there, room.size());
      const std::size_t at = moved_ & (data_.size() - 1);
      const std::size_t first = std::min(count, data_.size() - at);
      std::memcpy(room.data(), data_.data() + at, first);
      std::memcpy(room.data() + first, data_.data(), count - first);
      publish(static_cast<std::uint32_t>(count));
      return count;
    }
    if (ended) return std::size_t{0};
    CORBEL_CHECK(sleep(given, deadline, Stage::receive));
  }
}

base::Status RingProducer::send_n(base::ConstByteSpan data, Deadline deadline, std::size_t* sent) noexcept {
  ConstIoVector one(data);
  return sendv_n({&one, 1}, deadline, sent);
}

base::Status RingProducer::sendv_n(std::span<ConstIoVector> list, Deadline deadline, std::size_t* sent) noexcept {
  return detail::transfer_all<false>(
      list, sent,
      [&](std::span<ConstIoVector> left) {
        return send({left.front().data(), left.front().size()}, deadline);
      },
      [](const base::Error& error) { return base::Status(error); });
}

base::Status RingConsumer::recv_n(base::ByteSpan room, Deadline deadline, std::size_t* received) noexcept {
  IoVector one(room);
  return recvv_n({&one, 1}, deadline, received);
}

base::Status RingConsumer::recvv_n(std::span<IoVector> list, Deadline deadline, std::size_t* received) noexcept {
  return detail::transfer_all<true>(
      list, received,
      [&](std::span<IoVector> left) {
        return recv({left.front().data(), left.front().size()}, deadline);
      },
      [](const base::Error& error) { return base::Status(error); });
}

}  // namespace corbel::ipc
