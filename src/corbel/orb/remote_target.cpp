// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/remote_target.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "corbel/base/log.hpp"
#include "corbel/base/probe.hpp"
#include "corbel/connection/sending.hpp"
#include "corbel/corba/exception_core.hpp"
#include "corbel/orb/call_trace.hpp"
#include "corbel/orb/core.hpp"
#include "corbel/orb/error_map.hpp"
#include "corbel/orb/invocation_policies.hpp"
#include "corbel/orb/no_memory.hpp"
#include "corbel/orb/remote_call.hpp"

namespace corbel::orb {

using base::Deadline;

/// How long a call waits for what is kept back on another connection than it will take itself.
constexpr base::Duration kLongestFlush = std::chrono::milliseconds(20);

RemoteTarget::RemoteTarget(Core& core, ior::Ior ior, corba::PolicySetPtr overrides, LentPtr lent, Leads leads,
                           BranchPtr branch)
    : core_(core),
      owner_(core.owner()),
      ior_(std::move(ior)),
      policies_(std::move(overrides)),
      lent_(std::move(lent)),
      leads_(leads),
      branch_(std::move(branch)) {}

cdr::Context& RemoteTarget::context() const noexcept {
  return core_.context();
}

corba::TargetPtr RemoteTarget::with_overrides(corba::PolicySetPtr overrides) const {
  return core_.make_target(ior_, std::move(overrides), lent_);
}

corba::TargetPtr RemoteTarget::called_directly() {
  ior::Ior ior = ior_;
  return core_.make_target_here(ior, policies_.overrides());
}

corba::PolicyCorePtr RemoteTarget::policy(std::uint32_t type) {
  return core_.policies().find(policies_, type);
}

/// Whether the operation was executed, as far as the status of its reply tells.
static corba::Completed completed_by(messaging::ReplyStatus status) noexcept {
  switch (status) {
    case messaging::ReplyStatus::no_exception:
    case messaging::ReplyStatus::user_exception:
      return corba::Completed::yes;
    case messaging::ReplyStatus::system_exception:
      return kMaybe;
    case messaging::ReplyStatus::location_forward:
    case messaging::ReplyStatus::location_forward_perm:
    case messaging::ReplyStatus::needs_addressing_mode:
      return kNo;
  }
  return kMaybe;
}

template <bool kKeeps>
[[gnu::always_inline]] inline base::Status RemoteTarget::try_once(const Binding& binding,
                                                                  messaging::OutgoingRequest& request,
                                                                  const corba::Call& call, Invocation& invocation,
                                                                  [[maybe_unused]] KeptContexts* kept) {
  aim(request, binding.route());
  request.operation = call.operation.name;
  if (call.operation.oneway) {
    const bool apart = binding.oneways && !binding.oneways->failed();
    connection::Connection& connection = apart ? *binding.oneways : *binding.connection;
    if (apart) {
      connection.use(Deadline::clock_now());
      aim(request, *binding.route().oneways);
    }
    switch (invocation.policies.calls.sync_scope) {
      case policy::SyncScope::none:
        return post(connection, request, call, invocation);
      case policy::SyncScope::with_transport:
        request.response = messaging::Response::none;
        return connection.send_oneway(request, call.encode_arguments,
                                      earlier(invocation.deadline, invocation.leave_by));
      case policy::SyncScope::with_server:
        request.response = messaging::Response::with_server;
        break;
      case policy::SyncScope::with_target:
        break;
    }
    aim(request, binding.route());
  }
  const auto handle = [&](const messaging::IncomingReply& reply, cdr::Decoder& body) {
    on_reply(call.operation, call.decode_results, reply, body, invocation.attempts, *binding.context);
  };
  const auto keep_and_handle = [&](const messaging::IncomingReply& reply, cdr::Decoder& body) {
    try {
      kept->keep(reply.contexts);
    } catch (const std::bad_alloc&) {
      raise_no_memory(base::Stage::receive, completed_by(reply.status));
    }
    handle(reply, body);
  };
  connection::OnReply on_reply_here = handle;
  if constexpr (kKeeps) on_reply_here = keep_and_handle;
  connection::Caller caller;
  if (binding.connection->enter(caller)) [[likely]]
    return binding.connection->call(caller, request, call.encode_arguments, invocation.deadline, on_reply_here);
  return share(binding, caller, request, call, invocation, on_reply_here);
}

[[gnu::always_inline]] inline bool RemoteTarget::settled(const BindingPtr& binding, std::int64_t now) const {
  return binding && binding->word == core_.edges().word() && binding->connection->usable(now);
}

// try_once() and all that usual calls need is inlined here.
void RemoteTarget::invoke(const corba::Call& call) try {
  CORBEL_PROBE("remote target");
  const std::int64_t now = Deadline::clock_now();
  const BindingPtr binding = bound();
  if (!settled(binding, now)) [[unlikely]]
    return invoke_unsettled(call, now);
  Invocation invocation(call.operation, *binding->policies, binding->word, now);
  messaging::OutgoingRequest request;
  const base::Status status = try_once<false>(*binding, request, call, invocation, nullptr);
  if (status && invocation.attempts.well()) [[likely]]
    return;
  after(*binding, status, invocation);
  carry_out(call, invocation, now);
} catch (corba::SystemExceptionCore& exception) {
  exception.ends_own_call();
  throw;
} catch (const std::bad_alloc&) {
  raise_no_memory_for_arguments(true);
}

/// The long way: something is installed, policies have changed or there is no connection.
[[gnu::noinline]] void RemoteTarget::invoke_unsettled(const corba::Call& call, std::int64_t now) {
  const std::uint64_t word =
      core_.edges().word();  // before the policies: if they change in between, the next call sees
  const EffectivePtr policies = core_.policies().effective(policies_);
  Invocation invocation(call.operation, *policies, Edges::memorable(word), now);
  invocation.limit(now);
  const CallTrace trace(core_.log());
  if (trace.on()) return carry_out_traced(call, invocation, now, trace);
  carry_out(call, invocation, now);
}

/// Calls and tells about it.
void RemoteTarget::carry_out_traced(const corba::Call& call, Invocation& invocation, std::int64_t now,
                                    const CallTrace& trace) try {
  carry_out(call, invocation, now);
  tell(trace, call.operation, "ok");
} catch (const corba::SystemExceptionCore& exception) {
  tell(trace, call.operation, exception._rep_id());
  throw;
} catch (const corba::UserExceptionCore& exception) {
  tell(trace, call.operation, exception._rep_id());
  throw;
}

void RemoteTarget::tell(const CallTrace& trace, const corba::Operation& operation, std::string_view outcome) {
  const BindingPtr binding = bound();
  if (!binding) return trace.tell(operation.name, {}, "none", outcome);
  trace.tell(operation.name, binding->route().object_key, binding->connection->peer(), outcome);
}

/// Attempt after attempt.
void RemoteTarget::carry_out(const corba::Call& call, Invocation& invocation, std::int64_t now) {
  if ((core_.edges().word() & Edges::kClientHooks) != 0) return carry_out_seen(call, invocation, now);
  const InvocationContexts contexts(invocation.policies.calls);
  for (;;) {
    if (leads_ == Leads::onward && over_here(call, invocation)) return;
    const BindingPtr binding = bind_at_once(invocation, now);
    if (!binding) return;
    messaging::OutgoingRequest request;
    request.contexts = contexts.all();
    const base::Status status = try_once<false>(*binding, request, call, invocation, nullptr);
    if (status && invocation.attempts.well()) return note_success(invocation);
    after(*binding, status, invocation);
  }
}

base::Status RemoteTarget::try_once_seen(const Binding& binding, const corba::Call& call, Invocation& invocation,
                                         ClientRequest& seen) {
  std::vector<messaging::ServiceContext> contexts;
  seen.request_contexts.view(contexts);
  messaging::OutgoingRequest request;
  request.contexts = contexts;
  return try_once<true>(binding, request, call, invocation, &seen.reply_contexts);
}

void RemoteTarget::invoke_async(corba::AsyncCall& call) try {
  const std::int64_t now = Deadline::clock_now();
  RemoteCall* begun = nullptr;
  if (const BindingPtr binding = bound(); settled(binding, now) && core_.calls_async()) [[likely]] {
    begun = &call.emplace_carrier<RemoteCall>(call, shared_from(this), *binding->policies, nullptr, binding,
                                              binding->word, now);
    begun->begin(binding);
  } else {
    core_.start_threads();
    const std::uint64_t word = Edges::memorable(core_.edges().word());
    EffectivePtr policies = core_.policies().effective(policies_);
    const EffectivePolicies& effective = *policies;
    begun =
        &call.emplace_carrier<RemoteCall>(call, shared_from(this), effective, std::move(policies), nullptr, word, now);
    begun->begin(nullptr);
  }
  // The end may have given up all calls before this one was under way. (The caller keeps it.)
  if (!core_.calls_async()) [[unlikely]]
    begun->give_up();
} catch (corba::SystemExceptionCore& exception) {
  exception.ends_own_call();
  throw;
} catch (const std::bad_alloc&) {
  raise_no_memory_for_arguments(true);
}

/// Other calls are under way on the binding's connection: takes another one, or shares it if there may be no more.
[[gnu::noinline]] base::Status RemoteTarget::share(const Binding& binding, connection::Caller& caller,
                                                   const messaging::OutgoingRequest& request, const corba::Call& call,
                                                   Invocation& invocation, connection::OnReply on_reply) {
  if (binding.lent) {
    return binding.connection->call(caller, request, call.encode_arguments, invocation.deadline, on_reply);
  }
  // What is kept back there was called before this. A peer that does not read there may read elsewhere.
  if (binding.connection->has_backlog()) {
    const auto by = earlier(invocation.deadline, Deadline::after(kLongestFlush));
    if (auto status = binding.connection->flush_oneways(by); !status && status.error() != connection::kBehindOthers)
      return status;
  }
  bool fresh = false;
  auto other = core_.cache().acquire(binding.route(), invocation.connect_by(), fresh);
  if (!other) {
    return binding.connection->call(caller, request, call.encode_arguments, invocation.deadline, on_reply);
  }
  auto status = (*other)->call(request, call.encode_arguments, invocation.deadline, on_reply);
  if (!status) core_.cache().forget(binding.route(), **other);  // if it has failed; recover() knows only the binding's
  return status;
}

/// A oneway whose caller does not wait even for the transport.
[[gnu::noinline]] base::Status RemoteTarget::post(connection::Connection& connection,
                                                  const messaging::OutgoingRequest& request, const corba::Call& call,
                                                  const Invocation& invocation) {
  messaging::OutgoingRequest posted = request;
  posted.response = messaging::Response::none;
  const Deadline deadline = earlier(invocation.deadline, invocation.leave_by);
  policy::Buffering buffering = invocation.policies.calls.buffering;
  // Time must be left for the message to arrive as well.
  if (buffering.keeps() && !deadline.is_none()) buffering.time = std::min(buffering.time, deadline.remaining() / 2);
  auto status = connection.post_oneway(posted, call.encode_arguments, deadline, buffering);
  if (status && (buffering.keeps() || connection.needs_reactor()) && !core_.calls_async()) {
    try {
      core_.start_threads();  // they send what waits
    } catch (const corba::SystemExceptionCore&) {
      // The message is on its way all the same: the next caller sends it, or the end of the connection does.
    }
  }
  return status;
}

void RemoteTarget::raise_no_memory_for(messaging::ReplyStatus status) {
  raise_no_memory(base::Stage::decode, completed_by(status));
}

}  // namespace corbel::orb
