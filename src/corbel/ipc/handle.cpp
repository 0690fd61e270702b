// SPDX-License-Identifier: Apache-2.0
#include "corbel/ipc/handle.hpp"

#include <fcntl.h>
#include <linux/sockios.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

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

std::size_t unsent(int descriptor) noexcept {
  int octets = 0;
  return ::ioctl(descriptor, SIOCOUTQNSD, &octets) == 0 && octets > 0 ? static_cast<std::size_t>(octets) : 0;
}

}  // namespace corbel::ipc
