// SPDX-License-Identifier: Apache-2.0
// Connections to servers that no call uses for a while, in a process that has threads of a reactor.
#include <algorithm>
#include <iterator>

#include "corbel/connection/connection.hpp"
#include "corbel/connection/connection_cache.hpp"
#include "corbel/connection/reading_loop.hpp"

namespace corbel::connection {

using base::Deadline;

void Connection::rest() noexcept {
  if (server_ != nullptr) return;  // whose threads see to it
  Caller nobody;
  if (!enter(nobody)) return;
  give_back(*framer_);
  leave(nobody);
  // What has come before the reactor is told may be in memory of the carrier, of which that knows nothing.
  if (reading_.armed() || !check_idle()) return;
  bool watches = false;
  {
    const std::lock_guard lock(mutex_);
    watches = !failed_ && completions_ != nullptr && transport().handle() >= 0 && reading_.arm(false);
  }
  if (watches) watch();
}

bool ConnectionCache::rest(base::Duration age) {
  std::vector<ConnectionPtr> gone;
  std::vector<ConnectionPtr> resting;
  const std::int64_t before = Deadline::clock_now() - age.count();
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return false;
    for (auto place = connections_.begin(); place != connections_.end();) {
      auto& known = place->second;
      const auto first =
          std::partition(known.begin(), known.end(), [](const ConnectionPtr& one) { return !one->failed(); });
      gone.insert(gone.end(), std::move_iterator(first), std::move_iterator(known.end()));
      known.erase(first, known.end());
      std::copy_if(known.begin(), known.end(), std::back_inserter(resting),
                   [&](const ConnectionPtr& one) { return one->idle() && one->last_used() <= before; });
      place = known.empty() ? connections_.erase(place) : std::next(place);
    }
  }
  for (const auto& each : resting) each->rest();
  return true;
}

bool ConnectionCache::end_unused(base::Duration age) {
  const std::int64_t before = Deadline::clock_now() - age.count();
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return false;
    retire([&](Connection& one) {
      return one.offered() == 0 && !one.is_bound_for_good() && one.unused_since(before, true);
    });
  }
  (void)end_retired(Deadline::now());
  return true;
}

}  // namespace corbel::connection
