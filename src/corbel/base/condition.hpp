// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <mutex>

#include "corbel/base/deadline.hpp"
#include "corbel/base/mutex.hpp"

namespace corbel::base {

/// What threads that hold a Mutex sleep on until another one notifies: a condition variable for Mutex, without the
/// memory that std::condition_variable_any allocates. A thread that notifies has changed what is waited for with the
/// Mutex held, and may still hold it. Sleepers may wake without reason.
class Condition {
 public:
  Condition() noexcept = default;
  Condition(const Condition&) = delete;
  Condition& operator=(const Condition&) = delete;

  /// Lets go of `lock` and sleeps until notified or until the deadline; has the lock again when it returns.
  void wait(std::unique_lock<Mutex>& lock, Deadline deadline = Deadline::none()) {
    {
      // From before the lock is free: no notification can come between looking and sleeping.
      std::unique_lock sleeping(mutex_);
      lock.unlock();
      if (deadline.is_none()) {
        changed_.wait(sleeping);
      } else {
        changed_.wait_for(sleeping, deadline.remaining());
      }
    }
    lock.lock();
  }
  /// Waits until `holds()`, which is asked with the lock; false if it does not by the deadline.
  template <class Holds>
  bool wait(std::unique_lock<Mutex>& lock, Deadline deadline, Holds holds) {
    while (!holds()) {
      if (deadline.expired()) return false;
      wait(lock, deadline);
    }
    return true;
  }
  void notify_one() noexcept {
    const std::lock_guard sleeping(mutex_);
    changed_.notify_one();
  }
  void notify_all() noexcept {
    const std::lock_guard sleeping(mutex_);
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
};

}  // namespace corbel::base
