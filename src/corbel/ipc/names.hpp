// SPDX-License-Identifier: Apache-2.0
// Names that the system has for numbers: hosts of addresses, ports of services. InetAddress::resolve and Resolver are
// the way from a host's name to its addresses.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "corbel/base/export.hpp"
#include "corbel/base/result.hpp"
#include "corbel/ipc/inet_address.hpp"

namespace corbel::ipc {

/// What a service runs over: the same name may have another port with each.
enum class ServiceProtocol : std::uint8_t { tcp, udp };

/// The name that the system knows for an address, for people: "server.example.org". Whoever owns the address chooses
/// it, so nothing may be granted for it; addresses without one are an error, never a number. Blocks as long as the
/// system's resolver does; any thread may call it. Errors (stage resolve): unreachable (no name), out_of_resources.
CORBEL_API base::Result<std::string> host_name(const InetAddress& address);

/// The port of a service in the system's list (/etc/services), in host byte order: 80 for "http". A number is its own
/// port. Error (stage resolve): unreachable (not in the list for this protocol, or no port).
CORBEL_API base::Result<std::uint16_t> service_port(std::string_view name,
                                                    ServiceProtocol protocol = ServiceProtocol::tcp);

/// The name of a port in that list: "http" for 80. Errors (stage resolve): unreachable (none), out_of_resources.
CORBEL_API base::Result<std::string> service_name(std::uint16_t port, ServiceProtocol protocol = ServiceProtocol::tcp);

}  // namespace corbel::ipc
