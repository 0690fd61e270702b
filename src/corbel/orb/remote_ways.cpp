// SPDX-License-Identifier: Apache-2.0
// The ways that a reference leads, and which of them policies and branches take.
#include <algorithm>
#include <iterator>
#include <utility>

#include "corbel/corba/failure.hpp"
#include "corbel/orb/core.hpp"
#include "corbel/orb/error_map.hpp"
#include "corbel/orb/exposed_policies.hpp"
#include "corbel/orb/remote_target.hpp"
#include "corbel/routing/route_options.hpp"

namespace corbel::orb {

namespace {

/// Routes of a branch share connections only with those of branches that say the same.
void set_apart(std::vector<routing::Route>& routes, const std::string& connections) {
  if (connections.empty()) return;
  for (routing::Route& route : routes) {
    route.key += connections;
    if (route.oneways == nullptr) continue;
    routing::Route apart = *route.oneways;
    apart.key += connections;
    route.oneways = std::make_shared<const routing::Route>(std::move(apart));
  }
}

bool takes(const Branch::Carrier& carrier, const routing::Route& route) {
  return carrier.takes(route.protocol->name(), route.transport->factory().scheme());
}

/// What wants no reply has to be carried, too, where it goes another way; it goes alone if nothing else is carried.
void keep_carried_oneways(std::vector<routing::Route>& routes, const Branch& branch) {
  const auto oneways = routes.empty() ? nullptr : routes.front().oneways;  // of all
  if (oneways == nullptr) return;
  const auto taken = [&](const routing::Route& route) {
    return std::ranges::any_of(branch.carriers, [&](const Branch::Carrier& one) { return takes(one, route); });
  };
  if (!taken(*oneways)) {
    for (routing::Route& route : routes) route.oneways = nullptr;
  } else if (std::ranges::none_of(routes, taken)) {
    routes.assign(1, *oneways);
  }
}

/// Leaves the routes that the branch's carriers take, in its order, with its options or, where it has none, with those
/// that are wanted. Returns why the others do not do, in words; empty if all do.
std::string keep_carried(std::vector<routing::Route>& routes, const Branch& branch,
                         const policy::TransportOptionsPtr& wanted) {
  std::string why;
  std::vector<routing::Route> kept;
  keep_carried_oneways(routes, branch);
  for (const Branch::Carrier& carrier : branch.carriers) {
    const auto named = std::stable_partition(routes.begin(), routes.end(),
                                             [&](const routing::Route& route) { return !takes(carrier, route); });
    std::vector<routing::Route> carried(std::make_move_iterator(named), std::make_move_iterator(routes.end()));
    routes.erase(named, routes.end());
    const policy::TransportOptionsPtr& options = carrier.options != nullptr ? carrier.options : wanted;
    if (options != nullptr) {
      const std::string reason = routing::keep_fitting(carried, 0, options);
      if (!reason.empty()) why += (why.empty() ? "" : "; ") + reason;
    }
    std::ranges::move(carried, std::back_inserter(kept));
  }
  if (kept.empty() && why.empty()) why = "the reference has none of the protocols that ClientProtocolPolicy names";
  routes = std::move(kept);
  return why;
}

/// Says of routes to what a branch makes of a reference which profile of the reference itself each comes from. `all`:
/// the reference's own routes. It may list the endpoint in one of them, of the same transport.
void name_profiles(std::vector<routing::Route>& routes, const std::vector<routing::Route>& all) {
  for (routing::Route& route : routes) {
    const auto is_it = [&](const routing::Route& one) {
      return one.key == route.key && one.object_key == route.object_key;
    };
    const auto lists_it = [&](const routing::Route& one) {
      return one.transport == route.transport && one.object_key == route.object_key;
    };
    auto found = std::ranges::find_if(all, is_it);
    if (found == all.end()) found = std::ranges::find_if(all, lists_it);
    route.profile = found == all.end() ? 0 : found->profile;
  }
}

}  // namespace

/// The routes to a reference that lead where this branch does, by whatever.
base::Result<std::vector<routing::Route>> RemoteTarget::routes_of_branch(const ior::Ior& ior,
                                                                         const EffectivePolicies& policies) {
  return core_.registry().routes(branch_->narrow ? branch_->narrow(ior) : ior, policies.preference);
}

/// The ways to a reference that are this branch's. Throws INV_POLICY if none is.
base::Result<Ways> RemoteTarget::ways_of_branch(const ior::Ior& ior, const EffectivePolicies& policies) {
  auto routes = routes_of_branch(ior, policies);
  if (!routes) return routes.error();
  if (branch_->narrow) {
    const auto all = core_.registry().routes(ior, {});
    name_profiles(*routes, all ? *all : std::vector<routing::Route>());
  }
  if (!branch_->carriers.empty()) {
    const std::string why = keep_carried(*routes, *branch_, policies.calls.transport_options);
    if (routes->empty()) corba::raise("INV_POLICY", 0, kNo, why);
    return Ways(*std::move(routes));
  }
  Ways ways(*std::move(routes));
  if (policies.calls.transport_options != nullptr) keep_fitting(ways, policies.calls.transport_options);
  return ways;
}

void RemoteTarget::keep_agreeing(base::Result<Ways>& ways, const ior::Ior& to, const std::string& by,
                                 const Invocation& invocation) const {
  if (invocation.policies.calls.rebind == policy::Rebind::no_reconnect) {
    corba::raise("REBIND", 0, kNo, "forwarded by " + by + ", and RebindPolicy NO_RECONNECT does not allow to go there");
  }
  if (!ways) return;
  const Places::Place& here = invocation.attempts.place();
  const auto differs = [&](const routing::Route& route) {
    return !have_same_policies(ior_of(here.reference), here.route.profile, to, route.profile);
  };
  if (ways->first_here) ways->first_here = !differs(ways->routes.front());
  std::erase_if(ways->routes, differs);
  if (!ways->routes.empty()) return;
  corba::raise("REBIND", 0, kNo,
               "forwarded by " + by + " to where other policies hold, and RebindPolicy NO_REBIND does not allow that");
}

/// Leaves the ways over transports that have the options which are wanted. Throws INV_POLICY if that is none.
void RemoteTarget::keep_fitting(Ways& ways, const policy::TransportOptionsPtr& wanted) {
  const std::string why = routing::keep_fitting(ways.routes, ways.first_here ? 1 : 0, wanted);
  if (ways.routes.empty()) corba::raise("INV_POLICY", 0, kNo, "TransportOptionsPolicy: " + why);
}

base::Result<Ways> RemoteTarget::ways_of(ReferencePtr reference, const Invocation& invocation) {
  auto ways = routes_of(ior_of(reference), invocation);
  if (ways) ways->reference = std::move(reference);
  return ways;
}

base::Result<Ways> RemoteTarget::routes_of(const ior::Ior& ior, const Invocation& invocation) {
  const policy::ProtocolPreference& preference = invocation.policies.preference;
  const policy::TransportOptionsPtr& wanted = invocation.policies.calls.transport_options;
  if (branch_ != nullptr) {
    auto ways = ways_of_branch(ior, invocation.policies);
    if (ways) set_apart(ways->routes, branch_->connections);
    return ways;
  }
  if (leads_ == Leads::onward) {
    auto ways = ways_with_here(ior, preference);
    if (ways && wanted != nullptr) keep_fitting(*ways, wanted);
    return ways;
  }
  auto routes =
      leads_ == Leads::elsewhere ? core_.routes_elsewhere(ior, preference) : core_.registry().routes(ior, preference);
  if (!routes) return routes.error();
  Ways ways(*std::move(routes));
  if (wanted != nullptr) keep_fitting(ways, wanted);
  return ways;
}

/// One: that of the carriers if they leave no way whatever else is wanted, else that of the options.
corba::PolicyCores RemoteTarget::unfit_policies() {
  const EffectivePtr policies = core_.policies().effective(policies_);
  std::uint32_t type = policies->calls.transport_options == nullptr ? 0 : policy::kTransportOptionsType;
  if (branch_ != nullptr && !branch_->carriers.empty()) {
    const ReferencePtr reference = present();
    auto routes = routes_of_branch(ior_of(reference), *policies);
    if (!routes) return {};
    (void)keep_carried(*routes, *branch_, nullptr);
    if (routes->empty()) type = branch_->carriers_policy;
  }
  auto unfit = type == 0 ? nullptr : policy(type);
  return unfit == nullptr ? corba::PolicyCores() : corba::PolicyCores{std::move(unfit)};
}

}  // namespace corbel::orb
