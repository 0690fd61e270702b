// SPDX-License-Identifier: Apache-2.0
// One sender, many receivers: broadcast to all hosts on a network, multicast to the members of a group.
#include <corbel/ipc/broadcast.hpp>
#include <corbel/ipc/multicast.hpp>

#include <array>

#include "common.hpp"

namespace {

using namespace example;  // NOLINT

void broadcast() {
  auto receiver = need(ipc::UdpSocket::open(ipc::InetAddress::any_v4()), "open");
  const std::uint16_t port = need(receiver.local_address(), "address").port();
  auto sender = need(ipc::BroadcastSocket::open(ipc::InetAddress::loopback_v4()), "open");
  // send_to_all(data, port) would take every network of this machine; this example stays on the loopback network.
  need(
      sender.send_to(base::as_bytes("to everybody"), need(ipc::InetAddress::parse("127.255.255.255", port), "address")),
      "broadcast");
  std::array<base::Octet, 64> room;
  ipc::InetAddress from;
  const std::size_t size = need(receiver.recv_from(room, from, soon()), "receive");
  std::cout << "broadcast: '" << base::as_text({room.data(), size}) << "' from " << from.to_string() << '\n';
}

void multicast() {
  const auto loopback = need(ipc::NetworkInterface::loopback(), "interface");
  const auto group = need(ipc::InetAddress::parse("239.255.77.2", 0), "group");
  auto member = need(ipc::MulticastSocket::open(ipc::InetAddress::any_v4()), "open");
  const std::uint16_t port = need(member.local_address(), "address").port();
  need(member.join(group, loopback), "join");
  auto sender = need(ipc::MulticastSocket::open(ipc::InetAddress::any_v4()), "open");
  need(sender.set_interface(loopback), "choose the interface");
  need(sender.set_hops(0), "stay on this machine");
  need(sender.send_to(base::as_bytes("to the members"), group.with_port(port)), "send");
  std::array<base::Octet, 64> room;
  ipc::InetAddress from;
  const std::size_t size = need(member.recv_from(room, from, soon()), "receive");
  std::cout << "multicast: '" << base::as_text({room.data(), size}) << "' to " << group.host() << '\n';
  need(member.leave(group, loopback), "leave");
}

}  // namespace

int main() {
  broadcast();
  multicast();
}
