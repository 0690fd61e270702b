// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/base/export.hpp"
#include "corbel/ipc/inet_address.hpp"

namespace corbel::ipc {

/// The host for which limits "per host" count an address, with port 0: the IPv4 address, also of one that is mapped
/// into IPv6, or the first 64 bits of an IPv6 address with its scope, for a single host has 2^64 of these to choose
/// from. Thread-safe.
CORBEL_API InetAddress subscriber(const InetAddress& address) noexcept;

}  // namespace corbel::ipc
