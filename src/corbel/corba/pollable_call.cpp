// SPDX-License-Identifier: Apache-2.0
#include "corbel/corba/pollable_call.hpp"

#include <chrono>
#include <mutex>
#include <new>
#include <utility>

#include "corbel/corba/poll_signal.hpp"

namespace corbel::corba {
namespace {
using State = PollableCall::State;
}

struct PollableCall::Shared {
  base::Mutex mutex;  // guards what follows, and what changes the state from pending
  base::SharedPtr<PollSignal> signal;
  std::uint64_t number = 0;  // there
  bool elsewhere = false;
};

PollableCall::PollableCall(const Operation& operation) : AsyncCall(operation) {
  static_assert(sizeof(Shared) <= kSharedSize && alignof(Shared) <= alignof(void*));
  ::new (static_cast<void*>(shared_)) Shared;
}

PollableCall::~PollableCall() {
  shared().~Shared();
}

PollableCall::Shared& PollableCall::shared() const noexcept {
  return *std::launder(reinterpret_cast<Shared*>(shared_));
}

base::Deadline PollableCall::deadline_of(std::uint32_t timeout) noexcept {
  return timeout == UINT32_MAX ? base::Deadline::none()
                               : base::Deadline::no_sooner_than(std::chrono::milliseconds(timeout));
}

State PollableCall::await(std::uint32_t timeout) {
  if (state() == State::pending) {
    // Once complete() has begun to deliver, the state says more than whether it has returned.
    (void)(timeout == 0 ? poll() : wait(deadline_of(timeout)));
  }
  return state();
}

bool PollableCall::take() noexcept {
  State ready = State::ready;
  State taken = State::taken;
  return __atomic_compare_exchange(&state_, &ready, &taken, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

bool PollableCall::enter(const base::SharedPtr<PollSignal>& signal, std::uint64_t number) noexcept {
  {
    const std::lock_guard lock(shared().mutex);
    if (shared().signal != nullptr) return false;
    shared().signal = signal;
    shared().number = number;
  }
  attend();
  return true;
}

void PollableCall::leave() noexcept {
  base::SharedPtr<PollSignal> left;  // goes after the lock
  const std::lock_guard lock(shared().mutex);
  left = std::move(shared().signal);
}

State PollableCall::redirect(bool elsewhere, base::FunctionRef<void()> change) {
  {
    const std::lock_guard lock(shared().mutex);
    const State before = state();
    if (before != State::pending) return elsewhere && !take() ? State::taken : before;
    change();
    shared().elsewhere = elsewhere;
  }
  if (elsewhere) attend();
  return State::pending;
}

void PollableCall::look(base::FunctionRef<void()> look) const {
  const std::lock_guard lock(shared().mutex);
  look();
}

void PollableCall::renew() noexcept {
  const std::lock_guard lock(shared().mutex);
  State ready = State::ready;
  State pending = State::pending;
  __atomic_compare_exchange(&state_, &ready, &pending, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

void PollableCall::wake() noexcept {
  base::SharedPtr<PollSignal> signal;
  {
    const std::lock_guard lock(shared().mutex);
    signal = shared().signal;
  }
  if (signal != nullptr) signal->notify();
}

bool PollableCall::complete_quietly() noexcept {
  const std::lock_guard lock(shared().mutex);
  if (shared().elsewhere || shared().signal != nullptr) return false;
  State ready = State::ready;
  __atomic_store(&state_, &ready, __ATOMIC_RELEASE);
  return true;
}

bool PollableCall::fail_quietly(std::exception_ptr& failure) noexcept {
  failure_ = std::move(failure);
  if (complete_quietly()) return true;
  failure = std::move(failure_);
  return false;
}

void PollableCall::complete(std::exception_ptr failure) noexcept {
  failure_ = std::move(failure);
  bool elsewhere = false;
  base::SharedPtr<PollSignal> signal;
  std::uint64_t number = 0;
  {
    const std::lock_guard lock(shared().mutex);
    elsewhere = shared().elsewhere;
    signal = shared().signal;
    number = shared().number;
    State now = elsewhere ? State::taken : State::ready;
    __atomic_store(&state_, &now, __ATOMIC_RELEASE);
  }
  if (signal != nullptr) signal->notify(number);
  if (!elsewhere) return;
  may_take_long();
  deliver();
}

}  // namespace corbel::corba
