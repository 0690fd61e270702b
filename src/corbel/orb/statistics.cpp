// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/statistics.hpp"

#include "corbel/orb/core.hpp"

namespace corbel::orb {

Statistics statistics(CORBA::ORB& orb) noexcept {
  const connection::OnewayCounters& counters = orb._core().cache().oneway_counters();
  Statistics result;
  result.oneways_queued = counters.queued.load(std::memory_order_relaxed);
  result.oneway_octets_waiting = counters.waiting_octets.load(std::memory_order_relaxed);
  result.oneways_dropped = counters.dropped.load(std::memory_order_relaxed);
  result.oneway_octets_dropped = counters.dropped_octets.load(std::memory_order_relaxed);
  return result;
}

}  // namespace corbel::orb
