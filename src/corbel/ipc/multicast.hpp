// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/ipc/datagram.hpp"
#include "corbel/ipc/interfaces.hpp"

namespace corbel::ipc {

/// A datagram socket that belongs to groups: what is sent to a group reaches every member of it. IPv4 (224.0.0.0/4) and
/// IPv6 (ff00::/8), as the address that it is bound to. Receives only what goes to groups it joined itself, and what
/// is addressed to it alone. Setting errors (stage configure): bad_argument (not a group, other family), unreachable.
class CORBEL_API MulticastSocket : public detail::DatagramExchange<InetAddress, Role::inet_multicast> {
  using Base = detail::DatagramExchange<InetAddress, Role::inet_multicast>;

 public:
  using Options = DatagramOptions<InetAddress>;

  MulticastSocket() noexcept = default;
  /// Becomes owner of a datagram socket.
  explicit MulticastSocket(Handle handle) noexcept : Base(std::move(handle)) {}

  /// A socket bound to `local`, usually the wildcard address with the port of the group. Several may share one port.
  static base::Result<MulticastSocket> open(const InetAddress& local,
                                            const Options& options = {.reuse_address = true}) noexcept;

  /// Becomes a member of a group (its port does not matter) on one interface. Error: address_in_use if it is one.
  base::Status join(const InetAddress& group, NetworkInterface interface = {}) noexcept;
  /// Errors: unreachable if it is no member.
  base::Status leave(const InetAddress& group, NetworkInterface interface = {}) noexcept;

  /// The interface that datagrams to groups leave by.
  base::Status set_interface(NetworkInterface interface) noexcept;
  /// How many routers a datagram may pass, plus one: 0 (this machine) to 255; 1, the default, stays on the network.
  base::Status set_hops(int hops) noexcept;
  base::Result<int> hops() const noexcept;
  /// Whether members on this machine receive what this socket sends (on by default).
  base::Status set_loopback(bool on) noexcept;

 private:
  /// Sets the option of this socket's family.
  base::Status set_option(int v4_name, int v6_name, int value) noexcept;
  base::Status change_membership(int option, const InetAddress& group, NetworkInterface interface) noexcept;
};

}  // namespace corbel::ipc
