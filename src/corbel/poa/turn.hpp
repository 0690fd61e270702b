// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "corbel/base/deadline.hpp"

namespace corbel::poa {

/// Lets threads into the application one at a time. The thread that has the turn may take it again, and gives it back
/// as often. Waits are bounded, other than those for a mutex: it is not known how long the application takes.
class Turn {
 public:
  Turn() = default;
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  /// False if others have it until the deadline.
  bool take(base::Deadline deadline) {
    if (is_mine()) {
      ++depth_;
      return true;
    }
    std::unique_lock lock(mutex_);
    while (owner_.load(std::memory_order_relaxed) != std::thread::id()) {
      if (deadline.is_none()) {
        free_.wait(lock);
      } else if (deadline.expired()) {
        return false;
      } else {
        free_.wait_for(lock, deadline.remaining());
      }
    }
    owner_.store(std::this_thread::get_id(), std::memory_order_relaxed);
    depth_ = 1;
    return true;
  }
  /// As take(), if nobody else has it now.
  bool take_now() { return take(base::Deadline::now()); }
  void give_back() noexcept {
    if (--depth_ != 0) return;
    const std::lock_guard lock(mutex_);
    owner_.store(std::thread::id(), std::memory_order_relaxed);
    free_.notify_one();
  }
  /// True if the calling thread has it.
  bool is_mine() const noexcept { return owner_.load(std::memory_order_relaxed) == std::this_thread::get_id(); }

 private:
  std::mutex mutex_;
  std::condition_variable free_;
  std::atomic<std::thread::id> owner_{};  // written with the mutex locked
  unsigned depth_ = 0;                    // the owner's
};

}  // namespace corbel::poa
