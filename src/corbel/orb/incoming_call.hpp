// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <new>
#include <span>
#include <string>
#include <string_view>

#include "corbel/base/log.hpp"
#include "corbel/base/probe.hpp"
#include "corbel/base/thread_end.hpp"
#include "corbel/connection/sending.hpp"
#include "corbel/corba/call.hpp"
#include "corbel/corba/deferred_reply.hpp"
#include "corbel/corba/exception_core.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/orb/core.hpp"
#include "corbel/orb/current_exception.hpp"
#include "corbel/orb/error_map.hpp"
#include "corbel/orb/exception_detail.hpp"
#include "corbel/orb/peer_of.hpp"

namespace corbel::orb {

/// Ends the connection, without memory for an answer. Not in order: that would say that nothing has been executed, here
/// or beside it.
inline void end_without_reply(connection::Connection& connection) noexcept {
  connection.cut(base::error(base::Stage::send, base::Code::out_of_resources));
}

/// From a handler: tells the log what was thrown while arguments were decoded, and throws what the client is told
/// instead.
[[noreturn]] void throw_instead_of_arguments(Core& core, std::string_view operation, base::ConstByteSpan object_key,
                                             const std::string& peer);

using Contexts = std::span<const messaging::ServiceContext>;

/// A request that came over a connection.
class IncomingCall : public corba::ServerCall {
 public:
  /// Before anything is looked up.
  void begin() noexcept {}

  Core& core() const noexcept { return core_; }
  /// How it ended, for the log.
  messaging::ReplyStatus outcome() const noexcept { return outcome_; }

  void reply(base::FunctionRef<void(cdr::Encoder&)> results) override { reply_with(results, {}); }

  void reply_with(base::FunctionRef<void(cdr::Encoder&)> results, Contexts contexts) {
    base::Status sent;
    try {
      sent = send_here(messaging::ReplyStatus::no_exception, results, contexts);
    } catch (...) {  // out of a value's own marshalling, say
      corba::rethrow_with(corba::Completed::yes);
    }
    if (!sent && sent.error().stage == base::Stage::encode) [[unlikely]]
      refuse_results(sent.error());
  }

  [[gnu::noinline]] base::Status send(messaging::ReplyStatus status, base::FunctionRef<void(cdr::Encoder&)> body,
                                      Contexts contexts = {}) {
    return send_here(status, body, contexts);
  }
  /// The same, inlined.
  [[gnu::always_inline]] base::Status send_here(messaging::ReplyStatus status,
                                                base::FunctionRef<void(cdr::Encoder&)> body, Contexts contexts) {
    if (request_.response == messaging::Response::none || replied_) return {};
    CORBEL_PROBE("reply header and marshal");
    // May throw, out of the application's code that marshals a value: nothing has been sent then.
    auto sent = connection_.reply(request_.origin, status, contexts, body);
    replied_ = sent || sent.error().stage != base::Stage::encode;
    return sent;
  }

  [[noreturn]] void refuse_arguments() override {
    throw_instead_of_arguments(core_, operation(), request_.object_key, connection_.peer());
  }

  bool reply_exception() noexcept override {
    try {
      base::rethrow_handled();
    } catch (const LocationForward& forward) {
      send(forward);
    } catch (const corba::UserExceptionCore& exception) {
      send(exception);
    } catch (const corba::SystemExceptionCore& exception) {
      send({exception._rep_id(), exception.minor(), exception._completed()}, exception.what(), exception.detail());
    } catch (const std::bad_alloc&) {
      send({kNoMemory, 0, kMaybe}, kNoMemory);
    } catch (...) {
      send_foreign();
    }
    return true;
  }

  corba::DeferredReplyPtr defer(std::span<const std::string_view> raises, std::size_t octets) override;

  void show_sender(base::FunctionRef<void(const RequestPeer&)> to) override { to(peer_of(connection_)); }

  base::Deadline begin_by() override;

  void send(const corba::UserExceptionCore& exception) noexcept try {
    const std::string_view id = exception._rep_id();
    if (!lists(id)) {
      return send_unknown(corba::minor::kUnlistedUserException, id, "");
    }
    outcome_ = messaging::ReplyStatus::user_exception;
    CORBEL_LOG(core_.log(), server, debug, "request ends in a user exception", {"exception", id},
               {"operation", operation()}, {"key", request_.object_key}, {"peer", connection_.peer()});
    const base::Status sent = send(
        messaging::ReplyStatus::user_exception, [&](cdr::Encoder& encoder) { exception._encode(encoder); },
        with_added({}));
    if (!sent && sent.error().stage == base::Stage::encode) send_instead_of(id, sent.error());
  } catch (...) {
    send({kUnknown, corba::minor::kForeignException, corba::Completed::yes}, kUnknown);
  }

  /// From a handler: what the servant threw is no exception of CORBA's.
  void send_foreign() noexcept {
    const char* what = "";
    try {
      throw;
    } catch (const std::exception& exception) {
      what = exception.what();
      return send_unknown(corba::minor::kForeignException, {}, what);
    } catch (...) {
      send_unknown(corba::minor::kForeignException, {}, what);
    }
  }

  void send(const LocationForward& forward) noexcept try {
    outcome_ = messaging::ReplyStatus::location_forward;
    CORBEL_LOG(core_.log(), server, debug, "request forwarded", {"operation", operation()},
               {"permanent", forward.permanent}, {"key", request_.object_key}, {"peer", connection_.peer()});
    (void)send(
        forward.permanent ? messaging::ReplyStatus::location_forward_perm : messaging::ReplyStatus::location_forward,
        [&](cdr::Encoder& encoder) { ior::encode(encoder, forward.ior); }, with_added({}));
  } catch (...) {
    end_without_reply(connection_);
  }

