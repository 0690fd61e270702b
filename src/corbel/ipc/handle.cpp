// SPDX-License-Identifier: Apache-2.0
#include "corbel/ipc/handle.hpp"

#include <fcntl.h>
#include <linux/sockios.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <climits>

#include "corbel/ipc/os_error.hpp"

namespace corbel::ipc {

static_assert(static_cast<short>(Ready::readable) == POLLIN && static_cast<short>(Ready::writable) == POLLOUT);

void detail::close_descriptor(int descriptor) noexcept {
  ::close(descriptor);
}

base::Result<Handle> Handle::duplicate() const {
  const int copy = ::fcntl(descriptor_, F_DUPFD_CLOEXEC, 0);
  if (copy < 0) return last_failure(base::Stage::configure);
  return Handle(copy);
}

base::Status set_non_blocking(int descriptor, bool on) noexcept {
  const int flags = ::fcntl(descriptor, F_GETFL);
  if (flags < 0) return last_failure(base::Stage::configure);
  const int wanted = on ? flags | O_NONBLOCK : flags & ~O_NONBLOCK;
  if (wanted != flags && ::fcntl(descriptor, F_SETFL, wanted) < 0) return last_failure(base::Stage::configure);
  return {};
}

base::Status wait_ready(int descriptor, Ready ready, base::Deadline deadline, base::Stage stage) noexcept {
  pollfd entry{descriptor, static_cast<short>(ready), 0};
  for (;;) {
    const int count = ::poll(&entry, 1, deadline.poll_timeout());
    if (count > 0) return {};
    if (count < 0 && errno != EINTR) return last_failure(stage);
    if (count == 0 && deadline.is_now()) return base::error(stage, base::Code::would_block);
    if (count == 0 && deadline.expired()) return base::error(stage, base::Code::timed_out);
  }
}

void wait_for_octets(int descriptor, std::size_t octets, base::Duration most) noexcept {
  const auto wakes_at = [descriptor](std::size_t count) {
    const int least = static_cast<int>(std::min<std::size_t>(count, INT_MAX));
    return ::setsockopt(descriptor, SOL_SOCKET, SO_RCVLOWAT, &least, sizeof least) == 0;
  };
  if (!wakes_at(octets)) return;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(most);
  const timespec time{.tv_sec = seconds.count(), .tv_nsec = (most - seconds).count()};
  pollfd entry{descriptor, POLLIN, 0};
  (void)::ppoll(&entry, 1, &time, nullptr);
  (void)wakes_at(1);
}

std::size_t unsent(int descriptor) noexcept {
  const auto octets = [descriptor](unsigned long kind) {
    int count = 0;
    return ::ioctl(descriptor, kind, &count) == 0 && count > 0 ? static_cast<std::size_t>(count) : 0;
  };
  const std::size_t waiting = octets(SIOCOUTQNSD);
  // With octets unread the socket ends with a reset, and sends nothing again.
  return waiting != 0 || octets(SIOCINQ) == 0 ? waiting : octets(SIOCOUTQ);
}

}  // namespace corbel::ipc
