// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/dispatch.hpp"

#include <algorithm>
#include <chrono>
#include <new>

#include "corbel/base/log.hpp"
#include "corbel/base/probe.hpp"
#include "corbel/corba/call.hpp"
#include "corbel/corba/exception.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/orb/core.hpp"
#include "corbel/orb/current_exception.hpp"
#include "corbel/orb/error_map.hpp"
#include "corbel/orb/exception_detail.hpp"
#include "corbel/orb/invocation_policies.hpp"

namespace corbel::orb {

using CORBA::CompletionStatus;
using messaging::LocateStatus;
using messaging::ReplyStatus;
using messaging::Response;

namespace {

/// The body of a reply.
void put(cdr::Encoder& encoder, const CORBA::SystemException& exception) {
  encoder.put_plain_string(exception._rep_id());
  encoder.put(exception.minor());
  encoder.put(static_cast<std::uint32_t>(exception.completed()));
}

/// Without memory for an answer. Not in order: that would say that nothing has been executed, here or beside it.
void end_without_reply(connection::Connection& connection) noexcept {
  connection.cut(base::error(base::Stage::send, base::Code::out_of_resources));
}

/// A request that came over a connection.
class IncomingCall final : public corba::ServerCall {
 public:
  IncomingCall(Core& core, connection::Connection& connection, const messaging::IncomingRequest& request,
               cdr::Decoder& body) noexcept
      : ServerCall(request.operation, &body, nullptr), core_(core), connection_(connection), request_(request) {}

  /// How it ended, for the log.
  ReplyStatus outcome() const noexcept { return outcome_; }

  void reply(base::FunctionRef<void(cdr::Encoder&)> results) override {
    const base::Status sent = send(ReplyStatus::no_exception, results);
    // Results that cannot be marshalled are the servant's fault and become an exception; a lost peer is nobody's.
    if (!sent && sent.error().stage == base::Stage::encode) {
      CORBEL_LOG(core_.log(), server, warning, "results cannot be marshalled", {"error", sent.error()},
                 {"operation", operation()}, {"key", request_.object_key}, {"peer", connection_.peer()});
      try {
        raise(sent.error(), "results of operation '" + std::string(operation()) + "'");
      } catch (CORBA::SystemException& exception) {
        exception.completed(CompletionStatus::COMPLETED_YES);
        throw;
      }
    }
  }

  base::Status send(ReplyStatus status, base::FunctionRef<void(cdr::Encoder&)> body,
                    std::span<const messaging::ServiceContext> contexts = {}) {
    if (request_.response == Response::none || replied_) return {};
    CORBEL_PROBE("reply header and marshal");
    // May throw, out of the application's code that marshals a value: nothing has been sent then.
    auto sent = connection_.reply(request_.origin, status, contexts, body);
    replied_ = sent || sent.error().stage != base::Stage::encode;
    return sent;
  }

  bool reply_exception() noexcept override {
    try {
      throw;
    } catch (const LocationForward& forward) {
      send(forward);
    } catch (const CORBA::UserException& exception) {
      send(exception);
    } catch (const CORBA::SystemException& exception) {
      send(exception);
    } catch (const std::bad_alloc&) {
      send(CORBA::NO_MEMORY(0, CompletionStatus::COMPLETED_MAYBE));
    } catch (...) {
      send_foreign();
    }
    return true;
  }

  void send(const CORBA::SystemException& exception) noexcept {
    outcome_ = ReplyStatus::system_exception;
    CORBEL_LOG(core_.log(), server, debug, "request ends in a system exception", {"exception", exception.what()},
               {"operation", operation()}, {"key", request_.object_key}, {"peer", connection_.peer()});
    send(exception, exception.detail());
  }

  void send(const CORBA::UserException& exception) noexcept try {
    const std::string_view id = exception._rep_id();
    if (std::find(raises().begin(), raises().end(), id) == raises().end()) {
      return send_unknown("servant threw an undeclared user exception", corba::minor::kUnlistedUserException, id, "");
    }
    outcome_ = ReplyStatus::user_exception;
    CORBEL_LOG(core_.log(), server, debug, "request ends in a user exception", {"exception", id},
               {"operation", operation()}, {"key", request_.object_key}, {"peer", connection_.peer()});
    const base::Status sent =
        send(ReplyStatus::user_exception, [&](cdr::Encoder& encoder) { exception._encode(encoder); });
    if (!sent && sent.error().stage == base::Stage::encode) send_instead_of(id, sent.error());
  } catch (...) {
    send(CORBA::UNKNOWN(corba::minor::kForeignException, CompletionStatus::COMPLETED_YES));
  }

  /// From a handler: what the servant threw is no exception of CORBA's.
  void send_foreign() noexcept {
    const char* what = "";
    try {
      throw;
    } catch (const std::exception& exception) {
      what = exception.what();
      return send_unknown("servant threw a foreign exception", corba::minor::kForeignException, {}, what);
    } catch (...) {
      send_unknown("servant threw a foreign exception", corba::minor::kForeignException, {}, what);
    }
  }

  void send(const LocationForward& forward) noexcept try {
    outcome_ = ReplyStatus::location_forward;
    CORBEL_LOG(core_.log(), server, debug, "request forwarded", {"operation", operation()},
               {"key", request_.object_key}, {"peer", connection_.peer()});
    (void)send(forward.permanent ? ReplyStatus::location_forward_perm : ReplyStatus::location_forward,
               [&](cdr::Encoder& encoder) { ior::encode(encoder, forward.ior); });
  } catch (...) {
    end_without_reply(connection_);
  }

