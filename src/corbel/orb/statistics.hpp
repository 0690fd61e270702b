// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "corbel/orb/orb.hpp"

namespace corbel::orb {

/// What an ORB has counted since it was made. Taken one after the other while others go on.
struct Statistics {
  /// Oneway messages (-ORBSyncScope none) that had to wait for their peer, and octets of those that wait now.
  std::uint64_t oneways_queued = 0;
  std::uint64_t oneway_octets_waiting = 0;
  /// Those that were never sent, because the queue was full (-ORBOnewayQueue) or the connection ended.
  std::uint64_t oneways_dropped = 0;
  std::uint64_t oneway_octets_dropped = 0;
};

CORBEL_API Statistics statistics(CORBA::ORB& orb) noexcept;

}  // namespace corbel::orb
