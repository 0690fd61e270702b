// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>

#include "corbel/base/condition.hpp"
#include "corbel/base/mutex.hpp"

namespace corbel::corba {

/// What threads sleep on that wait for the first of several calls. Shared by a pollable set and the calls in it, which
/// may end after the set has gone. Thread-safe.
class PollSignal {
 public:
  /// Something has changed: a call is over, or the set is not what it was.
  void notify() noexcept {
    const std::lock_guard lock(mutex_);
    ++changes_;
    changed_.notify_all();
  }
  std::uint64_t changes() noexcept {
    const std::lock_guard lock(mutex_);
    return changes_;
  }
  /// Sleeps until there have been more changes than `seen`. False if there were none by the deadline.
  bool wait(std::uint64_t seen, base::Deadline deadline) {
    std::unique_lock lock(mutex_);
    return changed_.wait(lock, deadline, [&] { return changes_ != seen; });
  }

 private:
  base::Mutex mutex_;  // guards what follows
  base::Condition changed_;
  std::uint64_t changes_ = 0;
};

}  // namespace corbel::corba
