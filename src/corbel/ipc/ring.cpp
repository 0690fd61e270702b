// SPDX-License-Identifier: Apache-2.0
#include "corbel/ipc/ring.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <chrono>
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

/// For systems without futex_waitv, and sandboxes that forbid it.
constexpr base::Duration kLongestBlindSleep = std::chrono::milliseconds(20);

long futex(const void* word, int operation, std::uint32_t value, const timespec* timeout) noexcept {
  return ::syscall(SYS_futex, word, operation, value, timeout, nullptr, 0);
}

timespec to_timespec(std::int64_t nanoseconds) noexcept {
  return {.tv_sec = nanoseconds / 1'000'000'000, .tv_nsec = nanoseconds % 1'000'000'000};
}

/// Sleeps until one of two words is woken or has changed already: one that the peer can reach, and one that it cannot.
/// May return early.
void wait_for_either(const Word& shared, std::uint32_t seen, const std::uint32_t& own, std::uint32_t own_seen,
                     Deadline deadline) noexcept {
  static std::atomic<bool> two_words{true};
  const std::int64_t left = deadline.remaining().count();
  if (two_words.load(std::memory_order_relaxed)) {
    const futex_waitv words[] = {
        {.val = seen, .uaddr = reinterpret_cast<std::uintptr_t>(&shared), .flags = FUTEX_32, .__reserved = 0},
        {.val = own_seen,
         .uaddr = reinterpret_cast<std::uintptr_t>(&own),
         .flags = FUTEX_32 | FUTEX_PRIVATE_FLAG,
         .__reserved = 0}};
    timespec until{};
    if (!deadline.is_none()) {
      ::clock_gettime(CLOCK_MONOTONIC, &until);
      until = to_timespec(std::int64_t{until.tv_sec} * 1'000'000'000 + until.tv_nsec + left);
    }
    const long woken = ::syscall(SYS_futex_waitv, words, 2, 0, deadline.is_none() ? nullptr : &until, CLOCK_MONOTONIC);
    if (woken >= 0 || (errno != ENOSYS && errno != EPERM)) return;
    two_words.store(false, std::memory_order_relaxed);
  }
  const timespec slice = to_timespec(std::min<std::int64_t>(left, kLongestBlindSleep.count()));
  futex(&shared, FUTEX_WAIT, seen, &slice);
}

/// Tells the processor that this is a loop that waits.
void pause_processor() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

// Why no side sleeps for ever: a sleeper first notes the futex, then says how it sleeps, then looks again. The other
// side first publishes, then looks whether there is a sleeper; a thread that takes that word back wakes in the way that
// it says, changing the futex before it wakes. All steps that meet are sequentially consistent. What this process
// itself has to tell a sleeper goes through a word of its own, which no peer can set back.

constexpr std::uint32_t kAwake = 0;
constexpr std::uint32_t kAsleep = 1;
constexpr std::uint32_t kWaitsForBell = 2;

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

/// Once for each time that the peer says it waits.
void RingEnd::wake_peer() noexcept {
  const std::uint32_t how = peer_->sleeps.exchange(kAwake, std::memory_order_seq_cst);
  if (how == kAwake) return;
  if (how != kAsleep && ring_ != nullptr) return ring_(bell_);
  peer_->futex.fetch_add(1, std::memory_order_seq_cst);
  futex(&peer_->futex, FUTEX_WAKE, 1, nullptr);
}

void RingEnd::stop(Stop why) noexcept {
  std::atomic_ref word(stopped_);
  std::uint32_t before = word.load(std::memory_order_relaxed);
  while (before < static_cast<std::uint32_t>(why) &&
         !word.compare_exchange_weak(before, static_cast<std::uint32_t>(why), std::memory_order_seq_cst)) {
  }
  futex(&stopped_, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1, nullptr);
}

void RingEnd::close() noexcept {
  if (own_ == nullptr) return;
  stop(Stop::closed);
  own_->closed.store(1, std::memory_order_seq_cst);
  // A thread may be about to sleep, and another one wait for the bell.
  peer_->sleeps.store(kAwake, std::memory_order_relaxed);
  peer_->futex.fetch_add(1, std::memory_order_seq_cst);
  futex(&peer_->futex, FUTEX_WAKE, 1, nullptr);
  if (ring_ != nullptr) ring_(bell_);
}

void RingEnd::peer_died() noexcept {
  if (own_ != nullptr) stop(Stop::peer_died);
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
         stopped() == Stop::none;
}

base::Result<bool> RingEnd::arm() noexcept {
  own_->sleeps.store(kWaitsForBell, std::memory_order_seq_cst);
  const bool ended = peer_->closed.load(std::memory_order_seq_cst) != 0 || stopped() != Stop::none;
  CORBEL_TRY(const std::uint32_t peer, peer_moved(produces_ ? Stage::send : Stage::receive));
  const bool ready = ended || (produces_ ? moved_ - peer < data_.size() : peer != moved_);
  if (ready) own_->sleeps.store(kAwake, std::memory_order_relaxed);
  return ready;
}

bool RingEnd::is_armed() const noexcept {
  return own_->sleeps.load(std::memory_order_relaxed) == kWaitsForBell;
}

void RingEnd::stay_armed() noexcept {
  own_->sleeps.store(kWaitsForBell, std::memory_order_seq_cst);
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
  own_->sleeps.store(kAsleep, std::memory_order_seq_cst);
  const bool late = deadline.expired();
  if (nothing_new(seen) && !late) {
    wait_for_either(own_->futex, before, stopped_, static_cast<std::uint32_t>(Stop::none), deadline);
  }
  own_->sleeps.store(kAwake, std::memory_order_relaxed);
  return late && nothing_new(seen) ? base::Status(base::error(stage, Code::timed_out)) : base::Status();
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

base::Result<std::size_t> RingProducer::room(std::uint32_t& taken) noexcept {
  const Stop stop = stopped();
  if (stop == Stop::closed) return base::error(Stage::send, Code::cancelled);
  if (stop != Stop::none || peer_->closed.load(std::memory_order_relaxed) != 0)
    return base::error(Stage::send, Code::lost);
  CORBEL_TRY(taken, peer_moved(Stage::send));
  return data_.size() - (moved_ - taken);
}

base::Result<std::size_t> RingProducer::send(base::ConstByteSpan data, Deadline deadline) noexcept {
  if (data.empty()) return std::size_t{0};
  for (;;) {
    std::uint32_t taken = 0;
    CORBEL_TRY(const std::size_t free, room(taken));
    if (free != 0) {
      const ConstIoVector some(data.first(std::min(free, data.size())));
      CORBEL_CHECK(sendv_n({&some, 1}, Deadline::now()));
      return some.size();
    }
    CORBEL_CHECK(sleep(taken, deadline, Stage::send));
  }
}

base::Status RingProducer::send_n(base::ConstByteSpan data, Deadline deadline, std::size_t* sent) noexcept {
  const ConstIoVector one(data);
  return sendv_n({&one, 1}, deadline, sent);
}

base::Status RingProducer::sendv_n(std::span<const ConstIoVector> list, Deadline deadline, std::size_t* sent) noexcept {
  std::size_t total = 0;
  std::size_t offset = 0;  // in the first of the list
  base::Status status;
  for (;;) {
    while (!list.empty() && offset == list.front().size()) {
      list = list.subspan(1);
      offset = 0;
    }
    if (list.empty()) break;
    std::uint32_t taken = 0;
    const auto free = room(taken);
    if (!free) {
      status = free.error();
      break;
    }
    const std::size_t most = std::min(*free, most_at_once());
    std::size_t count = 0;
    while (count < most && !list.empty()) {
      const base::ConstByteSpan rest = base::ConstByteSpan(list.front().data(), list.front().size()).subspan(offset);
      const base::ConstByteSpan piece = rest.first(std::min(rest.size(), most - count));
      put(count, piece);
      count += piece.size();
      offset += piece.size();
      if (piece.size() != rest.size()) break;
      list = list.subspan(1);
      offset = 0;
    }
    if (count != 0) {
      publish(static_cast<std::uint32_t>(count));
      total += count;
    } else if (status = sleep(taken, deadline, Stage::send); !status) {
      break;
    }
  }
  if (sent != nullptr) *sent = total;
  return status;
}

/// Copies in what comes `ahead` octets behind what has been published.
void RingProducer::put(std::size_t ahead, base::ConstByteSpan piece) noexcept {
  if (piece.empty()) return;
  const std::size_t begin = at(moved_ + static_cast<std::uint32_t>(ahead));
  const std::size_t first = std::min(piece.size(), data_.size() - begin);
  std::memcpy(data_.data() + begin, piece.data(), first);
  std::memcpy(data_.data(), piece.data() + first, piece.size() - first);
}

base::Result<std::size_t> RingConsumer::wait(Deadline deadline) noexcept {
  for (;;) {
    // Before looking what was sent last.
    const Stop stop = stopped();
    const bool ended = peer_->closed.load(std::memory_order_acquire) != 0;
    CORBEL_TRY(std::uint32_t given, peer_moved(Stage::receive));
    if (stop == Stop::closed) [[unlikely]] {
      // A peer that goes on sending must not keep this side.
      if (!last_) last_ = given;
      given = *last_;
      if (given == moved_) return base::error(Stage::receive, Code::cancelled);
    }
    if (given != moved_) return std::size_t{given - moved_};
    if (ended) return std::size_t{0};
    if (stop != Stop::none) return base::error(Stage::receive, Code::lost);
    CORBEL_CHECK(sleep(given, deadline, Stage::receive));
  }
}

base::Result<std::size_t> RingConsumer::recv(base::ByteSpan room, Deadline deadline) noexcept {
  if (room.empty()) return std::size_t{0};
  CORBEL_TRY(const std::size_t there, wait(deadline));
  const std::size_t count = std::min(there, room.size());
  for (std::size_t done = 0; done < count;) {
    const std::size_t size = std::min(count - done, most_at_once());
    const std::size_t first = std::min(size, data_.size() - at(moved_));
    std::memcpy(room.data() + done, data_.data() + at(moved_), first);
    std::memcpy(room.data() + done + first, data_.data(), size - first);
    publish(static_cast<std::uint32_t>(size));
    done += size;
  }
  return count;
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
