// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "corbel/ipc/broadcast.hpp"
#include "corbel/ipc/multicast.hpp"

namespace corbel::ipc {
namespace {

using base::Code;
using base::Stage;

base::Result<int> family_of(int descriptor) noexcept {
  int family = 0;
  socklen_t size = sizeof family;
  if (::getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &family, &size) != 0) return last_failure(Stage::configure);
  return family;
}

base::Status set_native(int descriptor, int level, int name, const void* value, socklen_t size) noexcept {
  return ::setsockopt(descriptor, level, name, value, size) == 0 ? base::Status() : last_failure(Stage::configure);
}

}  // namespace

std::vector<InetAddress> BroadcastSocket::broadcast_networks() {
  return broadcast_addresses();
}

base::Result<BroadcastSocket> BroadcastSocket::open(const InetAddress& local, const Options& options) {
  if (local.is_v6()) return base::error(Stage::listen, Code::unsupported);
  BroadcastSocket socket;
  CORBEL_CHECK(socket.open_at(local, options));
  const int on = 1;
  CORBEL_CHECK(set_native(socket.handle(), SOL_SOCKET, SO_BROADCAST, &on, sizeof on));
  socket.networks_ = broadcast_networks();
  return socket;
}

base::Result<std::size_t> BroadcastSocket::send_to_all(base::ConstByteSpan data, std::uint16_t port) noexcept {
  std::size_t reached = 0;
  base::Error last = base::error(Stage::send, Code::unreachable);
  for (const InetAddress& network : networks_) {
    auto sent = send_to(data, network.with_port(port));
    if (sent) {
      ++reached;
    } else {
      last = sent.error();
    }
  }
  if (reached == 0) return last;
  return reached;
}

base::Result<MulticastSocket> MulticastSocket::open(const InetAddress& local, const Options& options) noexcept {
  MulticastSocket socket;
  CORBEL_CHECK(socket.open_at(local, options));
  // Linux would also deliver what goes to groups that other sockets of this machine have joined.
  CORBEL_CHECK(socket.set_option(IP_MULTICAST_ALL, IPV6_MULTICAST_ALL, 0));
  return socket;
}

base::Status MulticastSocket::set_option(int v4_name, int v6_name, int value) noexcept {
  CORBEL_TRY(const int family, family_of(handle()));
  return family == AF_INET6 ? set_native(handle(), IPPROTO_IPV6, v6_name, &value, sizeof value)
                            : set_native(handle(), IPPROTO_IP, v4_name, &value, sizeof value);
}

base::Status MulticastSocket::change_membership(int option, const InetAddress& group,
                                                NetworkInterface interface) noexcept {
  group_req request{};
  request.gr_interface = interface.index();
  std::memcpy(&request.gr_group, group.native(), group.size());
  return set_native(handle(), group.is_v6() ? IPPROTO_IPV6 : IPPROTO_IP, option, &request, sizeof request);
}

base::Status MulticastSocket::join(const InetAddress& group, NetworkInterface interface) noexcept {
  return change_membership(MCAST_JOIN_GROUP, group, interface);
}

base::Status MulticastSocket::leave(const InetAddress& group, NetworkInterface interface) noexcept {
  return change_membership(MCAST_LEAVE_GROUP, group, interface);
}

base::Status MulticastSocket::set_interface(NetworkInterface interface) noexcept {
  CORBEL_TRY(const int family, family_of(handle()));
  const int index = static_cast<int>(interface.index());
  if (family == AF_INET6) return set_native(handle(), IPPROTO_IPV6, IPV6_MULTICAST_IF, &index, sizeof index);
  ip_mreqn request{};
  request.imr_ifindex = index;
  return set_native(handle(), IPPROTO_IP, IP_MULTICAST_IF, &request, sizeof request);
}

base::Status MulticastSocket::set_hops(int hops) noexcept {
  if (hops < 0) return base::error(Stage::configure, Code::bad_argument);  // the system would take -1 for "default"
  return set_option(IP_MULTICAST_TTL, IPV6_MULTICAST_HOPS, hops);
}

base::Result<int> MulticastSocket::hops() const noexcept {
  CORBEL_TRY(const int family, family_of(handle()));
  int value = 0;
  socklen_t size = sizeof value;
  const int level = family == AF_INET6 ? IPPROTO_IPV6 : IPPROTO_IP;
  const int name = family == AF_INET6 ? IPV6_MULTICAST_HOPS : IP_MULTICAST_TTL;
  if (::getsockopt(handle(), level, name, &value, &size) != 0) return last_failure(Stage::configure);
  return value;
}

base::Status MulticastSocket::set_loopback(bool on) noexcept {
  return set_option(IP_MULTICAST_LOOP, IPV6_MULTICAST_LOOP, on ? 1 : 0);
}

}  // namespace corbel::ipc
