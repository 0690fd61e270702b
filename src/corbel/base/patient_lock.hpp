// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sched.h>

#include <chrono>
#include <mutex>
#include <thread>

#include "corbel/base/deadline.hpp"
#include "corbel/base/mutex.hpp"

namespace corbel::base {

/// The lock, or none after `patience`: the thread that holds it is stuck in the system, or does not exist in this
/// process, which was forked off meanwhile. For locks that nothing depends on but a log.
inline std::unique_lock<Mutex> lock_patiently(Mutex& mutex, Duration patience) noexcept {
  std::unique_lock lock(mutex, std::try_to_lock);
  if (lock.owns_lock()) return lock;
  const auto deadline = Deadline::after(patience);
  for (int tries = 0; !lock.try_lock() && !deadline.expired(); ++tries) {
    if (tries < 100) {
      ::sched_yield();
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  return lock;
}

}  // namespace corbel::base
