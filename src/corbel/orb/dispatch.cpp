// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/dispatch.hpp"

#include <chrono>
#include <new>

#include "corbel/base/log.hpp"
#include "corbel/base/probe.hpp"
#include "corbel/base/thread_end.hpp"
#include "corbel/corba/call.hpp"
#include "corbel/corba/exception_core.hpp"
#include "corbel/corba/failure.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/ipc/asymmetric_fence.hpp"
#include "corbel/orb/ask_here.hpp"
#include "corbel/orb/call_limits.hpp"
#include "corbel/orb/core.hpp"
#include "corbel/orb/current_exception.hpp"
#include "corbel/orb/incoming_call.hpp"
#include "corbel/orb/invocation_policies.hpp"
#include "corbel/orb/local_target.hpp"
#include "corbel/orb/no_memory.hpp"
#include "corbel/orb/policy_levels.hpp"
#include "corbel/orb/seen_call.hpp"
#include "corbel/orb/serving_half.hpp"

namespace corbel::orb {

using messaging::LocateStatus;
using messaging::ReplyStatus;
using messaging::Response;

namespace {

/// The body of a reply.
void put(cdr::Encoder& encoder, std::string_view id, std::uint32_t minor, corba::Completed completed) {
  encoder.put_plain_string(id);
  encoder.put(minor);
  encoder.put(static_cast<std::uint32_t>(completed));
}

/// A line per call.
[[gnu::noinline]] void trace(Core& core, const connection::Connection& connection, const IncomingCall& call,
                             const messaging::IncomingRequest& request, std::chrono::steady_clock::time_point begin) {
  static constexpr std::string_view kOutcomes[] = {"ok", "user exception", "system exception", "forwarded"};
  const auto took = std::chrono::steady_clock::now() - begin;
  CORBEL_LOG(core.log(), server, trace, "call served", {"operation", call.operation()}, {"key", request.object_key},
             {"peer", connection.peer()}, {"outcome", kOutcomes[static_cast<std::size_t>(call.outcome()) % 4]},
             {"oneway", request.response == Response::none},
             {"us", std::chrono::duration_cast<std::chrono::microseconds>(took).count()});
}

/// What a request came over.
enum class Over { acceptor, opened_here, group };

/// Takes the request to its object; whatever comes back becomes a reply.
template <class Call>
[[gnu::always_inline]] inline void serve(Core& core, Call& call, const messaging::IncomingRequest& request,
                                         cdr::Decoder& body, cdr::Context& context,
                                         Over over = Over::acceptor) noexcept {
  try {
    body.set_context(&context);
    body.withhold();
    call.begin();
    if (over == Over::opened_here) core.adapter()->check_both_ways(request.object_key);
    // What comes too late for its client is not served (CORBA 3.3 part 1, 17.2.4).
    if (request.contexts.count() != 0) call.check_in_time();
    if (request.response == Response::with_server) {
      (void)call.send(ReplyStatus::no_exception, [](cdr::Encoder&) {});
    }
    if (over == Over::group) return core.adapter()->dispatch_to_group(request.object_key, call);
    core.adapter()->dispatch(request.object_key, call);
  } catch (...) {
    call.reply_exception();
  }
}

/// From a handler.
[[noreturn]] void throw_unknown_arguments(Core& core, std::string_view operation, base::ConstByteSpan object_key,
                                          const std::string& peer, const char* what) {
  const std::string type = current_exception_type();
  CORBEL_LOG(core.log(), server, warning, "a value factory, or a value, threw while arguments were read",
             {"operation", operation}, {"type", type}, {"what", what}, {"key", object_key}, {"peer", peer});
  corba::raise("UNKNOWN", corba::minor::kForeignException, kNo,
               "what reads the arguments threw " + type + (*what == '\0' ? "" : ": ") + what);
}

}  // namespace

base::Deadline IncomingCall::begin_by() {
  return CallLimits::at_time(end_time(request_.contexts));
}

void throw_instead_of_arguments(Core& core, std::string_view operation, base::ConstByteSpan object_key,
                                const std::string& peer) {
  const char* what = "";
  try {
    base::rethrow_handled();
  } catch (const corba::SystemFailure&) {
    corba::rethrow_with(kNo);
  } catch (const corba::SystemExceptionCore&) {
    corba::rethrow_with(kNo);
  } catch (const std::bad_alloc&) {
    raise_no_memory(base::Stage::decode, kNo);
  } catch (const std::exception& exception) {
    what = exception.what();
    throw_unknown_arguments(core, operation, object_key, peer, what);
  } catch (...) {
    throw_unknown_arguments(core, operation, object_key, peer, what);
  }
}

void Dispatch::on_request(connection::Connection& connection, const messaging::IncomingRequest& request,
                          cdr::Decoder& body) noexcept {
  CORBEL_PROBE("dispatch");
  if (Edges::at_server(core_.edges().word()) != 0) [[unlikely]]
    return on_request_seen(connection, request, body);
  UnseenCall call(core_, connection, request, body);
  serve(core_, call, request, body, core_.context());
  if ((call.core().edges().word() & Edges::kThreadPolicies) != 0) [[unlikely]]  // the request has set the first ones
    call.core().policies().replace_thread(nullptr);
}

/// Something is installed that looks at requests.
[[gnu::noinline]] void Dispatch::on_request_seen(connection::Connection& connection,
                                                 const messaging::IncomingRequest& request, cdr::Decoder& body) noexcept
    try {
  const PolicyLevels::Restored restored(core_.policies());
  const bool traced = core_.log().on(base::LogModule::server, base::LogLevel::trace);
  const auto begin = traced ? std::chrono::steady_clock::now() : std::chrono::steady_clock::time_point();
  const bool both_ways = (core_.edges().word() & Edges::kBothWays) != 0;
  const LentPtr lent = both_ways ? core_.bidirectional().lent(connection, request) : nullptr;
  cdr::Context& context = lent != nullptr ? lent->context() : core_.context();
  const bool to_group =
      (core_.edges().word() & Edges::kGroups) != 0 && connection.transport().traits().group_profile != 0;
  const Over over = to_group ? Over::group : connection.is_opened_here() ? Over::opened_here : Over::acceptor;
  const auto run = [&](auto& call) {
    serve(core_, call, request, body, context, over);
    if (traced) trace(core_, connection, call, request, begin);
  };
  if ((core_.edges().word() & Edges::kServerHooks) != 0) {
    SeenCall call(core_, connection, request, body);
    run(call);
  } else {
    UnseenCall call(core_, connection, request, body);
    run(call);
  }
} catch (const std::bad_alloc&) {  // for what the client says of the connection
  (void)UnseenCall(core_, connection, request, body).reply_exception();
}

void Dispatch::on_group() noexcept {
  core_.hear_groups();
}

void Dispatch::on_cancel(connection::Connection& connection, const messaging::Origin& origin) noexcept {
  core_.deferrals().cancel(connection, origin);
}

void Dispatch::on_locate_request(connection::Connection& connection,
                                 const messaging::IncomingLocateRequest& request) noexcept try {
  const auto answer = [&](LocateStatus status, base::FunctionRef<void(cdr::Encoder&)> body) {
    (void)connection.reply_locate(request.origin, status, body);
  };
  const auto nothing = [](cdr::Encoder&) {};
  const auto fail = [&](std::string_view id, std::uint32_t minor, corba::Completed completed) {
    answer(LocateStatus::system_exception, [&](cdr::Encoder& encoder) { put(encoder, id, minor, completed); });
  };
  try {
    if (connection.is_opened_here()) core_.adapter()->check_both_ways(request.object_key);
    core_.adapter()->locate_for(request.object_key, [&] { return peer_of(connection); });
    answer(LocateStatus::object_here, nothing);
  } catch (const LocationForward& forward) {
    answer(forward.permanent ? LocateStatus::object_forward_perm : LocateStatus::object_forward,
           [&](cdr::Encoder& encoder) { ior::encode(encoder, forward.ior); });
  } catch (const corba::SystemExceptionCore& exception) {
    if (exception._rep_id() == std::string_view("IDL:omg.org/CORBA/OBJECT_NOT_EXIST:1.0"))
      return answer(LocateStatus::unknown_object, nothing);
    fail(exception._rep_id(), exception.minor(), exception._completed());
  } catch (const std::bad_alloc&) {
    fail("IDL:omg.org/CORBA/NO_MEMORY:1.0", 0, kNo);
  } catch (...) {
    base::call_off_thread_end();
    fail("IDL:omg.org/CORBA/UNKNOWN:1.0", corba::minor::kForeignException, kNo);
  }
} catch (...) {  // no memory for the answer
  end_without_reply(connection);
}

namespace {

std::unique_ptr<connection::RequestHandler> make_dispatch(Core& core) {
  // In a process with several threads the system takes 10 ms or more to allow them, and an early request would wait.
  (void)ipc::has_asymmetric_fences();
  return std::make_unique<Dispatch>(core);
}

}  // namespace

constinit const ServingHalf kServingHalf{&make_dispatch, &make_local_target, &ask_here, &ask_here_seen};

}  // namespace corbel::orb
