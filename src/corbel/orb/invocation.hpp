// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "corbel/base/deadline.hpp"
#include "corbel/corba/call.hpp"
#include "corbel/orb/attempts.hpp"
#include "corbel/orb/call_limits.hpp"
#include "corbel/orb/policy_levels.hpp"

namespace corbel::orb {

/// One call of a remote object on its way, from its first attempt to its last: what governs it and what was tried. On
/// the caller's stack, or inside the asynchronous call. Synchronous and asynchronous calls differ only in which thread
/// waits.
struct Invocation {
  /// `effective` outlives it. `at`: Deadline::clock_now() when the call began.
  Invocation(const corba::Operation& called, const EffectivePolicies& effective, std::uint64_t seen,
             std::int64_t at) noexcept
      : operation(called), policies(effective), word(seen), deadline(after(effective.calls.round_trip, at)) {}

  const corba::Operation& operation;
  const EffectivePolicies& policies;
  std::uint64_t word;                                ///< of the ORB's edges, as a binding may remember it
  base::Deadline deadline;                           ///< of the whole call
  base::Deadline leave_by = base::Deadline::none();  ///< when the request must have left
  Attempts attempts;

  /// The limits that few calls have: those in absolute time and the one of the request alone.
  void limit(std::int64_t at) noexcept {
    const policy::ClientPolicies& calls = policies.calls;
    leave_by = earlier(after(calls.request, at), CallLimits::at_time(calls.request_end));
    deadline = earlier(deadline, CallLimits::at_time(calls.reply_end));
  }
  /// The deadline of one attempt to connect.
  base::Deadline connect_by() const noexcept {
    const base::Duration limit = policies.calls.connect;
    const base::Deadline end = earlier(deadline, leave_by);
    return limit == base::Duration::zero() ? end : earlier(end, base::Deadline::after(limit));
  }

  static base::Deadline after(base::Duration timeout, std::int64_t at) noexcept {
    return timeout == base::Duration::zero() ? base::Deadline::none() : base::Deadline::no_sooner_than(timeout, at);
  }
};

/// For messages: how much of its time is over.
std::string spent(const Invocation& invocation);

}  // namespace corbel::orb
