// SPDX-License-Identifier: Apache-2.0
#include "corbel/ipc/alarm.hpp"

#include <sys/timerfd.h>

#include <algorithm>

#include "corbel/ipc/os_error.hpp"

namespace corbel::ipc {
namespace {

void set_timer(int handle, base::Duration after) noexcept {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(after);
  itimerspec time{};
  time.it_value.tv_sec = static_cast<std::time_t>(seconds.count());
  time.it_value.tv_nsec = static_cast<long>((after - seconds).count());
  (void)::timerfd_settime(handle, 0, &time, nullptr);
}

}  // namespace

base::Result<Alarm> Alarm::open() noexcept {
  Handle handle(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  if (!handle) return last_failure(base::Stage::configure);
  return Alarm(std::move(handle));
}

void Alarm::set(base::Duration after) const noexcept {
  set_timer(handle_.get(), std::max(after, base::Duration(1)));
}

void Alarm::clear() const noexcept {
  set_timer(handle_.get(), {});
}

}  // namespace corbel::ipc
