// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "corbel/base/export.hpp"
#include "corbel/base/result.hpp"

namespace corbel::ipc {

/// What the packets of an Internet socket bear, and how fast they leave. The defaults are the system's: nothing is set.
struct TrafficOptions {
  int dscp = 0;                   ///< 0 to 63: the differentiated services code point of IPv4 and IPv6 (RFC 2474)
  int priority = 0;               ///< 0 to 6: SO_PRIORITY, for the queues of this host; more need CAP_NET_ADMIN
  int time_to_live = -1;          ///< 1 to 255: routers that a packet may pass, plus one; -1: the system's default
  std::uint64_t pacing_rate = 0;  ///< octets a second; 0: not paced. Datagrams only where the interface has fq
  friend bool operator==(const TrafficOptions&, const TrafficOptions&) = default;
};

/// Sets them on a socket of either family; one of IPv6 may talk to IPv4 as well, and bears them there, too. Errors
/// (stage configure): as the system says.
CORBEL_API base::Status set_traffic(int descriptor, const TrafficOptions& options) noexcept;

}  // namespace corbel::ipc
