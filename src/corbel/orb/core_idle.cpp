// SPDX-License-Identifier: Apache-2.0
// -ORBClientIdleTimeout: connections to servers that no call uses any more.
#include <algorithm>
#include <chrono>
#include <exception>

#include "corbel/connection/completions.hpp"
#include "corbel/orb/core.hpp"
#include "corbel/reactor/reactor.hpp"

namespace corbel::orb {

/// From the first connection on: an ORB that opens none starts no thread for this. In a child of the process there is
/// none to start.
void Core::see_to_idle_connections() noexcept {
  if (left_behind() || shutting_down_ || sees_to_idle_.exchange(true)) return;
  try {
    start_threads();
    end_idle_connections_later();
  } catch (...) {  // the next connection tries again
    sees_to_idle_ = false;
  }
}

void Core::end_idle_connections_later() {
  constexpr base::Duration kOftenest = std::chrono::milliseconds(20);
  constexpr base::Duration kRarest = std::chrono::seconds(10);
  const auto look = [this]() noexcept {
    try {
      if (cache_.end_unused(options_.client_idle)) end_idle_connections_later();
    } catch (const std::exception&) {  // no memory
      sees_to_idle_ = false;
    }
  };
  server().completions().reactor().schedule_after(std::clamp(options_.client_idle / 8, kOftenest, kRarest), look);
}

}  // namespace corbel::orb
