// SPDX-License-Identifier: Apache-2.0
// What came of an attempt that did not end in results, and what follows from it: another one, or an exception.
#include <algorithm>
#include <utility>

#include "corbel/base/log.hpp"
#include "corbel/corba/failure.hpp"
#include "corbel/orb/core.hpp"
#include "corbel/orb/error_map.hpp"
#include "corbel/orb/exception_detail.hpp"
#include "corbel/orb/no_memory.hpp"
#include "corbel/orb/remote_target.hpp"

namespace corbel::orb {

using base::Code;
using base::Stage;
using messaging::TargetAddress;

namespace {

constexpr std::size_t kLongestKeyShown = 32;

bool is_printable(base::Octet octet) {
  return octet >= ' ' && octet < 0x7f;
}

/// The key as its owner may recognise it: text if it is text, else hexadecimal.
std::string describe_key(const base::Bytes& key) {
  const std::size_t size = std::min(key.size(), kLongestKeyShown);
  const bool printable = std::all_of(key.begin(), key.end(), is_printable);
  std::string text = printable ? "'" : "";
  for (std::size_t i = 0; i < size; ++i) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    if (printable) {
      text += static_cast<char>(key[i]);
    } else {
      text.append({kDigits[key[i] >> 4], kDigits[key[i] & 15]});
    }
  }
  if (size < key.size()) text += "...";
  return printable ? text + "'" : text;
}

std::string raised_by(const std::string& peer, const corba::Operation& operation, const routing::Route& route) {
  return "raised by the server " + peer + " in '" + std::string(operation.name) + "' of object " +
         describe_key(route.object_key);
}

/// Says what came instead of a reply that makes sense: the peer may speak something else.
std::string describe_instead(connection::Connection& connection) {
  const std::string octets = connection.received_instead();
  const std::string_view name = connection.protocol().name();
  if (octets.empty() || (name == "giop" && octets.starts_with("GIOP"))) return {};
  std::string text = "; the peer does not seem to speak " + std::string(name) + ", it sent '";
  for (const char c : octets) text += is_printable(static_cast<base::Octet>(c)) ? c : '.';
  return text + "'";
}

/// What was wrong with the arguments. If wide characters cannot be sent, the reason is GIOP 1.0, or the reference:
/// INV_OBJREF (CORBA 3.3 part 2, 7.10.2.5).
base::Error encoding_error(base::Error error, const routing::Route& route) {
  if (error.code != Code::wide_data || route.version.minor == 0) return error;
  return base::error(Stage::resolve, route.code_sets.negotiated ? Code::unsupported : Code::wide_data);
}

Attempts::Answer system_exception(const messaging::IncomingReply& reply, cdr::Decoder& body) {
  Refusal refusal;
  refusal.id = body.get_plain_string();
  refusal.minor = body.get<std::uint32_t>();
  const auto completed = body.get<std::uint32_t>();
  if (!body.ok() || completed > 2) return base::error(Stage::receive, Code::malformed);
  refusal.completed = static_cast<corba::Completed>(completed);
  refusal.detail = exception_detail(reply.contexts);
  return refusal;
}

/// Whatever is wrong with the forward, the request was not executed.
Attempts::Answer forward(cdr::Decoder& body, const cdr::Limits& limits, bool permanent) {
  Forward forward;
  forward.permanent = permanent;
  ior::decode(body, forward.ior, limits);
  if (!body.ok()) return base::error(Stage::resolve, Code::malformed);
  return forward;
}

/// Whatever the server wants, it has not executed the request (CORBA 3.3 part 2, 9.4.3.2).
Attempts::Answer readdressing(cdr::Decoder& body) {
  const auto by = body.get<std::uint16_t>();
  if (!body.ok() || by > static_cast<std::uint16_t>(TargetAddress::By::reference)) {
    return base::error(Stage::dispatch, Code::unsupported);
  }
  return Readdressing{static_cast<TargetAddress::By>(by)};
}

}  // namespace

std::string spent(const Invocation& invocation) {
  const policy::ClientPolicies& calls = invocation.policies.calls;
  if (calls.reply_end != policy::kNever) {  // when the call began is not known then
    return policy::until(calls.reply_end) <= base::Duration::zero() ? ", its reply end time being over" : std::string();
  }
  const base::Duration timeout = calls.round_trip;
  if (invocation.deadline.is_none() || timeout == base::Duration::zero()) return {};
  const auto in_ms = [](base::Duration duration) {
    return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(duration).count());
  };
  return ", after " + in_ms(std::max(timeout - invocation.deadline.remaining(), base::Duration::zero())) + " of " +
         in_ms(timeout) + " ms";
}

