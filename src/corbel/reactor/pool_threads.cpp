// SPDX-License-Identifier: Apache-2.0
// The threads of a pool as things that are started, end and are joined; what they do is in thread_pool.cpp.
#include <cerrno>
#include <exception>
#include <new>

#include "corbel/base/log.hpp"
#include "corbel/reactor/thread_pool.hpp"

namespace corbel::reactor {

base::Status ThreadPool::start() {
  for (unsigned i = 0; i < options_.min_threads; ++i) {
    {
      const std::lock_guard guard(mutex_);
      ++threads_;
    }
    CORBEL_CHECK(spawn(false));
  }
  return {};
}

/// Starts a thread that is counted already, with a turn to lead or without.
base::Status ThreadPool::spawn(bool has_turn) {
  reap();
  try {
    const std::lock_guard guard(list_mutex_);
    const auto self = live_.emplace(live_.end());
    try {
      *self = PoolThread([this, self, has_turn] { thread_main(self, has_turn); }, options_.stack_size);
      return {};
    } catch (...) {
      live_.erase(self);
      throw;
    }
  } catch (const std::exception& failure) {  // no more threads or memory; those there are carry on
    unsigned threads = 0;
    {
      const std::lock_guard guard(mutex_);
      threads = --threads_;
      if (has_turn) miss_turn();
    }
    CORBEL_LOG(*options_.log, reactor, warning, "a thread could not be started", {"threads", threads},
               {"error", failure.what()}, {"limit", "ulimit -u, pids.max of the cgroup, memory; fewer: -ORBThreads"});
    const bool memory = dynamic_cast<const std::bad_alloc*>(&failure) != nullptr;
    return base::error(base::Stage::configure, base::Code::out_of_resources, memory ? ENOMEM : EAGAIN);
  }
}

/// With the mutex: the thread that was to lead could not be started. Another one does, if only later: whoever keeps a
/// thread that it could do without is asked for it.
void ThreadPool::miss_turn() noexcept {
  turn_given_ = false;
  if (led_) return;
  if (followers_ != nullptr) return wake(&followers_, true);
  set_lack(kLeader, true);
}

bool ThreadPool::join(base::Deadline deadline) noexcept {
  bool ended = false;
  {
    std::unique_lock lock(list_mutex_);
    while (!live_.empty() && !deadline.expired()) {
      if (deadline.is_none()) {
        all_ended_.wait(lock);
      } else {
        all_ended_.wait_for(lock, deadline.remaining());
      }
    }
    ended = live_.empty();
  }
  reap();
  return ended;
}

/// Joins the threads that have ended.
void ThreadPool::reap() noexcept {
  Threads ended;
  {
    const std::lock_guard guard(list_mutex_);
    ended.swap(ended_);
  }
  for (PoolThread& thread : ended) thread.join();
}

}  // namespace corbel::reactor
