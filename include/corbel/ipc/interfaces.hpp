// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "corbel/ipc/inet_address.hpp"

namespace corbel::ipc {

/// The addresses of this machine's interfaces that are up, port 0, in the order in which to tell them to others: IPv4,
/// then IPv6 (link-local ones, which mean nothing elsewhere, are left out). Loopback addresses only if there is nothing
/// else.
CORBEL_API std::vector<InetAddress> interface_addresses();

}  // namespace corbel::ipc
