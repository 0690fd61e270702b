// SPDX-License-Identifier: Apache-2.0
#include "corbel/bridge/exchange.hpp"

#include <array>
#include <utility>

#include "corbel/base/log.hpp"
#include "corbel/connection/sending.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/orb/attempts.hpp"
#include "corbel/orb/core.hpp"
#include "corbel/orb/error_map.hpp"
#include "corbel/orb/invocation_policies.hpp"
#include "corbel/policy/client_policies.hpp"

namespace corbel::bridge {

using base::Code;
using base::Deadline;
using base::Stage;
using corba::Completed;
using messaging::ReplyStatus;
using messaging::Response;
using messaging::ServiceContext;

namespace {

constexpr std::uint32_t kCodeSetsContext = 1;
constexpr std::uint32_t kBiDirContext = 5;
/// Says nothing; moves the body of a GIOP 1.0 or 1.1 message by 4 octets (modulo 8). "CBLp".
constexpr std::uint32_t kPaddingContext = 0x43424c70;
constexpr std::array<base::Octet, 4> kPadding{};
/// Connections that may turn out to be dead before one is made for the request.
constexpr unsigned kStale = 2;

/// These belong to the connection that they came over.
bool passes(const ServiceContext& context) noexcept {
  return context.id != kCodeSetsContext && context.id != kBiDirContext && context.id != kPaddingContext;
}

Deadline after(base::Duration limit) {
  return limit == base::Duration::zero() ? Deadline::none() : Deadline::after(limit);
}

/// What the client is told in place of a reply.
corba::SystemFailure cannot_pass(Completed completed, std::string why) {
  return corba::system_failure("MARSHAL", corba::vendor_minor(Stage::encode, Code::unsupported), completed,
                               std::move(why));
}

/// What a system exception says; nothing if it makes no sense.
std::optional<Completed> told_by(cdr::Decoder exception) {
  (void)exception.get_plain_string();
  (void)exception.get<std::uint32_t>();  // the minor code
  const auto completed = exception.get<std::uint32_t>();
  if (!exception.ok() || completed > static_cast<std::uint32_t>(Completed::maybe)) return std::nullopt;
  return static_cast<Completed>(completed);
}

/// Whether the request was executed, as far as its reply tells.
Completed completed_by(const messaging::IncomingReply& reply, const cdr::Decoder& body) {
  switch (reply.status) {
    case ReplyStatus::no_exception:
    case ReplyStatus::user_exception:
      return Completed::yes;
    case ReplyStatus::system_exception:
      return told_by(body).value_or(Completed::maybe);
    default:
      return Completed::no;
  }
}

/// True if a connection that was used before may have been at an end when the request came to it. It was certainly not
/// executed then: nothing whole of it has left, or the server has closed in order instead.
bool found_an_end(base::Error error) noexcept {
  if (error.stage != Stage::send && error.stage != Stage::wait) return false;
  switch (error.code) {
    case Code::timed_out:
    case Code::cancelled:
    case Code::protocol_error:  // the server does not want this request, on no connection
    case Code::certificate_refused:
      return false;
    default:
      return orb::Attempts::not_executed(error);
  }
}

}  // namespace

Exchange::Exchange(Means& means, connection::Connection& client, const messaging::IncomingRequest& request,
                   const cdr::Decoder& body, Target& target)
    : means_(means),
      client_(client),
      request_(request),
      body_(body),
      target_(target),
      signature_(means.settings.signatures == nullptr
                     ? nullptr
                     : means.settings.signatures->find(target.ior().type_id, request.operation)),
      deadline_(after(means.settings.call_timeout)) {}

Manner Exchange::manner() const {
  const cdr::Format& format = body_.format();
  const bool negotiates = client_.protocol().offers().service_contexts;
  return {format.giop_minor, format.char_set, format.wchar_set, !negotiates || client_.session().heard_code_sets()};
}

/// Those that go along, and what one of them says about time: the server need not work for a client that has given up.
void Exchange::collect_contexts() {
  if (request_.contexts.count() == 0) return;
  request_.contexts.for_each([this](const ServiceContext& context) {
    if (passes(context)) contexts_.push_back(context);
  });
  base::ConstByteSpan policies;
  if (!request_.contexts.find(orb::kInvocationPoliciesContext, policies)) return;
  const policy::UtcTime end = orb::end_time(policies);
  if (end != policy::kNever) deadline_ = earlier(deadline_, Deadline::after(policy::until(end)));
}

void Exchange::fail(base::Error error, const std::string& where) const {
  throw orb::failure_of(error, "the bridge: " + where);
}

void Exchange::run() {
  if (client_.protocol().offers().service_contexts) collect_contexts();
  const auto routes = target_.routes(means_.core, manner());
  if (!routes) fail(routes.error(), "the reference leads nowhere");
  base::Status status = base::error(Stage::resolve, Code::no_profile);
  std::string where;
  for (const routing::Route& route : **routes) {
    where = route.endpoint->text();
    status = try_at(route);
    if (status || deadline_.expired() || !orb::Attempts::not_executed(status.error())) break;
  }
  if (!status && status.error().stage == Stage::encode) {
    throw corba::system_failure("MARSHAL", corba::vendor_minor(Stage::encode, status.error().code), Completed::no,
                                "the bridge cannot pass the arguments on to " + where +
                                    " as they are: byte order, version, alignment or code set differ");
  }
  if (!status) fail(status.error(), where);
  if (instead_) throw *instead_;
}

/// A connection that was used before may have died since: then another is made.
base::Status Exchange::try_at(const routing::Route& route) {
  const bool oneway = request_.response == Response::none;
  const Succession::Place place = means_.succession.find(client_, route);
  for (unsigned stale = 0;; ++stale) {
    bool fresh = false;
    const Deadline limit = earlier(deadline_, after(means_.settings.connect_timeout));
    auto server = means_.core.cache().acquire(route, limit, fresh, place.follows);
    if (!server) return server.error();
    if (oneway) means_.succession.note_oneway(place, **server);
    const base::Status status = send(**server, route);
    if (status && !oneway) means_.succession.note_answer(place);
    if (status) return {};
    if ((*server)->failed()) means_.core.cache().forget(route, **server);
    if (fresh || stale == kStale || deadline_.expired() || !found_an_end(status.error())) return status;
  }
}

base::Status Exchange::send(connection::Connection& server, const routing::Route& route) {
  Passage passage(body_, means_.proxies);
  if (signature_ != nullptr)
    passage.set_types(signature_->request, signature_->request_refers || means_.settings.by_types);
  messaging::OutgoingRequest request;
  request.response = request_.response;
  request.object_key = route.object_key;
  request.operation = request_.operation;
  request.contexts = contexts_;
  auto sent = send_in_order(server, request, passage);
  if (!sent && sent.error().stage == Stage::encode && passage.wants_shift()) {
    contexts_.push_back({kPaddingContext, kPadding});
    request.contexts = contexts_;
    sent = send_in_order(server, request, passage);
    contexts_.pop_back();
  }
  return sent;
}

/// Counted before they leave, so that who has the answer finds them counted.
void Exchange::write(cdr::Encoder& encoder, Passage& passage) const {
  passage.write(encoder);
  if (encoder.ok() && passage.went_by_types()) means_.counters.by_types.fetch_add(1, std::memory_order_relaxed);
}

base::Status Exchange::send_in_order(connection::Connection& server, const messaging::OutgoingRequest& request,
                                     Passage& passage) {
  messaging::OutgoingRequest ordered = request;
  const messaging::TargetAddress other_order{messaging::TargetAddress::By::key, {}, 0, true};
  if (passage.wants_other_order() && server.protocol().offers().service_contexts) ordered.address = &other_order;
  const auto body = [&](cdr::Encoder& encoder) {
    write(encoder, passage);
    if (encoder.ok() && !std::exchange(counted_, true)) {
      means_.counters.forwarded.fetch_add(1, std::memory_order_relaxed);
    }
  };
  if (request.response == Response::none) return server.send_oneway(ordered, body, deadline_);
  return server.call(ordered, body, deadline_, [&](const messaging::IncomingReply& reply, cdr::Decoder& results) {
    on_reply(server, reply, results);
  });
}

/// On the thread of this exchange. What is wrong with the reply is told the client, and not the server.
void Exchange::on_reply(connection::Connection& server, const messaging::IncomingReply& reply, cdr::Decoder& body) try {
  if (reply.status == ReplyStatus::needs_addressing_mode) {
    instead_ = corba::system_failure("NO_IMPLEMENT", 0, Completed::no,
                                     "the bridge: the server wants to be told more than an object key");
    return;
  }
  body.set_context(&means_.core);
  if (is_undeclared(reply, body)) {
    instead_ = corba::system_failure("UNKNOWN", corba::minor::kUnlistedUserException, Completed::yes,
                                     "the bridge: the server raised what its operation does not declare");
    return;
  }
  if (means_.settings.by_types && reply.status == ReplyStatus::system_exception && !told_by(body)) {
    instead_ = cannot_pass(Completed::maybe, "the bridge: the server's system exception makes no sense");
    return;
  }
  std::vector<ServiceContext> contexts;
  if (server.protocol().offers().service_contexts) {
    reply.contexts.for_each([&](const ServiceContext& context) {
      if (passes(context)) contexts.push_back(context);
    });
  }
  Passage passage(body, means_.proxies);
  set_types_of(reply, body, passage);
  const base::Status sent = answer(reply.status, contexts, passage);
  if (!sent && sent.error().stage == Stage::encode) {
    instead_ = cannot_pass(completed_by(reply, body),
                           "the bridge cannot pass the reply on as it is: " + base::to_string(sent.error()));
  }
} catch (const std::exception& failure) {
  instead_ = cannot_pass(completed_by(reply, body), failure.what());
} catch (const corba::SystemFailure& failure) {
  instead_ = cannot_pass(completed_by(reply, body), failure.detail);
}

/// True for a user exception that the operation does not declare, if types are to be checked and known.
bool Exchange::is_undeclared(const messaging::IncomingReply& reply, const cdr::Decoder& body) const {
  if (!means_.settings.by_types || signature_ == nullptr || reply.status != ReplyStatus::user_exception) return false;
  cdr::Decoder look = body;
  return !signature_->exceptions.contains(look.get_plain_string());
}

void Exchange::set_types_of(const messaging::IncomingReply& reply, const cdr::Decoder& body, Passage& passage) const {
  const bool always = signature_ != nullptr && (signature_->reply_refers || means_.settings.by_types);
  switch (reply.status) {
    case ReplyStatus::no_exception:
      if (signature_ != nullptr) passage.set_types(signature_->reply, always);
      return;
    case ReplyStatus::user_exception: {
      if (signature_ == nullptr) return;
      cdr::Decoder look = body;
      const auto found = signature_->exceptions.find(look.get_plain_string());
      if (found != signature_->exceptions.end()) passage.set_types({&found->second, 1}, always);
      return;
    }
    case ReplyStatus::system_exception:
      return passage.set_types(means_.system_exception, means_.settings.by_types);
    default:
      return passage.set_reference();
  }
}

base::Status Exchange::answer(ReplyStatus status, std::vector<ServiceContext>& contexts, Passage& passage) {
  auto sent = answer_in_order(status, contexts, passage);
  if (!sent && sent.error().stage == Stage::encode && passage.wants_shift()) {
    contexts.push_back({kPaddingContext, kPadding});
    sent = answer_in_order(status, contexts, passage);
  }
  return sent;
}

base::Status Exchange::answer_in_order(ReplyStatus status, std::span<const ServiceContext> contexts, Passage& passage) {
  const auto body = [&](cdr::Encoder& encoder) { write(encoder, passage); };
  if (passage.wants_other_order()) return client_.reply_swapped(request_.origin, status, contexts, body);
  return client_.reply(request_.origin, status, contexts, body);
}

}  // namespace corbel::bridge
