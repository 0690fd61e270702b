// SPDX-License-Identifier: Apache-2.0
#include "corbel/bridge/transfer.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "corbel/connection/sending.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/orb/core.hpp"
#include "corbel/orb/invocation_policies.hpp"
#include "corbel/policy/client_policies.hpp"

namespace corbel::bridge {

using base::Code;
using base::Deadline;
using base::Stage;
using corba::Completed;
using messaging::LocateStatus;
using messaging::ReplyStatus;
using messaging::ServiceContext;

namespace {

constexpr std::array<base::Octet, 4> kPadding{};

/// An encapsulation: byte order, gap, number.
std::array<base::Octet, 8> encode_bridges(std::uint32_t count) noexcept {
  std::array<base::Octet, 8> octets{std::endian::native == std::endian::little ? base::Octet{1} : base::Octet{0}};
  std::memcpy(octets.data() + 4, &count, sizeof count);
  return octets;
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

}  // namespace

Transfer::Transfer(Means& means, connection::Connection& client, const Asked& asked, const Target& target)
    : means_(means),
      client_(client),
      asked_(asked),
      signature_(means.settings.signatures == nullptr
                     ? nullptr
                     : means.settings.signatures->find(target.ior().type_id, asked.operation())) {}

Manner Transfer::manner() const {
  if (asked_.kind() == Asked::Kind::location) return {};
  const cdr::Format& format = asked_.body().format();
  const bool negotiates = client_.protocol().offers().service_contexts;
  return {format.giop_minor, format.char_set, format.wchar_set, !negotiates || client_.session().heard_code_sets()};
}

/// The server need not work for a client that has given up.
Deadline Transfer::limit() const {
  for (const ServiceContext& context : asked_.contexts()) {
    if (context.id != orb::kInvocationPoliciesContext) continue;
    const policy::UtcTime end = orb::end_time(context.data);
    return end == policy::kNever ? Deadline::none() : Deadline::after(policy::until(end));
  }
  return Deadline::none();
}

base::Status Transfer::send(connection::Connection& server, base::ConstByteSpan object_key, Start start) {
  Passage passage(asked_.body(), means_.proxies);
  if (signature_ != nullptr)
    passage.set_types(signature_->request, signature_->request_refers || means_.settings.by_types);
  const auto bridges = encode_bridges(asked_.bridges() + 1);
  const std::vector<ServiceContext>& passed = asked_.contexts();
  const std::size_t count = passed.size() + 1;
  std::array<ServiceContext, 8> few;
  std::vector<ServiceContext> many(count + 1 > few.size() ? count + 1 : 0);
  const std::span<ServiceContext> contexts = many.empty() ? std::span<ServiceContext>(few) : many;
  std::ranges::copy(passed, contexts.begin());
  contexts[count - 1] = {Asked::kBridgesContext, bridges};
  messaging::OutgoingRequest request;
  request.response = asked_.response();
  request.object_key = object_key;
  request.operation = asked_.operation();
  request.contexts = contexts.first(count);
  auto sent = send_in_order(server, request, passage, start);
  if (!sent && sent.error().stage == Stage::encode && passage.wants_shift()) {
    contexts[count] = {Asked::kPaddingContext, kPadding};
    request.contexts = contexts.first(count + 1);
    sent = send_in_order(server, request, passage, start);
  }
  return sent;
}

/// Counted before they leave, so that who has the answer finds them counted.
void Transfer::write(cdr::Encoder& encoder, Passage& passage) const {
  passage.write(encoder);
  if (encoder.ok() && passage.went_by_types()) means_.counters.by_types.fetch_add(1, std::memory_order_relaxed);
}

base::Status Transfer::send_in_order(connection::Connection& server, const messaging::OutgoingRequest& request,
                                     Passage& passage, Start start) {
  messaging::OutgoingRequest ordered = request;
  const messaging::TargetAddress other_order{messaging::TargetAddress::By::key, {}, 0, true};
  if (passage.wants_other_order() && server.protocol().offers().service_contexts) ordered.address = &other_order;
  return start(ordered, [&](cdr::Encoder& encoder) {
    write(encoder, passage);
    if (encoder.ok() && !std::exchange(counted_, true)) {
      means_.counters.forwarded.fetch_add(1, std::memory_order_relaxed);
    }
  });
}

std::optional<corba::SystemFailure> Transfer::pass_back(connection::Connection& server,
                                                        const messaging::IncomingReply& reply,
                                                        cdr::Decoder& body) noexcept try {
  try {
    body.set_context(&means_.core.context());
    if (asked_.kind() == Asked::Kind::location) return pass_location(reply, body);
    return pass_reply(server, reply, body);
  } catch (const std::exception& failure) {
    return cannot_pass(completed_by(reply, body), failure.what());
  } catch (const corba::SystemFailure& failure) {
    return cannot_pass(completed_by(reply, body), failure.detail);
  }
} catch (...) {  // without memory for an answer
  client_.cut(base::error(Stage::send, Code::out_of_resources));
  return std::nullopt;
}

/// What is wrong with the reply is told the client, and not the server.
std::optional<corba::SystemFailure> Transfer::pass_reply(connection::Connection& server,
                                                         const messaging::IncomingReply& reply, cdr::Decoder& body) {
  if (reply.status == ReplyStatus::needs_addressing_mode) {
    return corba::system_failure("NO_IMPLEMENT", corba::vendor_minor(Stage::receive, Code::unsupported), Completed::no,
                                 "the bridge: the server wants to be told more than an object key");
  }
  if (is_undeclared(reply, body)) {
    return corba::system_failure("UNKNOWN", corba::minor::kUnlistedUserException, Completed::yes,
                                 "the bridge: the server raised what its operation does not declare");
  }
  if (means_.settings.by_types && reply.status == ReplyStatus::system_exception && !told_by(body)) {
    return cannot_pass(Completed::maybe, "the bridge: the server's system exception makes no sense");
  }
  std::vector<ServiceContext> contexts;
  if (server.protocol().offers().service_contexts) {
    reply.contexts.for_each([&](const ServiceContext& context) {
      if (Asked::passes(context)) contexts.push_back(context);
    });
  }
  Passage passage(body, means_.proxies);
  set_types_of(reply, body, passage);
  const base::Status sent = answer(reply.status, contexts, passage);
  if (sent || sent.error().stage != Stage::encode) return std::nullopt;
  return cannot_pass(completed_by(reply, body),
                     "the bridge cannot pass the reply on as it is: " + base::to_string(sent.error()));
}

/// The answer to _non_existent, as one to the question where the object is.
std::optional<corba::SystemFailure> Transfer::pass_location(const messaging::IncomingReply& reply, cdr::Decoder& body) {
  const auto nothing = [](cdr::Encoder&) {};
  switch (reply.status) {
    case ReplyStatus::no_exception: {
      const bool gone = body.get<bool>();
      if (!body.ok()) break;
      (void)client_.reply_locate(asked_.origin(), gone ? LocateStatus::unknown_object : LocateStatus::object_here,
                                 nothing);
      return std::nullopt;
    }
    case ReplyStatus::system_exception: {
      const auto completed = told_by(body);
      if (!completed) break;
      corba::SystemFailure failure;
      failure.id = body.get_plain_string();
      failure.minor = body.get<std::uint32_t>();
      failure.completed = *completed;
      return failure;
    }
    case ReplyStatus::location_forward:
    case ReplyStatus::location_forward_perm: {
      Passage passage(body, means_.proxies);
      passage.set_reference();
      const bool for_good = reply.status == ReplyStatus::location_forward_perm;
      const auto sent = client_.reply_locate(
          asked_.origin(), for_good ? LocateStatus::object_forward_perm : LocateStatus::object_forward,
          [&](cdr::Encoder& encoder) { passage.write(encoder); });
      if (sent || sent.error().stage != Stage::encode) return std::nullopt;
      break;
    }
    default:  // the object is there; what it says about being asked in another way concerns requests
      (void)client_.reply_locate(asked_.origin(), LocateStatus::object_here, nothing);
      return std::nullopt;
  }
  return cannot_pass(Completed::no, "the bridge: the server's answer makes no sense");
}

/// True for a user exception that the operation does not declare, if types are to be checked and known.
bool Transfer::is_undeclared(const messaging::IncomingReply& reply, const cdr::Decoder& body) const {
  if (!means_.settings.by_types || signature_ == nullptr || reply.status != ReplyStatus::user_exception) return false;
  cdr::Decoder look = body;
  return !signature_->exceptions.contains(look.get_plain_string());
}

void Transfer::set_types_of(const messaging::IncomingReply& reply, const cdr::Decoder& body, Passage& passage) const {
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

base::Status Transfer::answer(ReplyStatus status, std::vector<ServiceContext>& contexts, Passage& passage) {
  auto sent = answer_in_order(status, contexts, passage);
  if (!sent && sent.error().stage == Stage::encode && passage.wants_shift()) {
    contexts.push_back({Asked::kPaddingContext, kPadding});
    sent = answer_in_order(status, contexts, passage);
  }
  return sent;
}

base::Status Transfer::answer_in_order(ReplyStatus status, std::span<const ServiceContext> contexts, Passage& passage) {
  const auto body = [&](cdr::Encoder& encoder) { write(encoder, passage); };
  if (passage.wants_other_order()) return client_.reply_swapped(asked_.origin(), status, contexts, body);
  return client_.reply(asked_.origin(), status, contexts, body);
}

}  // namespace corbel::bridge
