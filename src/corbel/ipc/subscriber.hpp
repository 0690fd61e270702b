// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/base/export.hpp"
#include "corbel/ipc/inet_address.hpp"

namespace corbel::ipc {

/// Whom limits "per host" count an address for: the IPv4 address, also of one that is mapped into IPv6, or the first 64
/// bits of an IPv6 address with its scope, for a single host has 2^64 of these to choose from. The port is 0.
/// Thread-safe.
CORBEL_API InetAddress subscriber(const InetAddress& address) noexcept;

}  // namespace corbel::ipc