 protected:
  IncomingCall(Core& core, connection::Connection& connection, const messaging::IncomingRequest& request,
               cdr::Decoder& body, void* const* local_arguments = nullptr) noexcept
      : ServerCall(request.operation, &body, local_arguments),
        core_(core),
        connection_(connection),
        request_(request) {}

  ~IncomingCall() = default;

  /// The service contexts of a reply that is no result.
  virtual Contexts with_added(Contexts contexts) { return contexts; }

  /// As defer(), for one that hooks see.
  corba::DeferredReplyPtr defer_seen(std::span<const std::string_view> raises, std::size_t octets, ServerRequest* seen);

  const connection::Connection& connection() const noexcept { return connection_; }
  bool offers_contexts() const noexcept { return connection_.protocol().offers().service_contexts; }

 private:
  /// Results that cannot be marshalled are the servant's fault and become an exception; for a lost peer there is none.
  [[noreturn, gnu::noinline, gnu::cold]] void refuse_results(base::Error error) {
    CORBEL_LOG(core_.log(), server, warning, "results cannot be marshalled", {"error", error},
               {"operation", operation()}, {"key", request_.object_key}, {"peer", connection_.peer()});
    auto failure = failure_of(error, "results of operation '" + std::string(operation()) + "'");
    failure.completed = corba::Completed::yes;
    corba::raise(std::move(failure));
  }

  /// A system exception as the wire has it.
  struct System {
    std::string_view id;
    std::uint32_t minor;
    corba::Completed completed;
  };
  static constexpr std::string_view kUnknown = "IDL:omg.org/CORBA/UNKNOWN:1.0";
  static constexpr std::string_view kNoMemory = "IDL:omg.org/CORBA/NO_MEMORY:1.0";
  static constexpr std::string_view kMarshal = "IDL:omg.org/CORBA/MARSHAL:1.0";

  /// `what`: for the log. `detail` goes along if -ORBExceptionDetail allows it.
  void send(const System& system, std::string_view what, const std::string& detail = {}) noexcept try {
    outcome_ = messaging::ReplyStatus::system_exception;
    if (system.minor == kNoValueMemory && system.completed == kNo) {
      CORBEL_LOG(core_.log(), server, warning, "request refused: values of messages take too much memory",
                 {"operation", operation()}, {"peer", connection_.peer()}, {"octets", core_.value_memory()->used()},
                 {"oneway", request_.response == messaging::Response::none}, {"limit", "-ORBMaxInputMemory"});
    }
    CORBEL_LOG(core_.log(), server, debug, "request ends in a system exception", {"exception", what},
               {"operation", operation()}, {"key", request_.object_key}, {"peer", connection_.peer()});
    base::Bytes told;
    if (core_.request_policies().exception_detail && !detail.empty() && offers_contexts()) {
      told = encode_exception_detail(detail);
    }
    const messaging::ServiceContext context{kExceptionDetailContext, told};
    (void)send(
        messaging::ReplyStatus::system_exception,
        [&](cdr::Encoder& encoder) {
          encoder.put_plain_string(system.id);
          encoder.put(system.minor);
          encoder.put(static_cast<std::uint32_t>(system.completed));
        },
        with_added({&context, told.empty() ? std::size_t{0} : 1}));
  } catch (...) {  // no memory for it
    end_without_reply(connection_);
  }

  /// From a handler; the type is that of the exception handled, unless it is a user exception: then `id` says it.
  void send_unknown(std::uint32_t minor, std::string_view id, std::string_view what) noexcept try {
    outcome_ = messaging::ReplyStatus::system_exception;
    const std::string type = id.empty() ? current_exception_type() : std::string(id);
    if (id.empty()) {
      CORBEL_LOG(core_.log(), server, warning, "servant threw a foreign exception", {"operation", operation()},
                 {"type", type}, {"what", what}, {"key", request_.object_key}, {"peer", connection_.peer()});
    } else {
      CORBEL_LOG(core_.log(), server, warning, "servant threw an undeclared user exception", {"operation", operation()},
                 {"type", type}, {"key", request_.object_key}, {"peer", connection_.peer()});
    }
    send({kUnknown, minor, kMaybe}, kUnknown,
         "the servant threw " + type + (what.empty() ? "" : ": ") + std::string(what));
  } catch (...) {
    send({kUnknown, minor, kMaybe}, kUnknown);
  }

  /// An exception that cannot be marshalled (a string with NUL, a null member) becomes one that says so.
  void send_instead_of(std::string_view id, base::Error error) {
    CORBEL_LOG(core_.log(), server, warning, "exception cannot be marshalled", {"exception", id}, {"error", error},
               {"operation", operation()}, {"key", request_.object_key}, {"peer", connection_.peer()});
    const auto failure = failure_of(error, std::string(id) + " cannot be marshalled: " + base::to_string(error));
    send({kMarshal, corba::vendor_minor(error.stage, error.code), corba::Completed::yes}, kMarshal, failure.detail);
  }

  static constexpr std::uint32_t kNoValueMemory = corba::vendor_minor(base::Stage::decode, base::Code::no_value_memory);

  Core& core_;
  connection::Connection& connection_;
  const messaging::IncomingRequest& request_;
  messaging::ReplyStatus outcome_ = messaging::ReplyStatus::no_exception;
  bool replied_ = false;
};

/// A request that nothing else looks at.
class UnseenCall final : public IncomingCall {
 public:
  UnseenCall(Core& core, connection::Connection& connection, const messaging::IncomingRequest& request,
             cdr::Decoder& body) noexcept
      : IncomingCall(core, connection, request, body) {}
};

}  // namespace corbel::orb
