// SPDX-License-Identifier: Apache-2.0
#include "corbel/ipc/undelivered.hpp"

#include <linux/errqueue.h>

#include <cstring>

#include "corbel/ipc/message_io.hpp"

namespace corbel::ipc {

base::Status tell_undelivered(int socket, bool v6) noexcept {
  const int on = 1;
  // A socket of IPv6 may send to addresses of IPv4, too.
  const bool told = ::setsockopt(socket, IPPROTO_IP, IP_RECVERR, &on, sizeof on) == 0;
  if (!v6 && !told) return last_failure(base::Stage::configure);
  if (v6 && ::setsockopt(socket, IPPROTO_IPV6, IPV6_RECVERR, &on, sizeof on) != 0)
    return last_failure(base::Stage::configure);
  return {};
}

base::Result<Undelivered> next_undelivered(int socket) noexcept {
  alignas(cmsghdr) char control[512];
  msghdr message{};
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  Undelivered told;
  const auto size = told.to.fill([&](sockaddr* address, socklen_t* length) -> base::Result<std::size_t> {
    message.msg_name = address;
    message.msg_namelen = *length;
    // It has the datagram's octets, for which there is no room: that is no failure.
    const ssize_t count = ::recvmsg(socket, &message, MSG_ERRQUEUE | MSG_DONTWAIT);
    if (count < 0) return last_failure(base::Stage::receive);
    *length = message.msg_namelen;
    return static_cast<std::size_t>(count);
  });
  if (!size) return size.error();
  for (cmsghdr* each = CMSG_FIRSTHDR(&message); each != nullptr; each = CMSG_NXTHDR(&message, each)) {
    const bool is_error = (each->cmsg_level == IPPROTO_IP && each->cmsg_type == IP_RECVERR) ||
                          (each->cmsg_level == IPPROTO_IPV6 && each->cmsg_type == IPV6_RECVERR);
    if (!is_error) continue;
    sock_extended_err error;
    std::memcpy(&error, CMSG_DATA(each), sizeof error);
    told.why = failure(base::Stage::send, static_cast<int>(error.ee_errno));
  }
  return told;
}

}  // namespace corbel::ipc
