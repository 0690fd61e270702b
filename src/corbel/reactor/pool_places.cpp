// SPDX-License-Identifier: Apache-2.0
// Waiting for a place among those of a pool that are in handlers: by threads of others, and by the leader behind them.
#include "corbel/reactor/thread_pool.hpp"

namespace corbel::reactor {

/// A thread that waits for its turn to run something; lives on that thread's stack. Guarded by the pool's mutex.
struct ThreadPool::Waiter {
  std::condition_variable woken;
  Waiter* next = nullptr;
  bool waits = true;
  bool has_place = false;
};

/// With the mutex. True if the calling thread counts now; false if limits are over.
bool ThreadPool::await_place(std::unique_lock<std::mutex>& lock) noexcept {
  if (stopping_) return false;
  Waiter self;
  Waiter** last = &waiters_;
  while (*last != nullptr) last = &(*last)->next;
  *last = &self;
  set_lack(kPlace, true);
  while (self.waits) self.woken.wait(lock);
  return self.has_place;
}

/// With the mutex: the first of them goes on, with the place of a thread that counts no more or without any. It is gone
/// once the mutex is free.
void ThreadPool::let_go_on(bool with_place) noexcept {
  Waiter& first = *waiters_;
  waiters_ = first.next;
  if (waiters_ == nullptr) set_lack(kPlace, false);
  first.waits = false;
  first.has_place = with_place;
  first.woken.notify_one();
}

}  // namespace corbel::reactor
