// SPDX-License-Identifier: Apache-2.0
// The reactor in somebody else's loop, which waits for the handle of its epoll instance. That handle tells of what is
// registered there; what it would not know of is made known to it: what is published wakes it, as it would wake a
// thread that waits, and timers have a timerfd. Both are edge-triggered there, so that waiting once takes them back.
#include <sys/epoll.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <utility>

#include "corbel/ipc/os_error.hpp"
#include "corbel/reactor/reactor.hpp"

namespace corbel::reactor {

using base::Code;
using base::Stage;

base::Result<int> Reactor::pollable() {
  if (!epoll_) return base::error(Stage::configure, Code::cancelled);
  if (!guest_timer_) {
    ipc::Handle timer(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
    if (!timer) return ipc::last_failure(Stage::configure);
    epoll_event event{.events = EPOLLIN | EPOLLET, .data = {.ptr = nullptr}};
    if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, timer.get(), &event) != 0) return ipc::last_failure(Stage::configure);
    guest_timer_ = std::move(timer);
  }
  arm();
  return epoll_.get();
}

/// What wait() does before it sleeps, for a wait that is somebody else's. For the leader.
void Reactor::arm() noexcept {
  waiting_ = true;  // what is published from now on wakes
  const bool rest = has_batch();
  if (!rest && has_removed_) release_removed();
  if (rest || stopped_ || has_posted_ || notified_) return wake();
  arm_timer();
}

void Reactor::arm_timer() noexcept {
  std::int64_t due = timer_next_;
  if (tick_on_) {
    if (!std::exchange(tick_running_, true)) tick_next_ = clock_.now() + tick_interval_;
    due = std::min<std::int64_t>(due, tick_next_.time_since_epoch().count());
  }
  std::int64_t left = 0;  // disarms it
  if (due != kNever) {
    left = due - clock_.now().time_since_epoch().count();
    if (left <= 0) return wake();
  }
  if (std::exchange(guest_timer_set_, due) == due) return;
  constexpr std::int64_t kSecond = 1'000'000'000;
  itimerspec time{};
  time.it_value.tv_sec = static_cast<std::time_t>(left / kSecond);
  time.it_value.tv_nsec = static_cast<long>(left % kSecond);
  (void)::timerfd_settime(guest_timer_.get(), 0, &time, nullptr);
}

}  // namespace corbel::reactor
