// SPDX-License-Identifier: Apache-2.0
#include "corbel/connection/own_threads.hpp"

#include <pthread.h>

#include <new>
#include <system_error>
#include <utility>

namespace corbel::connection {

using base::Code;
using base::Stage;

base::Status OwnThreads::start(std::function<void()> work) noexcept {
  if (left_behind_) return base::error(Stage::configure, Code::cancelled);
  Threads ended;
  Threads fresh;
  base::Status status;
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return base::error(Stage::configure, Code::cancelled);
    ended.swap(ended_);
    try {
      fresh.emplace_back();
      fresh.back() = std::thread([this, self = fresh.begin(), work = std::move(work)] { run(self, work); });
      live_.splice(live_.end(), fresh);
    } catch (const std::system_error& error) {
      status = base::error(Stage::configure, Code::out_of_resources, error.code().value());
    } catch (const std::bad_alloc&) {
      status = base::error(Stage::configure, Code::out_of_resources);
    }
  }
  for (std::thread& thread : ended) thread.join();
  return status;
}

void OwnThreads::run(Threads::iterator self, const std::function<void()>& work) noexcept {
  ::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, nullptr);  // as PoolThread
  work();
  const std::lock_guard lock(mutex_);
  ended_.splice(ended_.end(), live_, self);
  changed_.notify_all();
}

bool OwnThreads::join(base::Deadline deadline) noexcept {
  if (left_behind_) return true;
  Threads ended;
  bool all = false;
  {
    std::unique_lock lock(mutex_);
    closed_ = true;
    while (!live_.empty() && !deadline.expired()) {
      if (deadline.is_none()) {
        changed_.wait(lock);
      } else {
        changed_.wait_for(lock, deadline.remaining());
      }
    }
    all = live_.empty();
    ended.swap(ended_);
  }
  for (std::thread& thread : ended) thread.join();
  return all;
}

/// The child has none of these threads, and must not touch the objects that stand for them.
void OwnThreads::after_fork() noexcept {
  left_behind_ = true;
  (void)new (std::nothrow) Threads(std::move(live_));
  (void)new (std::nothrow) Threads(std::move(ended_));
}

}  // namespace corbel::connection
