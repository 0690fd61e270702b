// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/ask_here.hpp"

#include <string>
#include <utility>

#include "corbel/base/log.hpp"
#include "corbel/orb/current_exception.hpp"
#include "corbel/orb/seen_call.hpp"

namespace corbel::orb {
namespace {

using Answer = std::optional<Attempts::Answer>;

/// No caller is told of how a oneway ended; the log is.
void tell_unheard(Core& core, const base::Bytes& object_key, const corba::Call& call) {
  CORBEL_LOG(core.log(), server, debug, "request ends in an exception", {"exception", what_was_thrown()},
             {"operation", call.operation.name}, {"key", object_key}, {"peer", kHere});
}

void serve_or_await(Core& core, const base::Bytes& object_key, LocalCall& call, base::Deadline deadline) {
  try {
    serve_here(core, object_key, call);
  } catch (const AwaitHere& awaited) {
    await_here(core, object_key, call, awaited, deadline);
  }
}

/// Throws what ends the request, LocationForward, too. `begun`: false if the adapter refuses it; `told`: true if the
/// arguments are wrong.
void serve_seen(Core& core, const base::Bytes& object_key, const corba::Call& call, const CallLimits& limits,
                ClientRequest& client, bool& told, bool& begun) {
  CallHooks& hooks = *core.hooks();
  struct Seen : ServerRequest {
    explicit Seen(CallHooks& all) : hooks(all) {}
    ~Seen() { hooks.leave(*this); }
    CallHooks& hooks;
  } seen(hooks);
  seen.operation = client.operation;
  seen.object_key = object_key;
  seen.response_expected = client.response_expected;
  seen.sync_scope = client.sync_scope;
  seen.here = true;
  seen.request_contexts = client.request_contexts;
  core.check_serves();
  hooks.on_request(seen);
  if (seen.outcome == Outcome::pending) {
    SeenLocalCall server_call(call, core, limits, seen);
    try {
      serve_or_await(core, object_key, server_call, limits.deadline);
      seen.outcome = Outcome::reply;
    } catch (...) {
      if (base::handles_thread_end()) throw;
      told = told || server_call.unmarshalled();
      begun = server_call.was_begun();
      if (seen.outcome == Outcome::pending) note_exception(seen, nullptr);
    }
    hooks.before_reply(seen);
  }
  client.reply_contexts = std::move(seen.reply_contexts);
  throw_outcome(seen);
}

}  // namespace

void throw_instead_of_foreign(Core& core, const base::Bytes& object_key, const LocalCall& call, const char* what) {
  const std::string type = current_exception_type();
  // Arguments that were not marshalled: then it was not the servant but the caller's own code for them.
  const char* const who = call.unmarshalled() ? "what marshals the arguments threw " : "the servant threw ";
  if (!call.unmarshalled()) {
    CORBEL_LOG(core.log(), server, warning, "servant threw a foreign exception", {"operation", call.operation()},
               {"type", type}, {"what", what}, {"key", object_key}, {"peer", kHere});
  }
  corba::raise("UNKNOWN", corba::minor::kForeignException, call.unmarshalled() ? kNo : kMaybe,
               who + type + (*what == '\0' ? "" : ": ") + what);
}

void throw_instead_of(const corba::UserExceptionCore& undeclared, Core& core, const base::Bytes& object_key,
                      const LocalCall& call) {
  CORBEL_LOG(core.log(), server, warning, "servant threw an undeclared user exception", {"operation", call.operation()},
             {"type", undeclared._rep_id()}, {"key", object_key}, {"peer", kHere});
  corba::raise("UNKNOWN", corba::minor::kUnlistedUserException, kMaybe,
               std::string("the operation does not declare ") + undeclared._rep_id());
}

Refusal refusal_of(const corba::SystemExceptionCore& exception) {
  return {corba::failure_of(exception)};
}

void await_here(Core& core, const base::Bytes& object_key, LocalCall& call, const AwaitHere& awaited,
                base::Deadline deadline) {
  run_told(core, object_key, call, [&] {
    const base::Bytes results = awaited.waiter->deferral->await(deadline);
    call.reply([&](cdr::Encoder& encoder) { encoder.put_octets(results.data(), results.size()); });
  });
}

Answer ask_here(Core& core, const base::Bytes& object_key, const corba::Call& call, bool told,
                const CallLimits& limits) {
  UnseenLocalCall server_call(call, core, limits);
  try {
    serve_or_await(core, object_key, server_call, limits.deadline);
  } catch (const LocationForward& forward) {
    return Forward{forward.ior, forward.permanent};
  } catch (const corba::SystemExceptionCore& exception) {
    if (!server_call.was_begun() && !server_call.unmarshalled()) {
      Refusal refusal = refusal_of(exception);
      if (refusal.asks_elsewhere()) return refusal;
    }
    if (told || server_call.unmarshalled()) throw;
    tell_unheard(core, object_key, call);
  } catch (const corba::UserExceptionCore&) {
    if (told) throw;
    tell_unheard(core, object_key, call);
  }
  return {};
}

Answer ask_here_seen(Core& core, const base::Bytes& object_key, const corba::Call& call, bool told,
                     const CallLimits& limits, ClientRequest& client) {
  bool begun = true;
  try {
    serve_seen(core, object_key, call, limits, client, told, begun);
    client.outcome = call.operation.oneway ? Outcome::sent : Outcome::reply;
    return {};
  } catch (const LocationForward& forward) {
    client.outcome = Outcome::forward;
    client.forward = forward.ior;
    return Forward{forward.ior, forward.permanent};
  } catch (const corba::SystemExceptionCore& exception) {
    client.outcome = told ? Outcome::exception : Outcome::sent;
    client.exception = std::current_exception();
    Refusal refusal = refusal_of(exception);
    if (!begun && refusal.asks_elsewhere()) return refusal;
  } catch (...) {
    if (base::handles_thread_end()) throw;
    client.outcome = told ? Outcome::exception : Outcome::sent;
    client.exception = std::current_exception();
  }
  return {};
}

}  // namespace corbel::orb
