// SPDX-License-Identifier: Apache-2.0
#include "corbel/ipc/destination.hpp"

#include <cstring>

#include "corbel/ipc/message_io.hpp"

namespace corbel::ipc {
namespace {

InetAddress address_of(const in_pktinfo& info) noexcept {
  sockaddr_in native{};
  native.sin_family = AF_INET;
  native.sin_addr = info.ipi_addr;
  return InetAddress::from_native(reinterpret_cast<const sockaddr*>(&native), sizeof native);
}

InetAddress address_of(const in6_pktinfo& info) noexcept {
  sockaddr_in6 native{};
  native.sin6_family = AF_INET6;
  native.sin6_addr = info.ipi6_addr;
  if (IN6_IS_ADDR_LINKLOCAL(&info.ipi6_addr)) native.sin6_scope_id = static_cast<std::uint32_t>(info.ipi6_ifindex);
  return InetAddress::from_native(reinterpret_cast<const sockaddr*>(&native), sizeof native);
}

/// What is sent to many is answered from wherever the system likes.
bool is_of_many(const InetAddress& address) noexcept {
  if (!address.is_v6()) {
    const auto* native = reinterpret_cast<const sockaddr_in*>(address.native());
    const std::uint32_t host = ntohl(native->sin_addr.s_addr);
    return host >= 0xe0000000U;
  }
  return IN6_IS_ADDR_MULTICAST(&reinterpret_cast<const sockaddr_in6*>(address.native())->sin6_addr);
}

}  // namespace

base::Status tell_destinations(int socket, bool v6) noexcept {
  const int on = 1;
  const int result = v6 ? ::setsockopt(socket, IPPROTO_IPV6, IPV6_RECVPKTINFO, &on, sizeof on)
                        : ::setsockopt(socket, IPPROTO_IP, IP_PKTINFO, &on, sizeof on);
  if (result != 0) return last_failure(base::Stage::configure);
  return {};
}

base::Result<std::size_t> recv_with_destination(int socket, base::ByteSpan room, InetAddress& from,
                                                InetAddress& to) noexcept {
  iovec piece{room.data(), room.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(in6_pktinfo)) + CMSG_SPACE(sizeof(in_pktinfo))];
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const auto size = from.fill([&](sockaddr* address, socklen_t* length) {
    message.msg_name = address;
    message.msg_namelen = *length;
    auto received = detail::recv_header(socket, message, MSG_DONTWAIT | MSG_TRUNC);
    *length = message.msg_namelen;
    return received;
  });
  if (!size) return size.error();
  for (cmsghdr* each = CMSG_FIRSTHDR(&message); each != nullptr; each = CMSG_NXTHDR(&message, each)) {
    InetAddress told;
    if (each->cmsg_level == IPPROTO_IP && each->cmsg_type == IP_PKTINFO) {
      in_pktinfo info;
      std::memcpy(&info, CMSG_DATA(each), sizeof info);
      told = address_of(info);
    } else if (each->cmsg_level == IPPROTO_IPV6 && each->cmsg_type == IPV6_PKTINFO) {
      in6_pktinfo info;
      std::memcpy(&info, CMSG_DATA(each), sizeof info);
      told = address_of(info);
    } else {
      continue;
    }
    if (!is_of_many(told) && !told.is_any()) to = told;
  }
  return detail::whole(*size, room.size());
}

base::Result<std::size_t> send_from(int socket, base::ConstByteSpan datagram, const InetAddress& to,
                                    const InetAddress& from) noexcept {
  iovec piece{const_cast<base::Octet*>(datagram.data()), datagram.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(in6_pktinfo))] = {};
  msghdr message{};
  message.msg_name = const_cast<sockaddr*>(to.native());
  message.msg_namelen = to.size();
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  const auto put = [&](int level, int type, const auto& info) {
    header->cmsg_level = level;
    header->cmsg_type = type;
    header->cmsg_len = CMSG_LEN(sizeof info);
    std::memcpy(CMSG_DATA(header), &info, sizeof info);
    message.msg_controllen = CMSG_SPACE(sizeof info);
  };
  if (from.is_v6()) {
    const auto* native = reinterpret_cast<const sockaddr_in6*>(from.native());
    in6_pktinfo info{};
    info.ipi6_addr = native->sin6_addr;
    info.ipi6_ifindex = native->sin6_scope_id;
    put(IPPROTO_IPV6, IPV6_PKTINFO, info);
  } else {
    in_pktinfo info{};
    info.ipi_spec_dst = reinterpret_cast<const sockaddr_in*>(from.native())->sin_addr;
    put(IPPROTO_IP, IP_PKTINFO, info);
  }
  return detail::send_header(socket, message, MSG_DONTWAIT);
}

}  // namespace corbel::ipc
