// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/call_carrier.hpp"

#include <chrono>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

#include "corbel/base/condition.hpp"
#include "corbel/base/log.hpp"
#include "corbel/base/thread_end.hpp"
#include "corbel/corba/failure.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/orb/current_exception.hpp"
#include "corbel/orb/no_memory.hpp"

namespace corbel::orb {
namespace {

/// How long a thread reads, or sleeps, that waits for a call which another one may cancel, before it does the other.
constexpr base::Duration kLook = std::chrono::milliseconds(20);

std::exception_ptr cancelled_failure(corba::Completed completed) noexcept {
  try {
    corba::raise("TRANSIENT", corba::minor::kRequestCancelled, completed, "the call was cancelled");
  } catch (const std::bad_alloc&) {
    return no_memory_for_arguments();
  } catch (...) {
    return corba::end_of_own_call(std::current_exception());
  }
}

}  // namespace

/// A thread that sleeps. It is on its stack, so that a call which no thread waits for does not pay for it.
struct CallCarrier::Waiter {
  base::Condition woken;
  Waiter* next = nullptr;
};

/// Ends a call that was cancelled while code of the application waits for that, which runs on a thread of the ORB.
class CallCarrier::Later final : public connection::AsyncReply {
 public:
  explicit Later(CallCarrier& carrier) noexcept : carrier_(carrier) {}
  void on_reply(const messaging::IncomingReply& /*reply*/, cdr::Decoder& /*body*/) noexcept override {}
  void on_queued() noexcept override {}
  void finish() noexcept override {
    const std::unique_ptr<Later> self(this);
    carrier_.complete(std::move(failure));
  }

  std::exception_ptr failure;

 private:
  CallCarrier& carrier_;
};

bool CallCarrier::wait(base::Deadline until) {
  for (;;) {
    const std::uint32_t seen = state();
    if (is_over(seen)) return true;
    if (until.expired()) return false;
    base::Deadline stay = until;
    if ((seen & kCancellable) != 0) [[unlikely]] {
      stay = earlier(until, base::Deadline::after(kLook));
      if (attended_) {
        sleep(seen, stay);
        if (changes_of(state()) != changes_of(seen)) continue;
        stay = base::Deadline::now();  // servants may keep all threads of the ORB
      }
    }
    if (help(stay)) {
      finish();
    } else if (changes_of(state()) == changes_of(seen)) {
      if (!until.expired() && completions_.take(*this)) {
        finish();
      } else {
        sleep(seen, stay);
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

void CallCarrier::let_cancel() noexcept {
  state_.fetch_or(kCancellable, std::memory_order_acq_rel);
  attend();
}

bool CallCarrier::begin_cancelling() noexcept {
  std::uint32_t seen = state();
  do {
    if ((seen & (kDone | kEnding | kCancelled)) != 0) return false;
  } while (!state_.compare_exchange_weak(seen, seen | kCancelled | kHelped, std::memory_order_acq_rel));
  return true;
}

void CallCarrier::end_cancelled(corba::Completed completed) noexcept {
  std::exception_ptr failure = cancelled_failure(completed);
  if (call_.fail_quietly(failure)) return change(kDone);
  call_.add_reference();
  if (std::unique_ptr<Later> later(new (std::nothrow) Later(*this)); later != nullptr) {
    later->failure = std::move(failure);  // the exception goes with its catcher
    completions_.push(*later.release());
  } else {
    complete(std::move(failure));
  }
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