/// Throws the user exception that the peer raised; the rest becomes the attempt's answer.
void RemoteTarget::on_other_reply(const corba::Operation& operation, const messaging::IncomingReply& reply,
                                  cdr::Decoder& body, Attempts& attempts) {
  switch (reply.status) {
    case messaging::ReplyStatus::no_exception:
      return;
    case messaging::ReplyStatus::user_exception:
      corba::throw_user_exception(operation, body);
      return attempts.set_answer(body.error());
    case messaging::ReplyStatus::system_exception:
      return attempts.set_answer(system_exception(reply, body));
    case messaging::ReplyStatus::location_forward:
      return attempts.set_answer(forward(body, core_.limits(), false));
    case messaging::ReplyStatus::location_forward_perm:
      return attempts.set_answer(forward(body, core_.limits(), true));
    case messaging::ReplyStatus::needs_addressing_mode:
      return attempts.set_answer(readdressing(body));
  }
  attempts.set_answer(base::error(Stage::receive, Code::malformed));
}

void RemoteTarget::note_success(const Invocation& invocation) {
  if (invocation.policies.calls.rebind == policy::Rebind::transparent) return;
  const std::lock_guard lock(mutex_);
  got_through_ = true;
}

/// After an answer that is not "here are the results".
void RemoteTarget::settle(const Binding& binding, Invocation& invocation) {
  const corba::Completed completed = invocation.attempts.answered();
  try {
    settle_answer(binding, invocation);
  } catch (const std::bad_alloc&) {
    raise_no_memory(Stage::receive, completed);
  }
}

void RemoteTarget::settle_answer(const Binding& binding, Invocation& invocation) {
  Attempts& attempts = invocation.attempts;
  const corba::Operation& operation = invocation.operation;
  const std::string& peer = binding.connection->peer();
  const bool fixed = is_fixed(invocation);
  attempts.begin(binding.places, binding.at, fixed);
  Attempts::Answer answer = attempts.take_answer();
  bool again = false;
  if (auto* forward = std::get_if<Forward>(&answer)) {
    again = follow_forward(std::move(*forward), invocation, fixed);
  } else if (auto* refusal = std::get_if<Refusal>(&answer)) {
    std::string what = raised_by(peer, operation, binding.route());
    if (!refusal->detail.empty()) what += ": " + refusal->detail;
    if (!refusal->asks_elsewhere()) {
      refusal->detail = std::move(what);
      corba::raise(std::move(*refusal));
    }
    again = attempts.after_refusal(std::move(*refusal), std::move(what));
  } else if (const auto* wanted = std::get_if<Readdressing>(&answer)) {
    again = readdress(wanted->by, attempts, "the answer of " + peer + " to '" + std::string(operation.name) + "'");
  } else {
    const base::Error error = std::get<base::Error>(answer);
    const std::string name = "'" + std::string(operation.name) + "'";
    if (!Attempts::not_executed(error)) {
      raise(error, "results of operation " + name + " from " + peer + ": " + describe(error));
    }
    again = attempts.after_failure(error, true, "the answer of " + peer + " to " + name);
  }
  go_on_after(again, std::holds_alternative<Forward>(answer), peer, invocation);
}

/// True if the call is to be tried again.
bool RemoteTarget::follow_forward(Forward forward, Invocation& invocation, bool fixed) {
  Attempts& attempts = invocation.attempts;
  ReferencePtr to = std::make_shared<const ior::Ior>(std::move(forward.ior));
  auto ways = ways_of(to, invocation);
  if (fixed) keep_agreeing(ways, *to, attempts.route().endpoint->text(), invocation);
  const bool moved = forward.permanent && ways && attempts.at_origin();
  const bool again = attempts.after_forward(std::move(ways), invocation.policies.calls.forward_limit, moved);
  if (again && moved) {
    const std::lock_guard lock(mutex_);
    moved_ = std::move(to);
  }
  return again;
}

