// SPDX-License-Identifier: Apache-2.0
#include "corbel/connection/token.hpp"

namespace corbel::connection {

/// A thread that waits leaves the token marked as wanted: when it gets free, one of the waiting threads is woken, and
/// marks it again.
bool Token::wait(base::Deadline deadline) noexcept {
  std::unique_lock lock(mutex_);
  while (state_.exchange(State::wanted, std::memory_order_acquire) != State::free) {
    if (deadline.expired()) return false;
    if (deadline.is_none()) {
      changed_.wait(lock);
    } else {
      changed_.wait_for(lock, deadline.remaining());
    }
  }
  return true;
}

void Token::wake() noexcept {
  // A thread that has marked the token and does not sleep yet has the mutex.
  const std::lock_guard lock(mutex_);
  changed_.notify_one();
}

}  // namespace corbel::connection
