// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <utility>

#include "corbel/base/function_ref.hpp"
#include "corbel/base/shared_ptr.hpp"
#include "corbel/corba/async_call.hpp"

namespace corbel::corba {

class PollSignal;

/// An asynchronous call whose end any number of threads may ask for, and one takes (CORBA 3.3 part 1, 7.4).
/// Thread-safe.
class CORBEL_API PollableCall : public AsyncCall {
 public:
  explicit PollableCall(const Operation& operation);
  ~PollableCall() override;

  /// Whether the reply has come, and then whether somebody has taken it.
  enum class State : std::uint8_t { pending, ready, taken };

  State state() const noexcept {
    State now{};
    __atomic_load(&state_, &now, __ATOMIC_ACQUIRE);
    return now;
  }
  /// Waits while the reply has not come, at most for as long as a poll's time-out says: milliseconds, 0 at once,
  /// 0xffffffff for ever. The calling thread reads the reply itself if no other thread does.
  State await(std::uint32_t timeout);
  static constexpr std::uint32_t kForEver = 0xffffffff;
  static base::Deadline deadline_of(std::uint32_t timeout) noexcept;
  /// The reply is the caller's: true for one caller, once it is ready.
  bool take() noexcept;
  /// Throws what the call ended with, if that is an exception; once, for who has taken the reply: it goes with its
  /// catcher, whichever thread is the last to know the call.
  void rethrow_failure() {
    if (failure_ != nullptr) std::rethrow_exception(std::exchange(failure_, nullptr));
  }

  /// Tells the signal when the reply comes, by that number. False if another one is to be told: it is in a pollable set
  /// already.
  bool enter(const base::SharedPtr<PollSignal>& signal, std::uint64_t number) noexcept;
  void leave() noexcept;

  void complete(std::exception_ptr failure) noexcept override;
  bool complete_quietly() noexcept override;
  bool fail_quietly(std::exception_ptr& failure) noexcept override;
  bool completes_at_once() const noexcept final { return true; }

 protected:
  /// While the reply has not come, `change` runs, with the lock, and the reply then goes to deliver() (`elsewhere`) or
  /// to those who poll. If it has come (ready), the caller takes it with `elsewhere`. What was the state.
  State redirect(bool elsewhere, base::FunctionRef<void()> change);
  /// Runs `look` with that lock.
  void look(base::FunctionRef<void()> look) const;
  const std::exception_ptr& failure() const noexcept { return failure_; }
  /// Ready, it is pending again.
  void renew() noexcept;
  /// Threads that wait for a pollable set that it is in look again.
  void wake() noexcept;

 private:
  /// The reply has come and is not for those who poll. Once, with no lock held.
  virtual void deliver() noexcept {}

  struct Shared;
  Shared& shared() const noexcept;
  static constexpr std::size_t kSharedSize = 40;
  alignas(void*) mutable std::byte shared_[kSharedSize];  // a Shared, in place; its headers are not for generated code
  std::exception_ptr failure_;
  State state_ = State::pending;  // of all threads; <atomic> is 6,000 lines
};

}  // namespace corbel::corba
