// SPDX-License-Identifier: Apache-2.0
#include "corbel/bridge/attached.hpp"

#include "corbel/orb/core.hpp"

namespace corbel::bridge {
namespace {

/// A server that takes nothing keeps no more than half of the threads, if there are some.
std::uint32_t most_senders(std::uint32_t threads) noexcept {
  constexpr std::uint32_t kFew = 8;
  return threads < kFew ? threads : threads / 2;
}

}  // namespace

Attached::Attached(orb::Core& core, ReferenceTable& table, const Settings& settings, Counters& counters,
                   Pending& pending)
    : proxies(core, table),
      means{core, proxies, settings, counters, succession, pending, most_senders(core.options().serving.threads)} {}

}  // namespace corbel::bridge
