// SPDX-License-Identifier: Apache-2.0
#include "priorities.hpp"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include <corbel/base/thread_value.hpp>

namespace corbel::real_time {
namespace {

constexpr std::int32_t kMost = 32767;

int class_of(Scheduling scheduling) noexcept {
  switch (scheduling) {
    case Scheduling::fifo:
      return SCHED_FIFO;
    case Scheduling::round_robin:
      return SCHED_RR;
    case Scheduling::other:
      break;
  }
  return SCHED_OTHER;
}

/// Of one thread.
struct Own {
  std::optional<Priority> set;
  std::vector<std::shared_ptr<Held>> requests;  // innermost last

  static Own& here() { return base::ThreadValue<Own>::here(); }
  bool has(const Held& held) const noexcept {
    return std::ranges::any_of(requests, [&](const auto& one) { return one.get() == &held; });
  }
  /// The one that runs now; null if none does.
  Held* innermost() const noexcept {
    for (auto one = requests.rbegin(); one != requests.rend(); ++one) {
      if (!(*one)->over.load(std::memory_order_acquire)) return one->get();
    }
    return nullptr;
  }
  /// What the thread has in the operating system before it is told anything.
  struct Class {
    int policy = 0;
    sched_param parameters{};
  };
  std::optional<Class> first;

  void remember() noexcept {
    Class now;
    if (!first && ::pthread_getschedparam(::pthread_self(), &now.policy, &now.parameters) == 0) first = now;
  }
  void restore() noexcept {
    if (!first) return;
    (void)::pthread_setschedparam(::pthread_self(), first->policy, &first->parameters);
    first.reset();
  }
  std::optional<Priority> priority() const {
    const Held* const runs = innermost();
    return runs == nullptr ? set : std::optional<Priority>(runs->priority);
  }
};

}  // namespace

DefaultMapping::DefaultMapping(Scheduling scheduling) noexcept : lowest_(0), highest_(kMost) {
  if (scheduling == Scheduling::other) return;
  lowest_ = static_cast<std::int16_t>(::sched_get_priority_min(class_of(scheduling)));
  highest_ = static_cast<std::int16_t>(::sched_get_priority_max(class_of(scheduling)));
}

bool DefaultMapping::to_native(std::int16_t corba_priority, std::int16_t& native_priority) {
  if (corba_priority < 0) return false;
  native_priority = static_cast<std::int16_t>(lowest_ + (highest_ - lowest_) * std::int32_t{corba_priority} / kMost);
  return true;
}

bool DefaultMapping::to_CORBA(std::int16_t native_priority, std::int16_t& corba_priority) {
  if (native_priority < lowest_ || native_priority > highest_) return false;
  const std::int32_t range = std::max(highest_ - lowest_, 1);
  corba_priority = static_cast<std::int16_t>(((native_priority - lowest_) * kMost + range - 1) / range);
  return true;
}

Priorities::Priorities(const Settings& settings)
    : scheduling_(settings.scheduling),
      mapping_(settings.mapping != nullptr ? settings.mapping : std::make_shared<DefaultMapping>(settings.scheduling)) {
}

std::optional<Priority> Priorities::get() const {
  return Own::here().priority();
}

Priority Priorities::get_or_native() const {
  if (const auto priority = get()) return *priority;
  int policy = 0;
  sched_param parameters{};
  if (::pthread_getschedparam(::pthread_self(), &policy, &parameters) != 0) return 0;
  std::int16_t priority = 0;
  const auto native = static_cast<std::int16_t>(parameters.sched_priority);
  return mapping_->to_CORBA(native, priority) ? priority : Priority{0};
}

bool Priorities::is_mapped(Priority priority) const {
  std::int16_t native = 0;
  return mapping_->to_native(priority, native);
}

bool Priorities::set(Priority priority) {
  std::int16_t native = 0;
  if (!mapping_->to_native(priority, native)) return false;
  Own& own = Own::here();
  if (Held* const runs = own.innermost()) {
    runs->priority = priority;
  } else {
    own.set = priority;
  }
  (void)tell(native);
  return true;
}

std::shared_ptr<Held> Priorities::begin(Priority priority, std::optional<Priority> rest) {
  std::int16_t native = 0;
  if (!mapping_->to_native(priority, native)) return nullptr;
  settle();
  auto held = std::make_shared<Held>(priority, rest);
  Own::here().requests.push_back(held);
  held->refused = tell(native);
  return held;
}

void Priorities::end(Held& held) noexcept {
  const bool mine = Own::here().has(held);
  held.over.store(true, std::memory_order_release);
  if (mine) settle();
}

void Priorities::settle() noexcept {
  Own& own = Own::here();
  std::shared_ptr<Held> last;
  for (; !own.requests.empty() && own.requests.back()->over.load(std::memory_order_acquire); own.requests.pop_back())
    last = std::move(own.requests.back());
  if (last == nullptr || scheduling_ == Scheduling::other) return;
  if (const auto priority = own.priority()) return tell_mapped(*priority);
  last->rest ? tell_mapped(*last->rest) : own.restore();
}

void Priorities::tell_mapped(Priority priority) noexcept {
  try {
    std::int16_t native = 0;
    if (mapping_->to_native(priority, native)) (void)tell(native);
  } catch (...) {  // the application's mapping: the thread keeps what it has until its next request
  }
}

/// The operating system: of the calling thread. Why it refuses (errno); 0: it does not.
int Priorities::tell(std::int16_t native) noexcept {
  if (scheduling_ == Scheduling::other) return 0;
  Own::here().remember();
  sched_param parameters{};
  parameters.sched_priority = native;
  const int error = ::pthread_setschedparam(::pthread_self(), class_of(scheduling_), &parameters);
  if (error == 0) return 0;
  try {
    note_refusal("priority " + std::to_string(native) +
                 (scheduling_ == Scheduling::fifo ? " of SCHED_FIFO" : " of SCHED_RR") + ": " +
                 std::generic_category().message(error));
  } catch (const std::bad_alloc&) {  // then it is told the next time
  }
  return error;
}

void Priorities::note_refusal(std::string what) noexcept {
  const std::lock_guard lock(mutex_);
  if (refused_.empty()) refused_ = std::move(what);
}

std::string Priorities::refused() const {
  const std::lock_guard lock(mutex_);
  return refused_;
}

}  // namespace corbel::real_time
