// SPDX-License-Identifier: Apache-2.0
// Calls of remote objects that hooks see: each attempt is a request of its own to them, with a beginning and an end.
#include <string>
#include <utility>

#include "corbel/corba/exception_core.hpp"
#include "corbel/orb/core.hpp"
#include "corbel/orb/current_exception.hpp"
#include "corbel/orb/error_map.hpp"
#include "corbel/orb/invocation_policies.hpp"
#include "corbel/orb/no_memory.hpp"
#include "corbel/orb/remote_call.hpp"
#include "corbel/orb/remote_target.hpp"

namespace corbel::orb {
namespace {

/// What an interceptor raised, for the log.
std::string what_became_of(const HookedRequest& request) {
  if (request.outcome == Outcome::forward) return "forwarded";
  try {
    throw_outcome(request);
    return {};
  } catch (...) {
    return what_was_thrown();
  }
}

}  // namespace

void throw_outcome(const HookedRequest& request) {
  if (request.outcome == Outcome::exception) std::rethrow_exception(request.exception);
  if (request.outcome == Outcome::forward) throw LocationForward{request.forward, false};
}

void RemoteTarget::begin_seen(const corba::Operation& operation, const Invocation& invocation, ClientRequest& seen) {
  seen.operation = operation.name;
  seen.values = {operation.values, nullptr};  // as long as the call
  seen.response_expected = !operation.oneway;
  seen.sync_scope = operation.oneway ? invocation.policies.calls.sync_scope : policy::SyncScope::with_target;
  if (seen.target == nullptr) seen.target = shared_from(this);
  core_.hooks()->begin_call(seen);
}

void RemoteTarget::begin_attempt(const Binding* binding, const Invocation& invocation, ClientRequest& seen) {
  seen.outcome = Outcome::pending;
  seen.exception = nullptr;
  seen.forward = {};
  seen.here = false;
  seen.reply_contexts.clear();
  seen.request_contexts.clear();
  if (auto policies = encode_invocation_policies(invocation.policies.calls); !policies.empty()) {
    (void)seen.request_contexts.add(kInvocationPoliciesContext, std::move(policies), true);
  }
  if (binding == nullptr && !invocation.attempts.begun()) {  // it has not come to any place
    seen.effective = ior_of(present());
    seen.effective_profile = 0;
    return;
  }
  const Places::Place& place = binding == nullptr ? invocation.attempts.place() : *binding->place;
  seen.effective = ior_of(place.reference);
  const bool unanswered = !seen.response_expected && (seen.sync_scope == policy::SyncScope::none ||
                                                      seen.sync_scope == policy::SyncScope::with_transport);
  const bool apart = unanswered && binding != nullptr && binding->oneways && !binding->oneways->failed();
  seen.effective_profile = apart ? place.route.oneways->profile : place.route.profile;
}

/// A connection for the next attempt, which begins with it; else the outcome that keeping it from being sent has.
RemoteTarget::BindingPtr RemoteTarget::bind_seen(Invocation& invocation, std::int64_t now, ClientRequest& seen) {
  BindingPtr binding;
  std::exception_ptr unreachable;
  try {
    binding = bind_at_once(invocation, now);
  } catch (const corba::SystemExceptionCore&) {
    unreachable = std::current_exception();
  }
  begin_attempt(binding.get(), invocation, seen);
  core_.hooks()->before_send(seen);
  if (unreachable != nullptr && seen.outcome == Outcome::pending) {
    seen.outcome = Outcome::exception;
    seen.exception = unreachable;
    core_.hooks()->after_reply(seen);
  } else if (!binding && seen.outcome == Outcome::pending) {
    seen.outcome = Outcome::sent;  // as far as the caller is to know
    core_.hooks()->after_reply(seen);
  }
  return binding;
}

void RemoteTarget::carry_out_seen(const corba::Call& call, Invocation& invocation, std::int64_t now, Begun begun) {
  ClientRequest seen;
  seen.target = std::move(begun.target);
  seen.slots = std::move(begun.slots);
  begin_seen(call.operation, invocation, seen);
  for (;;) {
    if (leads_ == Leads::onward && over_here_seen(call, invocation, seen)) return;
    const BindingPtr binding = bind_seen(invocation, now, seen);
    ior::Ior followed;
    if (seen.outcome == Outcome::pending) {
      try_and_note(*binding, call, invocation, seen);
      followed = seen.forward;
      core_.hooks()->after_reply(seen);
    }
    if (conclude(binding.get(), invocation, seen, followed)) return;
  }
}

void RemoteTarget::try_and_note(const Binding& binding, const corba::Call& call, Invocation& invocation,
                                ClientRequest& seen) {
  try {
    const base::Status status = try_once_seen(binding, call, invocation, seen);
    if (status && invocation.attempts.well()) {
      note_success(invocation);
      seen.outcome = call.operation.oneway ? Outcome::sent : Outcome::reply;
      return;
    }
    const Forward* forward = status ? invocation.attempts.forward() : nullptr;
    const Outcome outcome = forward == nullptr ? Outcome::retry : Outcome::forward;
    ior::Ior to = forward == nullptr ? ior::Ior() : forward->ior;
    after(binding, status, invocation);
    seen.outcome = outcome;
    seen.forward = std::move(to);
  } catch (const std::bad_alloc&) {
    seen.outcome = Outcome::exception;
    seen.exception = no_memory_for_arguments();
  } catch (...) {
    seen.outcome = Outcome::exception;
    seen.exception = std::current_exception();
  }
}

bool RemoteTarget::conclude(const Binding* binding, Invocation& invocation, ClientRequest& seen,
                            const ior::Ior& followed) {
  switch (seen.outcome) {
    case Outcome::reply:
    case Outcome::sent:
      return true;
    case Outcome::exception:
      std::rethrow_exception(seen.exception);
    case Outcome::forward:
      // A server's forward has been followed already.
      if (followed.is_nil() || !(seen.forward == followed)) forward_to(binding, invocation, seen.forward);
      return false;
    case Outcome::retry:
    case Outcome::pending:
      return false;
  }
  return false;
}

/// Where hooks send the call.
void RemoteTarget::forward_to(const Binding* binding, Invocation& invocation, const ior::Ior& forward) {
  Attempts& attempts = invocation.attempts;
  const bool fixed = is_fixed(invocation);
  if (fixed && !attempts.begun() && binding == nullptr) begin(invocation);
  auto ways = ways_of(std::make_shared<const ior::Ior>(forward), invocation);
  if (!attempts.begun()) {
    if (binding == nullptr) {
      if (!ways) raise(ways.error(), "following the forward of an interceptor: " + describe(ways.error()));
      return attempts.begin(PlacesPtr(new Places(*std::move(ways))), 0);
    }
    attempts.begin(binding->places, binding->at, fixed);
  }
  if (fixed) keep_agreeing(ways, forward, "an interceptor", invocation);
  const bool again = attempts.after_forward(std::move(ways), invocation.policies.calls.forward_limit, false);
  if (!again || invocation.deadline.expired()) give_up(invocation);
}

/// One attempt; how it went is noted. If the request has left, this may be gone.
void RemoteCall::start_seen(const RemoteTarget::BindingPtr& binding, ClientRequest& seen) {
  try {
    std::vector<messaging::ServiceContext> contexts;
    seen.request_contexts.view(contexts);
    if (const base::Status sent = start(binding, contexts); !sent) {
      target_->recover(*binding, sent.error(), invocation_);
      seen.outcome = Outcome::retry;
    } else {
      seen.outcome = Outcome::sent;
    }
  } catch (const std::bad_alloc&) {
    seen.outcome = Outcome::exception;
    seen.exception = no_memory_for_arguments();
  } catch (...) {  // the application's marshalling code may throw, too
    seen.outcome = Outcome::exception;
    seen.exception = std::current_exception();
  }
}

/// As send(). To hooks the request is over when it has left; the reply belongs to none.
void RemoteCall::send_seen() {
  const base::SharedPtr<RemoteTarget> target = target_;  // this may be gone when the request has left
  CallHooks& hooks = *target->core_.hooks();
  ClientRequest seen;
  seen.slots = slots_;
  target->begin_seen(call().operation(), invocation_, seen);
  slots_ = seen.slots;
  for (;;) {
    const auto binding = target->bind_seen(invocation_, base::Deadline::clock_now(), seen);
    if (seen.outcome == Outcome::pending) {
      start_seen(binding, seen);
      const bool has_left = seen.outcome == Outcome::sent;
      hooks.after_reply(seen);
      if (has_left) {
        if (seen.outcome != Outcome::sent) {
          CORBEL_LOG(target->core_.log(), client, warning, "interceptor raised what nobody waits for",
                     {"operation", seen.operation}, {"outcome", what_became_of(seen)});
        }
        return;
      }
    }
    (void)target->conclude(binding.get(), invocation_, seen, {});
  }
}

}  // namespace corbel::orb
