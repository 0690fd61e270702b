// SPDX-License-Identifier: Apache-2.0
// How requests that want no reply find their connection.
#include <utility>

#include "corbel/base/log.hpp"
#include "corbel/orb/core.hpp"
#include "corbel/orb/remote_target.hpp"

namespace corbel::orb {

using base::Deadline;

/// The connection for requests that want no reply. If it cannot be made, they go with the others.
connection::ConnectionPtr RemoteTarget::connect_oneways(const Invocation& invocation) {
  const routing::Route* route = invocation.attempts.route().oneways.get();
  if (route == nullptr) return {};
  bool fresh = false;
  auto connection = core_.cache().acquire(*route, invocation.connect_by(), fresh);
  if (connection) return *std::move(connection);
  CORBEL_LOG(core_.log(), client, debug, "connecting failed", {"endpoint", route->endpoint->text()},
             {"error", connection.error()});
  return {};
}

/// For a oneway to a group that has, beside it, a place which answers: that one need not be there. Null if the call
/// needs it, or is bound to it already.
RemoteTarget::BindingPtr RemoteTarget::bind_apart(const Invocation& invocation, std::int64_t now) {
  const policy::ClientPolicies& calls = invocation.policies.calls;
  const bool unanswered =
      calls.sync_scope == policy::SyncScope::none || calls.sync_scope == policy::SyncScope::with_transport;
  if (!invocation.operation.oneway || !unanswered || invocation.attempts.begun()) return {};
  if (calls.rebind != policy::Rebind::transparent || lent_ != nullptr || leads_ == Leads::onward) return {};
  if (core_.is_shut_down() || core_.left_behind()) return {};
  BindingPtr bound;
  BindingPtr apart;
  {
    const std::lock_guard lock(mutex_);
    bound = binding_;
    apart = apart_;
  }
  if (bound && bound->connection->usable(now)) return {};
  const bool same = apart && apart->word == invocation.word && apart->word != Edges::kNever;
  if (!same || !apart->connection->usable(now)) apart = connect_apart(invocation);
  if (apart) check_time(invocation, apart->connection->peer());
  return apart;
}

RemoteTarget::BindingPtr RemoteTarget::connect_apart(const Invocation& invocation) {
  const std::uint32_t parts = core_.registry().changes();
  auto ways = present_ways(invocation);
  if (!ways || ways->routes.empty()) return {};
  const auto group = ways->routes.front().oneways;
  if (group == nullptr || group->transport->factory().traits().group_profile == 0) return {};
  base::IntrusivePtr<Binding> binding(new Binding);
  auto connection = core_.cache().acquire(*group, invocation.connect_by(), binding->fresh);
  if (!connection) return {};
  binding->lead_to(PlacesPtr(new Places(*std::move(ways), parts)), 0);
  binding->connection = binding->oneways = *std::move(connection);
  binding->context = &core_.context();
  binding->policies = EffectivePtr(&invocation.policies);
  binding->word = invocation.policies.calls.plain() ? invocation.word : Edges::kNever;
  base::IntrusivePtr<Binding> kept(new Binding(*binding));
  kept->fresh = false;
  const std::lock_guard lock(mutex_);
  apart_ = std::move(kept);
  return binding;
}

RemoteTarget::BindingPtr RemoteTarget::bind_at_once(Invocation& invocation, std::int64_t now) {
  if (auto apart = bind_apart(invocation, now)) return apart;
  const bool waits = !invocation.operation.oneway || invocation.policies.calls.sync_scope != policy::SyncScope::none ||
                     invocation.policies.calls.overflow == policy::OnewayOverflow::wait;
  // A call that has begun may know other places than the reference does.
  if (waits || invocation.attempts.begun()) return bind(invocation, now);
  const auto usable = [&](const BindingPtr& binding) { return binding && binding->connection->usable(now); };
  if (core_.is_shut_down() || core_.left_behind() || usable(bound())) return bind(invocation, now);
  Searches::SearchPtr search;
  {
    const std::lock_guard lock(mutex_);
    if (search_ == nullptr || search_->over()) {
      search_ = core_.searches().start(
          [self = shared_from(this), policies = EffectivePtr(&invocation.policies)] { self->find_way(*policies); });
    }
    search = search_;
  }
  if (search != nullptr && search->wait_a_moment(earlier(invocation.deadline, invocation.leave_by))) {
    if (auto binding = bound(); usable(binding)) return binding;
  }
  core_.cache().count_dropped_oneway();
  if (search == nullptr || search->tell()) {
    const bool late = earlier(invocation.deadline, invocation.leave_by).expired();
    CORBEL_LOG(core_.log(), client, warning, "oneway messages dropped", {"operation", invocation.operation.name},
               {"why", late ? "their time was over" : "no connection yet, and the caller does not wait"});
  }
  return {};
}

bool RemoteTarget::flush_oneways(Deadline deadline) {
  core_.check_process();
  BindingPtr binding;
  BindingPtr apart;
  {
    const std::lock_guard lock(mutex_);
    binding = binding_;
    apart = apart_;
  }
  bool flushed = true;
  for (const BindingPtr& each : {apart, binding}) {
    if (!each) continue;
    flushed = (!each->oneways || each->oneways->flush_oneways(deadline).ok()) && flushed;
    flushed = each->connection->flush_oneways(deadline).ok() && flushed;
  }
  return flushed;
}

}  // namespace corbel::orb
