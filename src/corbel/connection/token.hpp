// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "corbel/base/deadline.hpp"

namespace corbel::connection {

/// The right to send over a connection, one message at a time: a mutex that can be waited for until a deadline, since
/// the thread that has it may be waiting for a slow peer. Taking it while it is free and giving it back while no thread
/// waits is one atomic instruction each. Meets the Lockable requirements.
class Token {
 public:
  Token() noexcept = default;
  ~Token();
  Token(const Token&) = delete;
  Token& operator=(const Token&) = delete;

  bool try_lock() noexcept {
    auto free = State::free;
    return state_.compare_exchange_strong(free, State::held, std::memory_order_acquire, std::memory_order_relaxed);
  }
  void lock() noexcept { (void)lock_until(base::Deadline::none()); }
  /// False if it did not get free by the deadline.
  bool lock_until(base::Deadline deadline) noexcept { return try_lock() || wait(deadline); }
  void unlock() noexcept {
    if (state_.exchange(State::free, std::memory_order_acq_rel) == State::wanted) [[unlikely]]
      wake();
  }

 private:
  enum class State : std::uint8_t { free, held, wanted };

  struct Room;

  bool wait(base::Deadline deadline) noexcept;
  bool wait_without_room(base::Deadline deadline) noexcept;
  void wake() noexcept;

  std::atomic<State> state_{State::free};
  std::atomic<Room*> room_{nullptr};  // owned; where threads wait, made by the first that has to
};

}  // namespace corbel::connection
