// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/guest_call.hpp"

#include "corbel/base/thread_end.hpp"

namespace corbel::orb {

void run_guest(base::FunctionRef<void()> call_back, const base::Log& log) noexcept {
  const auto tell = [&](std::string_view what) {
    CORBEL_LOG(log, orb, warning, "a call-back of the application threw", {"what", what});
  };
  try {
    call_back();
  } catch (const std::exception& exception) {
    tell(exception.what());
  } catch (...) {
    base::call_off_thread_end();
    tell("something that is no std::exception");
  }
}

bool GuestCall::begin() noexcept {
  const std::lock_guard lock(mutex_);
  if (ended_ || runs_on_ != std::thread::id()) return false;
  runs_on_ = std::this_thread::get_id();
  return true;
}

bool GuestCall::done() noexcept {
  const std::lock_guard lock(mutex_);
  runs_on_ = {};
  changed_.notify_all();
  return !ended_;
}

bool GuestCall::end() noexcept {
  std::unique_lock lock(mutex_);
  ended_ = true;
  if (runs_on_ == std::this_thread::get_id()) return false;
  while (runs_on_ != std::thread::id()) changed_.wait(lock);
  return true;
}

}  // namespace corbel::orb
