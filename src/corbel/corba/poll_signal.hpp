// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "corbel/base/condition.hpp"
#include "corbel/base/function_ref.hpp"
#include "corbel/base/mutex.hpp"

namespace corbel::corba {

/// What calls tell a pollable set of their end, and what threads sleep on that wait for the first of them. Calls have
/// numbers above 0 there. Shared by the set and its calls, which may end after it has gone. Takes no other lock.
/// Thread-safe.
class PollSignal {
 public:
  /// The set is not what it was.
  void notify() noexcept {
    const std::lock_guard lock(mutex_);
    ++changes_;
    changed_.notify_all();
  }
  /// That call is over.
  void notify(std::uint64_t call) noexcept {
    const std::lock_guard lock(mutex_);
    try {
      over_.push_back(call);
      std::push_heap(over_.begin(), over_.end(), std::greater<>());
    } catch (const std::bad_alloc&) {
      some_unlisted_ = true;
    }
    ++changes_;
    changed_.notify_all();
  }
  /// The lowest of those that are over; 0 if there are none.
  std::uint64_t first_over() noexcept {
    const std::lock_guard lock(mutex_);
    return over_.empty() ? 0 : over_.front();
  }
  /// Forgets `first`, which first_over() was. Unless a lower one has been told of since: then that is what comes next.
  void drop_first(std::uint64_t first) noexcept {
    const std::lock_guard lock(mutex_);
    if (over_.empty() || over_.front() != first) return;
    std::pop_heap(over_.begin(), over_.end(), std::greater<>());
    over_.pop_back();
  }
  /// How many are listed, of calls, too, that have left the set; and forgets those of which `stays` is false.
  std::size_t count() noexcept {
    const std::lock_guard lock(mutex_);
    return over_.size();
  }
  void keep(base::FunctionRef<bool(std::uint64_t)> stays) {
    const std::lock_guard lock(mutex_);
    std::erase_if(over_, [&](std::uint64_t call) { return !stays(call); });
    std::make_heap(over_.begin(), over_.end(), std::greater<>());
  }
  /// Whether, for want of memory, calls are over that are not listed; what it was until now.
  bool some_unlisted(bool now) noexcept {
    const std::lock_guard lock(mutex_);
    return std::exchange(some_unlisted_, now);
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
  std::vector<std::uint64_t> over_;  // a heap
  bool some_unlisted_ = false;
};

}  // namespace corbel::corba
