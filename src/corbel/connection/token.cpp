// SPDX-License-Identifier: Apache-2.0
#include "corbel/connection/token.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>
#include <thread>

namespace corbel::connection {

/// Most tokens are never waited for, and it is larger than all the rest of them.
struct Token::Room {
  std::mutex mutex;
  std::condition_variable changed;
};

Token::~Token() {
  delete room_.load(std::memory_order_relaxed);
}

/// A thread that waits leaves the token marked as wanted: when it gets free, one of the waiting threads is woken, and
/// marks it again.
bool Token::wait(base::Deadline deadline) noexcept {
  Room* room = room_.load(std::memory_order_acquire);
  if (room == nullptr) {
    auto* const made = new (std::nothrow) Room;
    if (made == nullptr) return wait_without_room(deadline);
    if (room_.compare_exchange_strong(room, made, std::memory_order_acq_rel)) {
      room = made;
    } else {
      delete made;  // another thread's is there
    }
  }
  std::unique_lock lock(room->mutex);
  while (state_.exchange(State::wanted, std::memory_order_acq_rel) != State::free) {
    if (deadline.expired()) return false;
    if (deadline.is_none()) {
      room->changed.wait(lock);
    } else {
      room->changed.wait_for(lock, deadline.remaining());
    }
  }
  return true;
}

/// There is no memory: looks now and then.
bool Token::wait_without_room(base::Deadline deadline) noexcept {
  constexpr base::Duration kNap = std::chrono::milliseconds(1);
  while (!try_lock()) {
    if (deadline.expired()) return false;
    std::this_thread::sleep_for(deadline.is_none() ? kNap : std::min(kNap, deadline.remaining()));
  }
  return true;
}

void Token::wake() noexcept {
  Room& room = *room_.load(std::memory_order_acquire);  // whoever wanted it has made it
  // A thread that has marked the token and does not sleep yet has the mutex.
  const std::lock_guard lock(room.mutex);
  room.changed.notify_one();
}

}  // namespace corbel::connection
