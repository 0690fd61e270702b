// SPDX-License-Identifier: Apache-2.0
// Which connections go when what has come behind gaps takes too much memory.
#include <algorithm>
#include <utility>

#include "corbel/transport/rudp/carrier.hpp"
#include "corbel/transport/rudp/socket.hpp"

namespace corbel::transport::rudp {

/// Honest peers fill gaps within some round trips, so that it is the others who go; at most until there is room.
void SharedSocket::cut_old_gaps() {
  const Time time = std::chrono::steady_clock::now().time_since_epoch();
  if (time < look_for_gaps_) return;
  look_for_gaps_ = time + limits_.gap_patience / 16;
  struct Holder {
    ConnectionPtr connection;
    std::shared_ptr<GapMemory> gaps;
    Time since{};
  };
  std::vector<Holder> holders;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [token, known] : known_) {
      const auto host = hosts_.find(known.host);
      if (host != hosts_.end() && host->second.gaps->is_short())
        holders.push_back({known.connection, host->second.gaps});
    }
  }
  for (Holder& each : holders) each.since = each.connection->gap_since();
  std::erase_if(holders, [&](const Holder& each) { return each.since > time - limits_.gap_patience; });
  std::sort(holders.begin(), holders.end(), [](const Holder& a, const Holder& b) { return a.since < b.since; });
  for (const Holder& each : holders) {
    const GapMemory* const used_up = each.gaps->short_one();
    if (used_up == nullptr) continue;
    goes_on(each.connection);
    each.connection->cut();
    tell_cut(each.connection->peer(), *used_up);
  }
}

void SharedSocket::tell_cut(const ipc::InetAddress& peer, const GapMemory& used_up) noexcept try {
  const std::lock_guard lock(log_mutex_);
  if (log_ == nullptr) return;
  CORBEL_LOG(*log_, transport, warning, "rudp: connection cut: what has come behind gaps takes too much memory",
             {"peer", Carrier::text_of(peer)}, {"limit", &used_up == gaps_.get() ? "all peers" : "one host"},
             {"octets", used_up.most()});
} catch (const std::exception&) {  // it cannot be told
}

}  // namespace corbel::transport::rudp
