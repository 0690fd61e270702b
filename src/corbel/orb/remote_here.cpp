// SPDX-License-Identifier: Apache-2.0
// Calls that this ORB's own adapter refused or sent on, and that may come back to it: it is one of their places, which
// is asked without a connection.
#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "corbel/base/log.hpp"
#include "corbel/orb/core.hpp"
#include "corbel/orb/error_map.hpp"
#include "corbel/orb/remote_target.hpp"
#include "corbel/orb/serving_half.hpp"

namespace corbel::orb {

using base::Deadline;

namespace {

/// Limits the call to what is left of the time of one that began before.
void limit(Invocation& invocation, const CallLimits& limits) noexcept {
  invocation.leave_by = limits.leave_by;
  invocation.deadline = limits.deadline;
}

CallLimits limits_of(const Invocation& invocation) noexcept {
  return {invocation.leave_by, invocation.deadline};
}

bool waits_for_nothing(const Invocation& invocation) {
  return invocation.operation.oneway && invocation.policies.calls.sync_scope == policy::SyncScope::none;
}

/// True if the caller is told the outcome, as by a LocalTarget.
bool is_told(const Invocation& invocation) {
  return !invocation.operation.oneway || invocation.policies.calls.sync_scope == policy::SyncScope::with_target;
}

}  // namespace

void RemoteTarget::go_on(const corba::Call& call, const EffectivePolicies& policies, const CallLimits& limits,
                         Refusal refusal, Begun begun) {
  const std::int64_t now = Deadline::clock_now();
  Invocation invocation(call.operation, policies, Edges::kNever, now);
  limit(invocation, limits);
  // A call that waits for nothing uses the connection that is there, and has no use for what was refused here.
  if (!waits_for_nothing(invocation)) {
    begin(invocation);
    invocation.attempts.note_refusal_here(std::move(refusal));
  }
  if ((core_.edges().word() & Edges::kClientHooks) != 0) return carry_out_seen(call, invocation, now, std::move(begun));
  carry_out(call, invocation, now);
}

void RemoteTarget::follow(const corba::Call& call, const EffectivePolicies& policies, const CallLimits& limits,
                          Forward forward, Begun begun) {
  const std::int64_t now = Deadline::clock_now();
  Invocation invocation(call.operation, policies, Edges::kNever, now);
  limit(invocation, limits);
  const std::uint32_t parts = core_.registry().changes();
  auto ways = present_ways(invocation);
  if (ways && ways->first_here) {
    // A call that may not be bound anew goes where this place says, or nowhere.
    if (policies.calls.rebind != policy::Rebind::transparent)
      ways->routes.erase(ways->routes.begin() + 1, ways->routes.end());
    invocation.attempts.begin(PlacesPtr(new Places(*std::move(ways), parts)), 0);
    settle_here(std::move(forward), invocation);
  } else {  // the transport that the own place names has been withdrawn
    ways = ways_of(std::make_shared<const ior::Ior>(std::move(forward.ior)), invocation);
    if (!ways) raise(ways.error(), "following the location forward of this process: " + describe(ways.error()));
    invocation.attempts.begin(PlacesPtr(new Places(*std::move(ways), parts)), 0);
  }
  if ((core_.edges().word() & Edges::kHooks) != 0) return carry_out_seen(call, invocation, now, std::move(begun));
  carry_out(call, invocation, now);
}

void RemoteTarget::settle_here(Attempts::Answer answer, Invocation& invocation) {
  const bool forwarded = std::holds_alternative<Forward>(answer);
  bool again = false;
  if (forwarded) {
    again = follow_forward(std::get<Forward>(std::move(answer)), invocation);
  } else {
    auto refusal = std::get<Refusal>(std::move(answer));
    std::string what = refusal.detail;
    again = invocation.attempts.after_refusal(std::move(refusal), std::move(what));
  }
  go_on_after(again, forwarded, kHere, invocation);
}

/// Where the reference leads besides this ORB, and this ORB's own adapter, if it leads there: that comes first,
/// whatever is preferred.
base::Result<Ways> RemoteTarget::ways_with_here(const ior::Ior& ior, const policy::ProtocolPreference& preference) {
  std::vector<routing::Route> all;
  if (auto every = core_.registry().routes(ior, {})) {
    const auto foreign = core_.routes_elsewhere(ior, {});
    const auto is_own = [&](const routing::Route& route) {
      const auto is_it = [&](const routing::Route& other) {
        return other.key == route.key && other.object_key == route.object_key;
      };
      return !foreign || std::none_of(foreign->begin(), foreign->end(), is_it);
    };
    const auto own = std::find_if(every->begin(), every->end(), is_own);
    if (own != every->end()) all.push_back(std::move(*own));
  }
  auto others = core_.routes_elsewhere(ior, preference);
  const bool here = !all.empty();
  if (!here && !others) return others.error();
  if (others) all.insert(all.end(), std::move_iterator(others->begin()), std::move_iterator(others->end()));
  return Ways(std::move(all), here);
}

bool RemoteTarget::over_here(const corba::Call& call, Invocation& invocation) {
  while (invocation.attempts.here()) {
    auto answer = core_.serving_half().ask(core_, invocation.attempts.route().object_key, call, is_told(invocation),
                                           limits_of(invocation));
    if (!answer) return true;
    try {
      settle_here(*std::move(answer), invocation);
    } catch (const corba::SystemExceptionCore& exception) {
      if (is_told(invocation)) throw;
      CORBEL_LOG(core_.log(), server, debug, "request ends in an exception", {"exception", exception.what()},
                 {"operation", call.operation.name}, {"key", invocation.attempts.route().object_key}, {"peer", kHere});
      return true;
    }
  }
  return let_go(call, invocation);
}

/// A call that waits for nothing does not wait for a connection either: true if the call goes there by itself.
bool RemoteTarget::let_go(const corba::Call& call, const Invocation& invocation) {
  if (!waits_for_nothing(invocation)) return false;
  ior::Ior to = ior_of(invocation.attempts.place().reference);
  base::make_shared<RemoteTarget>(core_, std::move(to), policies_.overrides(), nullptr, Leads::elsewhere)->invoke(call);
  return true;
}

bool RemoteTarget::over_here_seen(const corba::Call& call, Invocation& invocation, ClientRequest& seen) {
  Attempts& attempts = invocation.attempts;
  while (attempts.here()) {
    begin_attempt(nullptr, invocation, seen);
    seen.here = true;
    core_.hooks()->before_send(seen);
    ior::Ior followed;
    if (seen.outcome == Outcome::pending) {
      auto answer = core_.serving_half().ask_seen(core_, attempts.route().object_key, call, is_told(invocation),
                                                  limits_of(invocation), seen);
      if (answer) try {
          const bool forwarded = std::holds_alternative<Forward>(*answer);
          settle_here(*std::move(answer), invocation);
          seen.outcome = forwarded ? Outcome::forward : Outcome::retry;
          seen.exception = nullptr;
        } catch (const corba::SystemExceptionCore&) {
          seen.outcome = is_told(invocation) ? Outcome::exception : Outcome::sent;
          seen.exception = is_told(invocation) ? std::current_exception() : nullptr;
        }
      followed = seen.forward;
      core_.hooks()->after_reply(seen);
    }
    if (conclude(nullptr, invocation, seen, followed)) return true;
  }
  return let_go(call, invocation);
}

}  // namespace corbel::orb
