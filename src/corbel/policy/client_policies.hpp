// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>

#include "corbel/base/deadline.hpp"
#include "corbel/policy/buffering.hpp"
#include "corbel/policy/qos.hpp"
#include "corbel/policy/time_units.hpp"
#include "corbel/policy/transport_options.hpp"

/// What governs single calls. Values: copy freely, share unchanged between threads.
namespace corbel::policy {

/// What may be done without a word when a reference cannot be used where it was bound (Messaging::RebindMode; CORBA 3.3
/// part 1, 17.2.1).
enum class Rebind : std::uint8_t {
  transparent = 0,   ///< everything: new connections, forwards, other profiles
  no_rebind = 1,     ///< new connections to the same place
  no_reconnect = 2,  ///< nothing
};

/// A point in time as TimeBase has it: units of 100 ns since 15 October 1582, UTC.
using UtcTime = std::uint64_t;
inline constexpr UtcTime kNever = std::numeric_limits<UtcTime>::max();

/// The present in that form, by the clock of the system.
UtcTime utc_now() noexcept;
/// How long until that time; zero if it has come, the longest duration there is for kNever.
base::Duration until(UtcTime time) noexcept;
/// A duration given in units of 100 ns (TimeBase::TimeT). More than a century is zero, which stands for "unbounded".
/// units_of is the reverse.
base::Duration duration_of(std::uint64_t units) noexcept;

/// The time of a call to which nobody has given another.
inline constexpr base::Duration kUsualRoundTrip = std::chrono::seconds(60);

/// Everything that governs one call: effective policies, no longer a matter of levels.
struct ClientPolicies {
  base::Duration round_trip = kUsualRoundTrip;                 ///< the whole call; 0: unbounded
  base::Duration request = base::Duration::zero();             ///< until the request has left; 0: unbounded
  base::Duration connect = std::chrono::seconds(10);           ///< one connection attempt; 0: unbounded
  base::Duration head_start = std::chrono::milliseconds(250);  ///< of a place before others are tried; 0: all its time
  UtcTime request_end = kNever;                                ///< the request has to have left by then
  UtcTime reply_end = kNever;                                  ///< the reply has to have come by then
  SyncScope sync_scope = SyncScope::with_transport;
  Rebind rebind = Rebind::transparent;
  std::uint32_t forward_limit = 10;                  ///< forwards that one call follows
  Buffering buffering;                               ///< of oneways with SyncScope::none
  OnewayOverflow overflow = OnewayOverflow::newest;  ///< of the queue where these wait
  TransportOptionsPtr transport_options;             ///< of the connections; null: the ORB's

  /// True if a call can be made knowing only `round_trip`, as long as its connection serves: most can.
  bool plain() const noexcept {
    return request == base::Duration::zero() && request_end == kNever && reply_end == kNever &&
           rebind == Rebind::transparent;
  }
  /// True if somebody has set how long a call may take, other than in absolute time: when it began matters then.
  bool timed() const noexcept {
    return request != base::Duration::zero() || (round_trip != kUsualRoundTrip && round_trip != base::Duration::zero());
  }
  friend bool operator==(const ClientPolicies&, const ClientPolicies&) = default;
};

/// What one level says about calls: members that it does not set are those of a weaker level.
struct ClientOverrides {
  std::optional<base::Duration> round_trip;
  std::optional<base::Duration> request;
  std::optional<base::Duration> connect;
  std::optional<UtcTime> request_end;
  std::optional<UtcTime> reply_end;
  std::optional<SyncScope> sync_scope;
  std::optional<Rebind> rebind;
  std::optional<Buffering> buffering;
  TransportOptionsPtr transport_options;  ///< null: not set

  void apply_to(ClientPolicies& policies) const noexcept;
  friend bool operator==(const ClientOverrides&, const ClientOverrides&) = default;
};

}  // namespace corbel::policy
