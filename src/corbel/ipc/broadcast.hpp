// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "corbel/ipc/datagram.hpp"

namespace corbel::ipc {

/// A datagram socket that may send to all hosts on a network (IPv4 only: IPv6 has multicast instead). Receives like any
/// datagram socket.
class CORBEL_API BroadcastSocket : public detail::DatagramExchange<InetAddress, Role::inet_broadcast> {
  using Base = detail::DatagramExchange<InetAddress, Role::inet_broadcast>;

 public:
  using Options = DatagramOptions<InetAddress>;

  BroadcastSocket() noexcept = default;
  /// Becomes owner of a datagram socket; the caller has allowed it to broadcast.
  explicit BroadcastSocket(Handle handle) : Base(std::move(handle)), networks_(broadcast_networks()) {}

  /// A socket bound to `local` that sends from there. Errors: as DatagramSocket::open; unsupported for an IPv6 address.
  static base::Result<BroadcastSocket> open(const InetAddress& local = InetAddress(), const Options& options = {});

  /// Sends the datagram on each network that this machine had when the socket was opened, to `port`; one system call
  /// each. Number of networks that it went out to. Error: of the last network, if none worked; unreachable if this
  /// machine has no network that can broadcast. To reach one network alone use send_to its broadcast address.
  base::Result<std::size_t> send_to_all(base::ConstByteSpan data, std::uint16_t port) noexcept;

  /// The broadcast addresses that send_to_all uses.
  const std::vector<InetAddress>& networks() const noexcept { return networks_; }

 private:
  static std::vector<InetAddress> broadcast_networks();
  std::vector<InetAddress> networks_;
};

}  // namespace corbel::ipc
