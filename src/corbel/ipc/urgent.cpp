// SPDX-License-Identifier: Apache-2.0
#include "corbel/ipc/urgent.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>

#include "corbel/ipc/os_error.hpp"

namespace corbel::ipc {

using base::Code;
using base::Stage;

base::Status send_urgent(TcpStream& stream, base::Octet octet) noexcept {
  for (;;) {
    if (::send(stream.handle(), &octet, 1, MSG_OOB | MSG_NOSIGNAL) == 1) return {};
    if (errno != EINTR) return last_failure(Stage::send);
  }
}

base::Result<std::optional<base::Octet>> recv_urgent(TcpStream& stream) noexcept {
  base::Octet octet = 0;
  for (;;) {
    const ssize_t count = ::recv(stream.handle(), &octet, 1, MSG_OOB | MSG_DONTWAIT);
    if (count == 1) return std::optional(octet);
    if (count == 0 || errno == EINVAL) return std::optional<base::Octet>();  // EINVAL: tcp(7) has nothing urgent
    if (errno != EINTR) return last_failure(Stage::receive);
  }
}

base::Result<bool> at_mark(const TcpStream& stream) noexcept {
  const int found = ::sockatmark(stream.handle());
  if (found < 0) return last_failure(Stage::receive);
  return found == 1;
}

base::Status wait_urgent(const TcpStream& stream, base::Deadline deadline) noexcept {
  pollfd entry{stream.handle(), POLLPRI | POLLRDHUP, 0};
  for (;;) {
    const int count = ::poll(&entry, 1, deadline.poll_timeout());
    if (count < 0 && errno != EINTR) return last_failure(Stage::receive);
    if (count > 0) {
      if ((entry.revents & POLLPRI) != 0) return {};
      const bool lost = (entry.revents & (POLLERR | POLLNVAL)) != 0;
      return base::error(Stage::receive, lost ? Code::lost : Code::closed);
    }
    if (count == 0 && deadline.is_now()) return base::error(Stage::receive, Code::would_block);
    if (count == 0 && deadline.expired()) return base::error(Stage::receive, Code::timed_out);
  }
}

}  // namespace corbel::ipc