 private:
  /// With `detail` told if -ORBExceptionDetail allows it.
  void send(const CORBA::SystemException& exception, const std::string& detail) noexcept try {
    base::Bytes told;
    if (core_.options().exception_detail && !detail.empty() && connection_.protocol().offers().service_contexts) {
      told = encode_exception_detail(detail);
    }
    const messaging::ServiceContext context{kExceptionDetailContext, told};
    (void)send(ReplyStatus::system_exception,
               [&](cdr::Encoder& encoder) {
                 encoder.put_plain_string(exception._rep_id());
                 encoder.put(exception.minor());
                 encoder.put(static_cast<std::uint32_t>(exception.completed()));
               },
               {&context, told.empty() ? std::size_t{0} : 1});
  } catch (...) {  // no memory for it
    end_without_reply(connection_);
  }

  /// From a handler; the type is that of the exception handled, unless `id` says it.
  void send_unknown(const char* event, std::uint32_t minor, std::string_view id, std::string_view what) noexcept try {
    outcome_ = ReplyStatus::system_exception;
    const std::string type = id.empty() ? current_exception_type() : std::string(id);
    if (core_.log().on(base::LogModule::server, base::LogLevel::warning)) {
      core_.log().write(base::LogModule::server, base::LogLevel::warning, event,
                        {{"operation", operation()},
                         {"type", type},
                         {"what", what},
                         {"key", request_.object_key},
                         {"peer", connection_.peer()}});
    }
    send(CORBA::UNKNOWN(minor, CompletionStatus::COMPLETED_MAYBE),
         "the servant threw " + type + (what.empty() ? "" : ": ") + std::string(what));
  } catch (...) {
    send(CORBA::UNKNOWN(minor, CompletionStatus::COMPLETED_MAYBE), std::string());
  }

  /// An exception that cannot be marshalled (a string with NUL, a null member) becomes one that says so.
  void send_instead_of(std::string_view id, base::Error error) {
    CORBEL_LOG(core_.log(), server, warning, "exception cannot be marshalled", {"exception", id}, {"error", error},
               {"operation", operation()}, {"key", request_.object_key}, {"peer", connection_.peer()});
    try {
      raise(error, std::string(id) + " cannot be marshalled: " + base::to_string(error));
    } catch (const CORBA::SystemException& instead) {
      CORBA::MARSHAL marshal(corba::vendor_minor(error.stage, error.code), CompletionStatus::COMPLETED_YES);
      send(marshal, instead.detail());
    }
  }

  Core& core_;
  connection::Connection& connection_;
  const messaging::IncomingRequest& request_;
  ReplyStatus outcome_ = ReplyStatus::no_exception;
  bool replied_ = false;
};

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

/// A request that comes too late for its client is not served (CORBA 3.3 part 1, 17.2.4).
[[gnu::noinline]] void check_in_time(const messaging::ServiceContextView& contexts) {
  base::ConstByteSpan policies;
  if (!contexts.find(kInvocationPoliciesContext, policies)) return;
  if (policy::until(end_time(policies)) == base::Duration::zero()) {
    throw CORBA::TIMEOUT(corba::minor::kRequestEndTimePassed, CompletionStatus::COMPLETED_NO,
                         "the request came when its time was over");
  }
}

}  // namespace

void Dispatch::on_request(connection::Connection& connection, const messaging::IncomingRequest& request,
                          cdr::Decoder& body) noexcept {
  CORBEL_PROBE("dispatch");
  IncomingCall call(core_, connection, request, body);
  const bool traced = core_.log().on(base::LogModule::server, base::LogLevel::trace);
  const auto begin = traced ? std::chrono::steady_clock::now() : std::chrono::steady_clock::time_point();
  try {
    body.set_context(&core_);
    if (request.contexts.count() != 0) check_in_time(request.contexts);
    if (request.response == Response::with_server) {
      (void)call.send(ReplyStatus::no_exception, [](cdr::Encoder&) {});
    }
    core_.adapter()->dispatch(request.object_key, call);
  } catch (...) {
    call.reply_exception();
  }
  if (traced) [[unlikely]]
    trace(core_, connection, call, request, begin);
}

void Dispatch::on_locate_request(connection::Connection& connection,
                                 const messaging::IncomingLocateRequest& request) noexcept try {
  const auto answer = [&](LocateStatus status, base::FunctionRef<void(cdr::Encoder&)> body) {
    (void)connection.reply_locate(request.origin, status, body);
  };
  const auto nothing = [](cdr::Encoder&) {};
  const auto fail = [&](const CORBA::SystemException& exception) {
    answer(LocateStatus::system_exception, [&](cdr::Encoder& encoder) { put(encoder, exception); });
  };
  try {
    core_.adapter()->locate(request.object_key);
    answer(LocateStatus::object_here, nothing);
  } catch (const LocationForward& forward) {
    answer(forward.permanent ? LocateStatus::object_forward_perm : LocateStatus::object_forward,
           [&](cdr::Encoder& encoder) { ior::encode(encoder, forward.ior); });
  } catch (const CORBA::OBJECT_NOT_EXIST&) {
    answer(LocateStatus::unknown_object, nothing);
  } catch (const CORBA::SystemException& exception) {
    fail(exception);
  } catch (const std::bad_alloc&) {
    fail(CORBA::NO_MEMORY());
  } catch (...) {
    fail(CORBA::UNKNOWN(CORBA::OMGVMCID | 1, CompletionStatus::COMPLETED_NO));
  }
} catch (...) {  // no memory for the answer
  end_without_reply(connection);
}

}  // namespace corbel::orb
