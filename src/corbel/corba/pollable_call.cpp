// SPDX-License-Identifier: Apache-2.0
#include "corbel/corba/pollable_call.hpp"

#include <chrono>
#include <mutex>
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

PollableCall::PollableCall(const Operation& operation) : AsyncCall(operation), shared_(base::make_shared<Shared>()) {}
PollableCall::~PollableCall() = default;

base::Deadline PollableCall::deadline_of(std::uint32_t timeout) noexcept {
  return timeout == UINT32_MAX ? base::Deadline::none() : base::Deadline::after(std::chrono::milliseconds(timeout));
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
    const std::lock_guard lock(shared_->mutex);
    if (shared_->signal != nullptr) return false;
    shared_->signal = signal;
    shared_->number = number;
  }
  attend();
  return true;
}

void PollableCall::leave() noexcept {
  base::SharedPtr<PollSignal> left;  // goes after the lock
  const std::lock_guard lock(shared_->mutex);
  left = std::move(shared_->signal);
}

State PollableCall::redirect(bool elsewhere, base::FunctionRef<void()> change) {
  {
    const std::lock_guard lock(shared_->mutex);
    const State before = state();
    if (before != State::pending) return elsewhere && !take() ? State::taken : before;
    change();
    shared_->elsewhere = elsewhere;
  }
  if (elsewhere) attend();
  return State::pending;
}

void PollableCall::look(base::FunctionRef<void()> look) const {
  const std::lock_guard lock(shared_->mutex);
  look();
}

void PollableCall::renew() noexcept {
  const std::lock_guard lock(shared_->mutex);
  State ready = State::ready;
  State pending = State::pending;
  __atomic_compare_exchange(&state_, &ready, &pending, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

void PollableCall::wake() noexcept {
  base::SharedPtr<PollSignal> signal;
  {
    const std::lock_guard lock(shared_->mutex);
    signal = shared_->signal;
  }
  if (signal != nullptr) signal->notify();
}

bool PollableCall::complete_quietly() noexcept {
  const std::lock_guard lock(shared_->mutex);
  if (shared_->elsewhere || shared_->signal != nullptr) return false;
  State ready = State::ready;
  __atomic_store(&state_, &ready, __ATOMIC_RELEASE);
  return true;
}

void PollableCall::complete(std::exception_ptr failure) noexcept {
  failure_ = std::move(failure);
  bool elsewhere = false;
  base::SharedPtr<PollSignal> signal;
  std::uint64_t number = 0;
  {
    const std::lock_guard lock(shared_->mutex);
    elsewhere = shared_->elsewhere;
    signal = shared_->signal;
    number = shared_->number;
    State now = elsewhere ? State::taken : State::ready;
    __atomic_store(&state_, &now, __ATOMIC_RELEASE);
  }
  if (signal != nullptr) signal->notify(number);
  if (!elsewhere) return;
  may_take_long();
  deliver();
}

}  // namespace corbel::corba
