// SPDX-License-Identifier: Apache-2.0
// Where a reference leads at present: the connection that calls use, how it is found, and when it is given up.
#include <algorithm>
#include <utility>

#include "corbel/base/log.hpp"
#include "corbel/corba/failure.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/orb/core.hpp"
#include "corbel/orb/error_map.hpp"
#include "corbel/orb/orb_type.hpp"
#include "corbel/orb/remote_target.hpp"
#include "corbel/routing/unmet.hpp"

namespace corbel::orb {

using base::Deadline;

RemoteTarget::BindingPtr RemoteTarget::bind(Invocation& invocation, std::int64_t now) {
  BindingPtr binding;
  if (!invocation.attempts.begun()) {
    binding = bound();
    if (binding && !binding->connection->usable(now)) {
      drop(*binding);
      binding = nullptr;
    }
    // Where no word is kept, each call may want something else than the one that bound it.
    if (binding && (binding->word != invocation.word || invocation.word == Edges::kNever)) {
      binding = is_outdated(*binding, invocation) ? nullptr : refresh(binding, invocation);
    }
    if (!binding) begin(invocation);
  }
  if (!binding) binding = connect(invocation);
  if (invocation.policies.calls.rebind == policy::Rebind::no_reconnect) binding->connection->bind_for_good();
  check_time(invocation, binding->connection->peer());
  return binding;
}

/// Checks that there is time for the request to leave.
void RemoteTarget::check_time(const Invocation& invocation, const std::string& peer) {
  if (invocation.leave_by.expired()) {
    corba::raise("TIMEOUT", corba::minor::kRequestEndTimePassed, kNo,
                 "the request's time was over before it left for " + peer);
  }
  if (invocation.deadline.expired()) {
    raise(base::error(base::Stage::send, base::Code::timed_out),
          "the call's time was over before its request left for " + peer + spent(invocation));
  }
}

/// Begins where the last call got through, or else with the reference's first place.
void RemoteTarget::begin(Invocation& invocation) {
  const bool fixed = is_fixed(invocation);
  if (fixed && invocation.policies.calls.rebind == policy::Rebind::no_reconnect) {
    corba::raise("REBIND", 0, kNo, "the connection is closed, and RebindPolicy NO_RECONNECT allows no other");
  }
  const std::uint32_t parts = core_.registry().changes();
  {
    const std::lock_guard lock(mutex_);
    // Parts that were added or withdrawn since may lead elsewhere.
    const bool same =
        places_ && places_->parts() == parts && policy::equal(options_, invocation.policies.calls.transport_options);
    if (places_ && (fixed || same)) return invocation.attempts.begin(places_, at_, fixed);
  }
  auto ways = present_ways(invocation);
  if (!ways) {
    raise(ways.error(), "connecting to any profile of the reference: " + describe(ways.error()) + spent(invocation));
  }
  if (lent_ != nullptr) {
    std::stable_partition(ways->routes.begin(), ways->routes.end(),
                          [&](const routing::Route& route) { return lent_->lends(route.endpoint->text()) != nullptr; });
  }
  invocation.attempts.begin(PlacesPtr(new Places(*std::move(ways), parts)), 0, false);
}

/// No place is left. Protocols and transports that came or went since the places were looked for may open other ways:
/// true if the call goes on with these. It ends because changes of the ORB end at some time.
bool RemoteTarget::look_again(Invocation& invocation) {
  if (leads_ == Leads::onward) return false;  // it was looked for just now
  Attempts& attempts = invocation.attempts;
  const std::uint32_t parts = core_.registry().changes();
  if (!attempts.nowhere_left() || attempts.refused_here() || attempts.fixed()) return false;
  if (attempts.places()->parts() == parts) return false;
  auto ways = present_ways(invocation);
  if (!ways) return false;
  attempts.renew(PlacesPtr(new Places(*std::move(ways), parts)));
  return true;
}

/// The connection that came with the reference, if it leads to the place. Only for places that the reference itself
/// names: a server that forwards says nothing for the peer that lends.
connection::ConnectionPtr RemoteTarget::find_lent(const Attempts& attempts) {
  if (lent_ == nullptr || !core_.bidirectional().accepts() || !attempts.at_origin()) return {};
  if (branch_ != nullptr && !branch_->connections.empty()) return {};  // others use it
  const routing::Route& route = attempts.route();
  if (route.options != nullptr) return {};  // it has those of the peer that made it
  if (!route.protocol->offers().both_ways || route.version.minor < 2) return {};
  {
    const std::lock_guard lock(mutex_);
    if (moved_ != nullptr) return {};
  }
  return lent_->lends(route.endpoint->text());
}

/// True if calls have to use another connection: one that offers the server to call back over it, or one with other
/// options.
bool RemoteTarget::is_outdated(const Binding& binding, const Invocation& invocation) {
  const policy::TransportOptionsPtr& wanted = invocation.policies.calls.transport_options;
  bool other = !policy::equal(binding.route().options, wanted);
  if (branch_ != nullptr && !branch_->carriers.empty()) {  // the route may have options of the branch
    const std::lock_guard lock(mutex_);
    other = !policy::equal(options_, wanted);
  }
  if (binding.lent && !other) return false;
  return !is_fixed(invocation) && (other || !core_.cache().offers_all(binding.route(), *binding.connection));
}

/// When the place is to be left for the next, if it has not answered. With little time it has an equal share of that.
Deadline RemoteTarget::head_start(const Invocation& invocation, std::size_t others) {
  base::Duration time = invocation.policies.calls.head_start;
  if (others == 0 || time == base::Duration::zero()) return Deadline::none();
  if (invocation.attempts.route().transport->factory().traits().shakes_hands) time *= 4;
  const Deadline end = earlier(invocation.deadline, invocation.leave_by);
  if (!end.is_none()) time = std::min(time, end.remaining() / static_cast<std::int64_t>(others + 1));
  return Deadline::after(time);
}

/// Tries place after place.
RemoteTarget::BindingPtr RemoteTarget::connect(Invocation& invocation) {
  Attempts& attempts = invocation.attempts;
  for (;;) {
    if (auto lent = find_lent(attempts)) return publish(std::move(lent), false, true, invocation);
    check_time(invocation, attempts.route().endpoint->text());
    bool fresh = false;
    const Deadline whole = invocation.connect_by();
    const Deadline limit = earlier(whole, head_start(invocation, attempts.others()));
    auto connection = core_.cache().acquire(attempts.route(), limit, fresh);
    if (connection) return publish(*std::move(connection), fresh, false, invocation);
    CORBEL_LOG(core_.log(), client, debug, "connecting failed", {"endpoint", attempts.route().endpoint->text()},
               {"error", connection.error()});
    const bool hurried = limit != whole && connection.error().code == base::Code::timed_out &&
                         Attempts::not_executed(connection.error());
    std::string what = "connecting to " + attempts.route().endpoint->text();
    if (routing::lacks_interface(attempts.route().endpoint->text()))
      what += " (an address of one link, which needs the interface, as in [fe80::1%eth0])";
    const bool again = (hurried ? attempts.after_head_start(connection.error(), std::move(what))
                                : attempts.after_failure(connection.error(), true, std::move(what))) ||
                       look_again(invocation);
    if (!again || invocation.deadline.expired() || invocation.leave_by.expired()) give_up(invocation);
  }
}

RemoteTarget::BindingPtr RemoteTarget::publish(connection::ConnectionPtr connection, bool fresh, bool lent,
                                               const Invocation& invocation) {
  const Attempts& attempts = invocation.attempts;
  base::IntrusivePtr<Binding> binding(new Binding);
  auto [places, at] = attempts.settled();
  binding->lead_to(std::move(places), at);
  binding->connection = std::move(connection);
  if (!lent) binding->oneways = connect_oneways(invocation);
  binding->context = lent ? &lent_->context() : &core_.context();
  binding->lent = lent;
  binding->policies = EffectivePtr(&invocation.policies);
  binding->word = invocation.policies.calls.plain() ? invocation.word : Edges::kNever;
  CORBEL_LOG(core_.log(), client, debug, "bound", {"endpoint", attempts.route().endpoint->text()},
             {"protocol", attempts.route().protocol->name()}, {"key", attempts.route().object_key}, {"fresh", fresh},
             {"lent", lent}, {"orb_type", orb_type_of(ior_)});
  // The next call finds it no longer fresh: a connection that served once may go stale and is then retried.
  base::IntrusivePtr<Binding> kept(new Binding(*binding));
  binding->fresh = fresh;
  BindingPtr before;
  {
    const std::lock_guard lock(mutex_);
    places_ = kept->places;
    options_ = invocation.policies.calls.transport_options;
    at_ = kept->at;
    before = std::exchange(binding_, std::move(kept));
  }
  // Requests that are kept back there were called before those that go another way from now on.
  if (before && before->connection != binding->connection && before->connection->has_backlog()) {
    (void)before->connection->flush_oneways(Deadline::now());
  }
  return binding;
}

/// The same binding under the policies of a call that begins now: made once after they have changed.
RemoteTarget::BindingPtr RemoteTarget::refresh(const BindingPtr& binding, const Invocation& invocation) {
  const policy::ClientPolicies& calls = invocation.policies.calls;
  const bool becomes_fixed = calls.rebind != policy::Rebind::transparent && binding->word != Edges::kNever;
  if (!becomes_fixed && (invocation.word == Edges::kNever || !calls.plain())) return binding;
  base::IntrusivePtr<Binding> renewed(new Binding(*binding));
  renewed->policies = EffectivePtr(&invocation.policies);
  renewed->word = becomes_fixed ? Edges::kNever : invocation.word;
  const std::lock_guard lock(mutex_);
  if (binding_ != binding) return binding;
  binding_ = renewed;
  got_through_ = got_through_ || becomes_fixed;  // calls that might leave it have used it
  return renewed;
}

void RemoteTarget::drop(const Binding& binding) {
  // The connection may be well, and just be left.
  if (!binding.connection->failed() && binding.connection->has_backlog())
    (void)binding.connection->flush_oneways(Deadline::now());
  core_.cache().forget(binding.route(), *binding.connection);
  const std::lock_guard lock(mutex_);
  if (binding_ && binding_->connection == binding.connection) binding_.reset();
  if (apart_ && apart_->connection == binding.connection) apart_.reset();
}

/// The next call begins with the reference again, unless it must not.
void RemoteTarget::forget_way(const Invocation& invocation) {
  const bool fixed = is_fixed(invocation);
  const std::lock_guard lock(mutex_);
  binding_.reset();
  if (fixed) return;
  places_.reset();
  moved_ = nullptr;  // the server that said so may have been wrong
}

RemoteTarget::ReferencePtr RemoteTarget::present() {
  const std::lock_guard lock(mutex_);
  return moved_;
}

base::Result<Ways> RemoteTarget::present_ways(const Invocation& invocation) {
  return ways_of(present(), invocation);
}

bool RemoteTarget::is_fixed(const Invocation& invocation) {
  if (invocation.policies.calls.rebind == policy::Rebind::transparent) return false;
  const std::lock_guard lock(mutex_);
  return got_through_;
}

void RemoteTarget::rebind() try {
  const EffectivePtr policies = core_.policies().effective(policies_);
  {
    const std::lock_guard lock(mutex_);
    got_through_ = false;
  }
  find_way(*policies);
} catch (corba::SystemExceptionCore& exception) {
  exception.ends_own_call();
  throw;
}

transport::LentMemory RemoteTarget::lend(std::size_t octets) try {
  if (core_.left_behind()) return {};  // as for what a fork's child calls otherwise, which needs no thread of this ORB
  const auto usable = [](const BindingPtr& binding) {
    return binding && binding->connection->usable(Deadline::clock_now());
  };
  BindingPtr binding = bound();
  if (!usable(binding)) {
    find_way(*core_.policies().effective(policies_));
    binding = bound();
  }
  return usable(binding) ? binding->connection->lend(octets) : transport::LentMemory();
} catch (corba::SystemExceptionCore& exception) {
  exception.ends_own_call();
  throw;
}

void RemoteTarget::find_way(const EffectivePolicies& policies) {
  const std::int64_t now = Deadline::clock_now();
  static constexpr corba::Operation kNone{"_validate_connection"};
  Invocation invocation(kNone, policies, Edges::kNever, now);
  invocation.limit(now);
  (void)bind(invocation, now);
}

}  // namespace corbel::orb
