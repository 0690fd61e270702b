// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/call_carrier.hpp"

#include <mutex>
#include <utility>

#include "corbel/base/condition.hpp"
#include "corbel/base/log.hpp"
#include "corbel/base/thread_end.hpp"
#include "corbel/corba/failure.hpp"
#include "corbel/orb/current_exception.hpp"

namespace corbel::orb {

/// A thread that sleeps. It is on its stack, so that a call which no thread waits for does not pay for it.
struct CallCarrier::Waiter {
  base::Condition woken;
  Waiter* next = nullptr;
};

bool CallCarrier::wait(base::Deadline until) {
  for (;;) {
    const std::uint32_t seen = state();
    if (is_over(seen)) return true;
    if (until.expired()) return false;
    if (help(until)) {
      finish();
    } else if (changes_of(state()) == changes_of(seen)) {
      if (!until.expired() && completions_.take(*this)) {
        finish();
      } else {
        sleep(seen, until);
      }
    }
  }
}

bool CallCarrier::poll() {
  if (!is_over(state()) && (help(base::Deadline::now()) || completions_.take(*this))) finish();
  return is_over(state());
}

/// A thread that changes it either sees that it is awaited, or has done so before this looks.
void CallCarrier::sleep(std::uint32_t seen, base::Deadline until) {
  reactor::ThreadPool::promote_follower();
  Waiter self;
  std::unique_lock lock(mutex_);
  self.next = std::exchange(waiters_, &self);
  state_.fetch_or(kAwaited, std::memory_order_acq_rel);
  while (changes_of(state_.load(std::memory_order_acquire)) == changes_of(seen) && !until.expired())
    self.woken.wait(lock, until);
  Waiter** link = &waiters_;
  while (*link != &self) link = &(*link)->next;
  *link = self.next;
  if (waiters_ == nullptr) state_.fetch_and(~kAwaited, std::memory_order_acq_rel);
}

void CallCarrier::wake() noexcept {
  const std::lock_guard lock(mutex_);
  for (Waiter* each = waiters_; each != nullptr; each = each->next) each->woken.notify_one();
}

void CallCarrier::report_thrown() noexcept {
  CORBEL_LOG(completions_.log(), client, warning, "reply handler threw", {"operation", call_.operation().name},
             {"type", current_exception_type()}, {"what", what_was_thrown()});
  base::call_off_thread_end();
}

void CallCarrier::complete(std::exception_ptr failure) noexcept {
  if (!call_.completes_at_once()) may_take_long();
  if (failure) failure = corba::end_of_own_call(std::move(failure));
  call_.complete(std::move(failure));
  change(kDone);
  withdraw();
}

void CallCarrier::withdraw() noexcept {
  (void)base::IntrusivePtr<corba::AsyncCall>::adopt(&call_);
}

}  // namespace corbel::orb
