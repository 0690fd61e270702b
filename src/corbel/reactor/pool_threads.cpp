// SPDX-License-Identifier: Apache-2.0
// The threads of a pool as things that are started, end and are joined; what they do is in thread_pool.cpp.
#include <exception>

#include "corbel/reactor/thread_pool.hpp"

namespace corbel::reactor {

base::Status ThreadPool::start() {
  for (unsigned i = 0; i < options_.min_threads; ++i) {
    {
      const std::lock_guard guard(mutex_);
      ++threads_;
    }
    if (!spawn(false)) return base::error(base::Stage::configure, base::Code::out_of_resources);
  }
  return {};
}

/// Starts a thread that is counted already, with a turn to lead or without.
bool ThreadPool::spawn(bool has_turn) {
  reap();
  try {
    const std::lock_guard guard(list_mutex_);
    const auto self = live_.emplace(live_.end());
    try {
      *self = std::thread([this, self, has_turn] { thread_main(self, has_turn); });
      return true;
    } catch (...) {
      live_.erase(self);
      throw;
    }
  } catch (const std::exception&) {  // no more threads or memory; those there are carry on
    const std::lock_guard guard(mutex_);
    --threads_;
    if (has_turn) turn_given_ = false;
    return false;
  }
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
  for (std::thread& thread : ended) thread.join();
}

}  // namespace corbel::reactor
