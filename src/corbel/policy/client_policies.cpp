// SPDX-License-Identifier: Apache-2.0
#include "corbel/policy/client_policies.hpp"

namespace corbel::policy {
namespace {

using Units = std::chrono::duration<std::int64_t, std::ratio<1, 10'000'000>>;

/// 1 January 1970 in UtcTime.
constexpr UtcTime kUnixEpoch = 0x01B21DD213814000;
constexpr std::uint64_t kCentury = std::uint64_t{100} * 365 * 24 * 3600 * 10'000'000;

}  // namespace

UtcTime utc_now() noexcept {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return kUnixEpoch + static_cast<UtcTime>(std::chrono::duration_cast<Units>(since_epoch).count());
}

base::Duration until(UtcTime time) noexcept {
  if (time == kNever) return base::Duration::max();
  const UtcTime now = utc_now();
  if (time <= now) return base::Duration::zero();
  return time - now > kCentury ? base::Duration::max() : base::Duration(Units(static_cast<std::int64_t>(time - now)));
}

base::Duration duration_of(std::uint64_t units) noexcept {
  return units > kCentury ? base::Duration::zero() : base::Duration(Units(static_cast<std::int64_t>(units)));
}

void ClientOverrides::apply_to(ClientPolicies& policies) const noexcept {
  const auto take = [](auto& member, const auto& override) {
    if (override) member = *override;
  };
  take(policies.round_trip, round_trip);
  take(policies.request, request);
  take(policies.connect, connect);
  take(policies.request_end, request_end);
  take(policies.reply_end, reply_end);
  take(policies.sync_scope, sync_scope);
  take(policies.rebind, rebind);
  take(policies.buffering, buffering);
  if (transport_options != nullptr) policies.transport_options = transport_options;
}

}  // namespace corbel::policy
