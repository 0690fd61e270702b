// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "corbel/ipc/inet_address.hpp"

namespace corbel::ipc {

/// The addresses of this machine's interfaces that are up, port 0, in the order in which to tell them to others: IPv4,
/// then IPv6 (link-local ones, which mean nothing elsewhere, are left out). Loopback addresses only if there is nothing
/// else.
CORBEL_API std::vector<InetAddress> interface_addresses();

/// The IPv4 broadcast addresses of the interfaces that are up and can broadcast, port 0.
CORBEL_API std::vector<InetAddress> broadcast_addresses();

/// One network interface of this machine; the default means "as the system chooses". A value.
class CORBEL_API NetworkInterface {
 public:
  constexpr NetworkInterface() noexcept = default;
  /// By name ("eth0"). Error: unreachable (stage resolve).
  static base::Result<NetworkInterface> find(std::string_view name) noexcept;
  /// The loopback interface. Error: unreachable.
  static base::Result<NetworkInterface> loopback() noexcept { return find("lo"); }

  /// The system's number for it; 0 for the default.
  constexpr std::uint32_t index() const noexcept { return index_; }
  /// "eth0"; empty for the default, or if it has gone.
  std::string name() const;

 private:
  explicit constexpr NetworkInterface(std::uint32_t index) noexcept : index_(index) {}
  std::uint32_t index_ = 0;
};

}  // namespace corbel::ipc
