// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "corbel/base/deadline.hpp"

namespace corbel::transport::tls {

/// The right to take octets from the carrier below and to keep them: of the thread that receives, and for moments of
/// one that cannot send before more has come. Taking it while it is free and giving it back while no thread waits is
/// one atomic instruction each. `Mutex` below is the one that guards what the octets are for.
class Intake {
 public:
  bool try_take() noexcept {
    auto free = State::free;
    return state_.compare_exchange_strong(free, State::taken, std::memory_order_acquire, std::memory_order_relaxed);
  }
  /// Without the mutex. False if it did not get free by the deadline.
  bool take(std::mutex& mutex, base::Deadline deadline) {
    if (try_take()) [[likely]]
      return true;
    std::unique_lock lock(mutex);
    while (!deadline.expired()) {
      if (try_take()) return true;
      wait(lock, deadline);
    }
    return try_take();
  }
  /// With the mutex: returns when it may be free, when others have told what they got, or at the deadline.
  void wait(std::unique_lock<std::mutex>& lock, base::Deadline deadline) {
    auto taken = State::taken;
    if (!state_.compare_exchange_strong(taken, State::wanted, std::memory_order_relaxed) && taken == State::free)
      return;
    if (deadline.is_none()) {
      changed_.wait(lock);
    } else {
      changed_.wait_for(lock, deadline.remaining());
    }
  }
  /// With the mutex: what came in was looked at.
  void tell() noexcept { changed_.notify_all(); }

  /// Without the mutex.
  void give(std::mutex& mutex) noexcept {
    if (state_.exchange(State::free, std::memory_order_release) != State::wanted) [[likely]]
      return;
    const std::lock_guard lock(mutex);
    changed_.notify_all();
  }
  /// With the mutex.
  void give(const std::unique_lock<std::mutex>&) noexcept {
    state_.store(State::free, std::memory_order_release);
    changed_.notify_all();
  }

 private:
  enum class State : std::uint8_t { free, taken, wanted };

  std::atomic<State> state_{State::free};
  std::condition_variable changed_;
};

}  // namespace corbel::transport::tls
