// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>

#include "corbel/base/mutex.hpp"
#include "corbel/connection/async_reply.hpp"
#include "corbel/connection/completions.hpp"
#include "corbel/corba/async_call.hpp"
#include "corbel/corba/exception_core.hpp"
#include "corbel/reactor/thread_pool.hpp"

namespace corbel::orb {

/// What all asynchronous calls have in common: the reference that keeps the call alive until it is complete, and the
/// threads that wait for that. A call that no thread waits for takes no lock for them.
class CallCarrier : public corba::AsyncCarrier, public connection::AsyncReply {
 public:
  bool wait(base::Deadline until) final;
  bool poll() override;
  bool attended() const noexcept final { return attended_; }
  void let_cancel() noexcept final;
  /// For finish(), too, before code that may keep the thread, but probably does not.
  void may_take_long() noexcept final { reactor::ThreadPool::promote_follower_if_slow(); }
  void report_thrown() noexcept final;

 protected:
  /// `attended`: the ORB has threads that finish it.
  CallCarrier(corba::AsyncCall& call, connection::Completions& completions, bool attended) noexcept
      : completions_(completions), call_(call), attended_(attended) {
    call_.add_reference();
  }
  ~CallCarrier() override = default;

  corba::AsyncCall& call() const noexcept { return call_; }
  /// Takes part with the calling thread if there is something to do for just this call; true if finish() is up to the
  /// caller now.
  virtual bool help(base::Deadline until) = 0;
  /// Ends a call that went well, and the reference to it, if no code of the application runs for that. False if
  /// complete() is still to be called, or withdraw() if is_over().
  [[gnu::always_inline]] bool complete_quietly() noexcept {
    if (!call_.complete_quietly()) return false;
    change(kDone);
    if (!call_.remove_reference()) [[likely]]
      return true;
    call_.add_reference();  // the last: what goes with it may be of the application's types
    return false;
  }
  /// Ends the call and the reference to it: this may be gone afterwards.
  void complete(std::exception_ptr failure) noexcept;
  /// The call will not be carried out after all; no caller is told.
  void withdraw() noexcept;
  void on_queued() noexcept final { change(0); }
  std::uint32_t state() const noexcept { return state_.load(std::memory_order_acquire); }
  static bool is_over(std::uint32_t state) noexcept { return (state & kDone) != 0; }
  /// Until something has changed since the state was `seen`, or the deadline.
  void sleep(std::uint32_t seen, base::Deadline until);
  /// Makes the threads that wait look again.
  void changed() noexcept { change(0); }

  /// For help(): false if the call is about to end. Else what derived classes say is there, with the mutex, until it
  /// has been free once more.
  bool begin_helping() noexcept { return (state_.fetch_or(kHelped, std::memory_order_acq_rel) & kEnding) == 0; }
  /// For finish(), when the call is not to be tried again: true if a thread may be between begin_helping() and the
  /// mutex.
  bool end_helping() noexcept { return (state_.fetch_or(kEnding, std::memory_order_acq_rel) & kHelped) != 0; }

  // --- cancelling: who sets kCancelled ends the call; if kEnding was there before, whoever finishes it does ---

  /// With the mutex: true if the calling thread is to call end_cancelled(). What finish() lets go of after
  /// end_helping() is there as long as the mutex is held.
  bool begin_cancelling() noexcept;
  /// Ends the call as cancelled. The caller keeps the ORB.
  void end_cancelled(corba::Completed completed) noexcept;
  /// The call has ended, or is about to, and not by finish(), which calls withdraw() instead of complete(). After
  /// end_helping() it stays as it is.
  bool cancelled() const noexcept { return (state() & kCancelled) != 0; }

  connection::Completions& completions_;
  base::Mutex mutex_;  // guards the list of threads that wait, and what derived classes say

 private:
  struct Waiter;
  class Later;
  static constexpr std::uint32_t kDone = 1;     // it is over
  static constexpr std::uint32_t kAwaited = 2;  // threads sleep until it is; changes with the mutex held
  static constexpr std::uint32_t kHelped = 4;   // a thread has helped, or is about to
  static constexpr std::uint32_t kEnding = 8;   // no thread begins to
  static constexpr std::uint32_t kCancelled = 16;
  static constexpr std::uint32_t kCancellable = 32;  // while a thread waits, too
  static constexpr std::uint32_t kChange = 64;       // what is above counts changes

  /// What a thread that sleeps sleeps for.
  static std::uint32_t changes_of(std::uint32_t state) noexcept { return state & (kDone | ~(kChange - 1)); }
  void change(std::uint32_t also) noexcept {
    if ((state_.fetch_add(kChange + also, std::memory_order_acq_rel) & kAwaited) != 0) [[unlikely]]
      wake();
  }
  void wake() noexcept;

  corba::AsyncCall& call_;
  const bool attended_;
  std::atomic<std::uint32_t> state_{0};
  Waiter* waiters_ = nullptr;
};

}  // namespace corbel::orb
