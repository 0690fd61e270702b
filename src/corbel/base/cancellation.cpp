// SPDX-License-Identifier: Apache-2.0
#include "corbel/base/cancellation.hpp"

#include <mutex>
#include <utility>

namespace corbel::base {
namespace {

constinit thread_local Cancellation* t_current = nullptr;

}  // namespace

Cancellation::Scope::Scope(Cancellation& cancellation) noexcept
    : outer_(std::exchange(t_current, cancellation.is_here() ? &cancellation : nullptr)) {}

Cancellation::Scope::~Scope() {
  t_current = outer_;
}

bool Cancellation::Scope::is_open() noexcept {
  return t_current != nullptr;
}

Cancellation::Wait::Wait(End end, void* what) noexcept : cancellation_(t_current), end_(end), what_(what) {
  if (cancellation_ == nullptr) return;
  const std::lock_guard lock(cancellation_->mutex_);
  next_ = cancellation_->first_;
  if (next_ != nullptr) next_->previous_ = this;
  cancellation_->first_ = this;
}

Cancellation::Wait::~Wait() {
  if (cancellation_ == nullptr) return;
  const std::lock_guard lock(cancellation_->mutex_);
  if (next_ != nullptr) next_->previous_ = previous_;
  (previous_ != nullptr ? previous_->next_ : cancellation_->first_) = next_;
}

bool Cancellation::Wait::cancelled() const noexcept {
  return cancellation_ != nullptr && cancellation_->cancelled_;
}

void Cancellation::cancel() noexcept {
  if (!is_here()) return;
  const std::lock_guard lock(mutex_);
  if (cancelled_.exchange(true)) return;
  for (Wait* wait = first_; wait != nullptr; wait = wait->next_) {
    if (wait->end_ != nullptr) wait->end_(wait->what_);
  }
}

}  // namespace corbel::base
