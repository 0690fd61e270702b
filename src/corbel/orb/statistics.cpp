// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/statistics.hpp"

#include "corbel/orb/core.hpp"

namespace corbel::orb {

Statistics statistics(CORBA::ORB& orb) noexcept {
  const connection::OnewayCounters& counters = orb._core().cache().oneway_counters();
  Statistics result;
  result.oneways_queued = counters.queued.load(std::memory_order_relaxed);
  result.oneways_buffered = counters.kept.load(std::memory_order_relaxed);
  result.oneway_octets_waiting = counters.waiting_octets.load(std::memory_order_relaxed);
  result.oneways_dropped = counters.dropped.load(std::memory_order_relaxed);
  result.oneway_octets_dropped = counters.dropped_octets.load(std::memory_order_relaxed);
  result.most_threads = orb._core().options().serving.threads;
  return result;
}

std::uint64_t Conversation::figure(std::string_view name) const noexcept {
  for (const auto& [each, value] : figures) {
    if (each == name) return value;
  }
  return 0;
}

std::vector<Conversation> conversations(CORBA::ORB& orb) {
  std::vector<Conversation> all;
  for (const bool accepted : {false, true}) {
    for (const auto& connection : orb._core().connections(accepted)) {
      if (!accepted && !connection->protocol().offers().two_way) connection->attend();  // nothing else hears its peer
      Conversation one{std::string(connection->protocol().name()), connection->peer(), accepted, {}};
      connection->session().report(
          [&](const messaging::Figure& figure) { one.figures.emplace_back(figure.name, figure.value); });
      all.push_back(std::move(one));
    }
  }
  return all;
}

}  // namespace corbel::orb
