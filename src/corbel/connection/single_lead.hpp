// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include "corbel/base/fork.hpp"
#include "corbel/base/function_ref.hpp"
#include "corbel/reactor/reactor.hpp"

namespace corbel::connection {

/// Which thread runs the reactor of a server without a pool: one at a time, which may do so again from what it runs.
class SingleLead {
 public:
  explicit SingleLead(reactor::Reactor& reactor) noexcept : reactor_(reactor) {}

  /// Runs `work`, unless another thread has the lead: false then.
  bool try_lead(base::FunctionRef<void()> work) {
    if (!take()) return false;
    const Held held{*this};
    work();
    return true;
  }
  /// Runs `work` when no other thread has the lead any more; at once, if the reactor has stopped (in the child of a
  /// fork(), too, where the lock may be held by a thread that is gone).
  void lead(base::FunctionRef<void()> work) {
    while (!reactor_.stopped() && !try_lead(work)) {
      std::unique_lock lock(mutex_);
      given_.wait(lock, [this] { return depth_ == 0 || reactor_.stopped(); });
    }
  }
  /// The reactor has stopped: threads that wait for the lead need not.
  void wake() noexcept {
    const std::lock_guard lock(mutex_);
    given_.notify_all();
  }
  /// True if the calling thread has it.
  bool mine() noexcept {
    const std::lock_guard lock(mutex_);
    return depth_ != 0 && leader_ == std::this_thread::get_id();
  }

 private:
  struct Held {
    SingleLead& lead;
    ~Held() { lead.give(); }
  };

  bool take() {
    const std::lock_guard lock(mutex_);
    if (depth_ != 0 && leader_ != std::this_thread::get_id()) return false;
    leader_ = std::this_thread::get_id();
    ++depth_;
    return true;
  }
  void give() noexcept {
    if (generation_ != base::process_generation()) return;  // forked by what it ran
    const std::lock_guard lock(mutex_);
    if (--depth_ == 0) given_.notify_all();
  }

  reactor::Reactor& reactor_;
  const std::uint32_t generation_ = base::process_generation();
  std::mutex mutex_;  // guards what follows
  std::condition_variable given_;
  std::thread::id leader_;
  unsigned depth_ = 0;
};

}  // namespace corbel::connection
