// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>
#include <thread>

#include "corbel/base/deadline.hpp"
#include "corbel/base/fork.hpp"
#include "corbel/base/result.hpp"

namespace corbel::connection {

/// Threads that each read one connection: for carriers that have no handle, so that no reactor can wait for them.
/// Thread-safe.
class OwnThreads {
 public:
  OwnThreads() = default;
  ~OwnThreads() { (void)join(); }
  OwnThreads(const OwnThreads&) = delete;
  OwnThreads& operator=(const OwnThreads&) = delete;

  /// Runs `work`, which must not throw, on a thread of its own. Errors (stage configure): out_of_resources; cancelled
  /// after join().
  base::Status start(std::function<void()> work) noexcept;
  /// Waits until all have ended: what they read must have been closed. None begins afterwards. False if some had not by
  /// the deadline.
  bool join(base::Deadline deadline = base::Deadline::none()) noexcept;

 private:
  using Threads = std::list<std::thread>;

  void run(Threads::iterator self, const std::function<void()>& work) noexcept;
  void after_fork() noexcept;

  std::mutex mutex_;  // guards what follows
  Threads live_;
  Threads ended_;  // still to be joined
  std::condition_variable changed_;
  bool closed_ = false;
  bool left_behind_ = false;  // the threads are those of the parent
  base::ForkHook fork_hook_{[](void* self) noexcept { static_cast<OwnThreads*>(self)->after_fork(); }, this};
};

}  // namespace corbel::connection
