// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "corbel/orb/orb.hpp"

namespace corbel::orb {

/// What an ORB has counted since it was made. Taken one after the other while others go on.
struct Statistics {
  /// Oneway messages (-ORBSyncScope none) that had to wait for their peer, and octets of those that wait now.
  std::uint64_t oneways_queued = 0;
  std::uint64_t oneway_octets_waiting = 0;
  /// Those that were kept back to leave with others (corbel/corba/buffering_policy.hpp).
  std::uint64_t oneways_buffered = 0;
  /// Those that were never sent, because the queue was full (-ORBOnewayQueue) or the connection ended.
  std::uint64_t oneways_dropped = 0;
  std::uint64_t oneway_octets_dropped = 0;
  /// No count: how many threads may serve requests at the same time (-ORBThreads).
  std::uint32_t most_threads = 0;
};

CORBEL_API Statistics statistics(CORBA::ORB& orb) noexcept;

/// A connection that has not ended, and what the session of its message protocol has counted: of `frames`, for example,
/// "sent", "received", "lost", "reordered", "jitter_us" and what its peer reports (docs/frames.md).
struct Conversation {
  std::string protocol;   ///< "giop", "frames"
  std::string peer;       ///< "tcp://127.0.0.1:4000"
  bool accepted = false;  ///< a client made it, not this ORB
  std::vector<std::pair<std::string, std::uint64_t>> figures;
  /// The figure with the name; 0 if there is none.
  CORBEL_API std::uint64_t figure(std::string_view name) const noexcept;
};

/// All conversations of an ORB, taken one after the other while they go on. Allocates; not for every call.
CORBEL_API std::vector<Conversation> conversations(CORBA::ORB& orb);

}  // namespace corbel::orb