/// Returns if the call is to be tried `again` and has time for it, else throws.
void RemoteTarget::go_on_after(bool again, bool forwarded, std::string_view peer, Invocation& invocation) {
  if (again && forwarded && invocation.deadline.expired()) {
    // A server that forwards has not executed the request, and there is no time left to send it on.
    raise(base::error(Stage::send, Code::timed_out),
          "forwarded by " + std::string(peer) + " when the time was over" + spent(invocation));
  }
  if (!again || invocation.deadline.expired()) give_up(invocation);
  const Attempts& attempts = invocation.attempts;
  CORBEL_LOG(core_.log(), client, debug, "call goes on elsewhere", {"operation", invocation.operation.name},
             {"peer", peer}, {"to", attempts.here() ? kHere : std::string_view(attempts.route().endpoint->text())},
             {"after", attempts.last()});
}

/// The call is tried there once more, with its target named as the server wants it; else goes on elsewhere.
bool RemoteTarget::readdress(TargetAddress::By by, Attempts& attempts, std::string what) {
  const routing::Route& route = attempts.route();
  const auto present = route.address == nullptr ? TargetAddress::By::key : route.address->by;
  std::shared_ptr<const TargetAddress> address;
  if (by != TargetAddress::By::key)
    address = std::make_shared<TargetAddress>(TargetAddress{by, ior_of(attempts.place().reference), route.profile});
  if (by != present && attempts.after_readdressing(std::move(address))) return true;
  return attempts.after_failure(base::error(Stage::dispatch, Code::unsupported), true, std::move(what));
}

/// After an attempt that was not answered.
void RemoteTarget::recover(const Binding& binding, base::Error error, Invocation& invocation) try {
  Attempts& attempts = invocation.attempts;
  const std::string& peer = binding.connection->peer();
  std::string what = "calling '" + std::string(invocation.operation.name) + "' at " + peer;
  if (error.stage == Stage::encode) {
    error = encoding_error(error, binding.route());
    const messaging::Protocol& protocol = *binding.route().protocol;
    const bool to_group = binding.connection->transport().traits().group_profile != 0;
    if (error.code == Code::unsupported && (!protocol.offers().two_way || to_group)) {
      if (to_group) {
        what += ": a group can be sent oneways";
      } else {
        what.append(": protocol '").append(protocol.name()).append("' offers ").append(to_string(protocol.offers()));
      }
      what += " only, and the reference names no other endpoint";
    }
    raise(error, what + ": " + describe(error));
  }
  if (error.code != Code::timed_out) drop(binding);
  const bool fixed = is_fixed(invocation);
  attempts.begin(binding.places, binding.at, fixed);
  if (error.stage == Stage::receive) what += describe_instead(*binding.connection);
  if (error.stage == Stage::send && error.code == Code::protocol_error) {
    what += "; the peer refused the request before it was whole: perhaps it is larger than the peer takes";
    what += " (-ORBMaxMessageSize there, if it is Corbel)";
  }
  if (error.stage == Stage::receive && error.code == Code::too_large) {
    what += "; -ORBMaxMessageSize is " + std::to_string(core_.limits().max_message_size) + " here";
  }
  if (error.stage == Stage::receive && error.code == Code::out_of_resources && error.os_error == 0) {
    what += "; perhaps others take what -ORBMaxInputMemory leaves";
  }
  const bool again = attempts.after_failure(error, binding.fresh, what) || look_again(invocation);
  if (again && fixed && invocation.policies.calls.rebind == policy::Rebind::no_reconnect) {
    corba::raise("REBIND", 0, kNo,
                 what + ": " + describe(error) + "; RebindPolicy NO_RECONNECT allows no new connection");
  }
  if (!again || invocation.deadline.expired()) give_up(invocation);
  CORBEL_LOG(core_.log(), client, debug, "call is tried again", {"operation", invocation.operation.name},
             {"peer", peer}, {"error", error}, {"to", attempts.route().endpoint->text()});
} catch (const std::bad_alloc&) {
  const bool not_executed = error.stage == Stage::encode || Attempts::not_executed(error);
  raise_no_memory(error.stage, not_executed ? kNo : kMaybe);
}

void RemoteTarget::give_up(Invocation& invocation) {
  Attempts& attempts = invocation.attempts;
  if (attempts.nowhere_left()) forget_way(invocation);
  if (attempts.refused_here()) core_.refuse_call();
  attempts.give_up(spent(invocation));
}

}  // namespace corbel::orb
