// SPDX-License-Identifier: Apache-2.0
#include "orb/dispatch.hpp"

#include <algorithm>

#include "corbel/base/probe.hpp"
#include "corbel/corba/call.hpp"
#include "corbel/corba/exception.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "orb/core.hpp"
#include "orb/error_map.hpp"

namespace corbel::orb {

using CORBA::CompletionStatus;
using messaging::LocateStatus;
using messaging::ReplyStatus;
using messaging::Response;

namespace {

/// A request that came over a connection.
class IncomingCall final : public corba::ServerCall {
 public:
  IncomingCall(connection::Connection& connection, const messaging::IncomingRequest& request, std::uint8_t giop_minor,
               cdr::Decoder& body) noexcept
      : ServerCall(request.operation, &body, nullptr),
        connection_(connection),
        request_id_(request.request_id),
        response_(request.response),
        giop_minor_(giop_minor) {}

  void reply(base::FunctionRef<void(cdr::Encoder&)> results) override {
    const base::Status sent = send(ReplyStatus::no_exception, results);
    // Results that cannot be marshalled are the servant's fault and become an exception; a lost peer is nobody's.
    if (!sent && sent.error().stage == base::Stage::encode) {
      try {
        raise(sent.error(), "results of operation '" + std::string(operation()) + "'");
      } catch (CORBA::SystemException& exception) {
        exception.completed(CompletionStatus::COMPLETED_YES);
        throw;
      }
    }
  }

  base::Status send(ReplyStatus status, base::FunctionRef<void(cdr::Encoder&)> body) {
    if (response_ == Response::none || replied_) return {};
    CORBEL_PROBE("reply header and marshal");
    // May throw, out of the application's code that marshals a value: nothing has been sent then.
    auto sent = connection_.send_reply(giop_minor_, [&](cdr::Encoder& encoder) {
      connection_.protocol().encode_reply(encoder, request_id_, status, {}, body);
    });
    replied_ = sent || sent.error().stage != base::Stage::encode;
    return sent;
  }

  void send(const CORBA::SystemException& exception) noexcept {
    (void)send(ReplyStatus::system_exception, [&](cdr::Encoder& encoder) {
      encoder.put_plain_string(exception._rep_id());
      encoder.put(exception.minor());
      encoder.put(static_cast<std::uint32_t>(exception.completed()));
    });
  }

  void send(const CORBA::UserException& exception) noexcept try {
    const std::string_view id = exception._rep_id();
    if (std::find(raises().begin(), raises().end(), id) == raises().end()) {
      return send(CORBA::UNKNOWN(CORBA::OMGVMCID | 1, CompletionStatus::COMPLETED_MAYBE));
    }
    const base::Status sent =
        send(ReplyStatus::user_exception, [&](cdr::Encoder& encoder) { exception._encode(encoder); });
    if (!sent && sent.error().stage == base::Stage::encode) {
      send(CORBA::MARSHAL(0, CompletionStatus::COMPLETED_YES));
    }
  } catch (...) {
    send(CORBA::UNKNOWN(CORBA::OMGVMCID | 1, CompletionStatus::COMPLETED_YES));
  }

  void send(const LocationForward& forward) {
    const bool permanent = forward.permanent && giop_minor_ >= 2;
    (void)send(permanent ? ReplyStatus::location_forward_perm : ReplyStatus::location_forward,
               [&](cdr::Encoder& encoder) { ior::encode(encoder, forward.ior); });
  }

 private:
  connection::Connection& connection_;
  const std::uint32_t request_id_;
  const Response response_;
  const std::uint8_t giop_minor_;
  bool replied_ = false;
};

/// The client's CodeSets context (CORBA 3.3 part 2, 7.10.2.5), which usually comes with its first request.
void take_code_sets(connection::Connection& connection, const messaging::IncomingRequest& request) {
  base::ConstByteSpan data;
  if (!request.contexts.find(messaging::kCodeSetsContext, data)) return;
  cdr::Decoder context = cdr::Decoder::from_encapsulation(data);
  const auto for_char = static_cast<cdr::CodeSet>(context.get<std::uint32_t>());
  const auto for_wchar = static_cast<cdr::CodeSet>(context.get<std::uint32_t>());
  const bool known =
      context.ok() &&
      (for_char == cdr::CodeSet::utf_8 || for_char == cdr::CodeSet::iso_8859_1 || for_char == cdr::CodeSet::none) &&
      (for_wchar == cdr::CodeSet::utf_16 || for_wchar == cdr::CodeSet::none);
  if (!known) {
    throw CORBA::CODESET_INCOMPATIBLE(CORBA::OMGVMCID | 2, CompletionStatus::COMPLETED_NO);
  }
  connection.set_code_sets(for_char == cdr::CodeSet::none ? cdr::CodeSet::utf_8 : for_char, for_wchar);
}

}  // namespace

void Dispatch::on_request(connection::Connection& connection, const messaging::IncomingRequest& request,
                          std::uint8_t giop_minor, cdr::Decoder& body) noexcept {
  CORBEL_PROBE("dispatch");
  IncomingCall call(connection, request, giop_minor, body);
  try {
    if (request.contexts.count() != 0) take_code_sets(connection, request);
    const cdr::Format format = connection.format(giop_minor);
    body.set_code_sets(format.char_set, format.wchar_set);
    body.set_context(&core_);
    if (request.needs_key_addressing) {
      (void)call.send(ReplyStatus::needs_addressing_mode, [](cdr::Encoder& encoder) { encoder.put(std::int16_t{0}); });
      return;
    }
    if (request.response == Response::with_server) {
      (void)call.send(ReplyStatus::no_exception, [](cdr::Encoder&) {});
    }
    core_.adapter()->dispatch(request.object_key, call);
  } catch (const LocationForward& forward) {
    call.send(forward);
  } catch (const CORBA::UserException& exception) {
    call.send(exception);
  } catch (const CORBA::SystemException& exception) {
    call.send(exception);
  } catch (...) {
    call.send(CORBA::UNKNOWN(CORBA::OMGVMCID | 1, CompletionStatus::COMPLETED_MAYBE));
  }
}

void Dispatch::on_locate_request(connection::Connection& connection, const messaging::IncomingLocateRequest& request,
                                 std::uint8_t giop_minor) noexcept {
  const auto answer = [&](LocateStatus status, base::FunctionRef<void(cdr::Encoder&)> body) {
    (void)connection.send_reply(giop_minor, [&](cdr::Encoder& encoder) {
      connection.protocol().encode_locate_reply(encoder, request.request_id, status, body);
    });
  };
  const auto nothing = [](cdr::Encoder&) {};
  if (request.needs_key_addressing) {
    return answer(LocateStatus::needs_addressing_mode, [](cdr::Encoder& encoder) { encoder.put(std::int16_t{0}); });
  }
  try {
    core_.adapter()->locate(request.object_key);
    answer(LocateStatus::object_here, nothing);
  } catch (const LocationForward& forward) {
    answer(LocateStatus::object_forward, [&](cdr::Encoder& encoder) { ior::encode(encoder, forward.ior); });
  } catch (...) {
    answer(LocateStatus::unknown_object, nothing);
  }
}

}  // namespace corbel::orb
