// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/remote_target.hpp"

#include <algorithm>
#include <utility>

#include "corbel/base/log.hpp"
#include "corbel/base/probe.hpp"
#include "corbel/corba/exception.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/orb/call_trace.hpp"
#include "corbel/orb/core.hpp"
#include "corbel/orb/error_map.hpp"
#include "corbel/orb/exception_detail.hpp"
#include "corbel/orb/orb_type.hpp"
#include "corbel/orb/remote_call.hpp"

namespace corbel::orb {

using base::Code;
using base::Deadline;
using base::Stage;
using CORBA::CompletionStatus;

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

std::string raised_by(const std::string& peer, const corba::Operation& operation, const connection::Route& route) {
  return "raised by the server " + peer + " in '" + std::string(operation.name) + "' of object " +
         describe_key(route.object_key);
}

/// For a reply that makes no sense: perhaps it is none.
std::string describe_instead(connection::Connection& connection) {
  const std::string octets = connection.received_instead();
  const std::string_view name = connection.protocol().name();
  if (octets.empty() || (name == "giop" && octets.starts_with("GIOP"))) return {};
  std::string text = "; the peer does not seem to speak " + std::string(name) + ", it sent '";
  for (const char c : octets) text += is_printable(static_cast<base::Octet>(c)) ? c : '.';
  return text + "'";
}

/// What was wrong with the arguments. That wide characters cannot be sent lies in GIOP 1.0, or in the reference:
/// INV_OBJREF (CORBA 3.3 part 2, 7.10.2.5).
base::Error encoding_error(base::Error error, const connection::Route& route) {
  if (error.code != Code::wide_data || route.version.minor == 0) return error;
  return base::error(Stage::resolve, route.code_sets.negotiated ? Code::unsupported : Code::wide_data);
}

}  // namespace

RemoteTarget::RemoteTarget(Core& core, ior::Ior ior) : core_(core), orb_(core.orb()), ior_(std::move(ior)) {}

cdr::Context& RemoteTarget::context() const noexcept {
  return core_;
}

Deadline RemoteTarget::call_deadline(std::int64_t now) const {
  const base::Duration timeout = core_.options().timeouts.call;
  return timeout == base::Duration::zero() ? Deadline::none() : Deadline::after(timeout, now);
}

void RemoteTarget::invoke(const corba::Call& call) {
  const CallTrace trace(core_.log());
  if (trace.on()) [[unlikely]]
    return invoke_traced(call, trace);
  carry_out(call);
}

/// Calls and tells about it.
void RemoteTarget::invoke_traced(const corba::Call& call, const CallTrace& trace) try {
  carry_out(call);
  tell(trace, call.operation, "ok");
} catch (const CORBA::Exception& exception) {
  tell(trace, call.operation, exception._rep_id());
  throw;
}

void RemoteTarget::tell(const CallTrace& trace, const corba::Operation& operation, std::string_view outcome) {
  BindingPtr binding;
  {
    const std::lock_guard lock(mutex_);
    binding = binding_;
  }
  if (!binding) return trace.tell(operation.name, {}, "none", outcome);
  trace.tell(operation.name, binding->route().object_key, binding->connection->peer(), outcome);
}

void RemoteTarget::carry_out(const corba::Call& call) {
  CORBEL_PROBE("remote target");
  const std::int64_t now = Deadline::clock_now();
  const Deadline deadline = call_deadline(now);
  Attempts attempts;
  for (;;) {
    const BindingPtr binding = bind(deadline, now, attempts);
    const base::Status status = try_once(*binding, call, deadline, attempts);
    if (!status) [[unlikely]] {
      recover(*binding, call.operation, status.error(), deadline, attempts);
      continue;
    }
    if (attempts.well()) [[likely]]
      return;
    settle(*binding, call.operation, deadline, attempts);
  }
}

void RemoteTarget::invoke_async(corba::AsyncCall& call) {
  core_.start_threads();
  call.emplace_carrier<RemoteCall>(call, shared_from(this), call_deadline(Deadline::clock_now())).begin();
}

base::Status RemoteTarget::try_once(const Binding& binding, const corba::Call& call, Deadline deadline,
                                    Attempts& attempts) {
  messaging::OutgoingRequest request;
  request.object_key = binding.route().object_key;
  request.operation = call.operation.name;
  if (call.operation.oneway) {
    switch (core_.options().sync_scope) {
      case policy::SyncScope::none: {
        request.response = messaging::Response::none;
        auto posted = binding.connection->post_oneway(request, call.encode_arguments, deadline);
        if (posted && binding.connection->has_backlog()) {
          try {
            core_.start_threads();  // they send what waits
          } catch (const CORBA::SystemException&) {
            // It is on its way all the same: the next caller sends it, or the end of the connection.
          }
        }
        return posted;
      }
      case policy::SyncScope::with_transport:
        request.response = messaging::Response::none;
        return binding.connection->send_oneway(request, call.encode_arguments, deadline);
      case policy::SyncScope::with_server:
        request.response = messaging::Response::with_server;
        break;
      case policy::SyncScope::with_target:
        break;
    }
  }
  const auto handle = [&](const messaging::IncomingReply& reply, cdr::Decoder& body) {
    on_reply(call, reply, body, attempts);
  };
  connection::Caller caller;
  if (binding.connection->enter(caller)) [[likely]]
    return binding.connection->call(caller, request, call.encode_arguments, deadline, handle);
  // Other calls are under way on this connection: take another one, or share if there may be no more.
  bool fresh = false;
  auto other = core_.cache().acquire(binding.route(), deadline, fresh);
  if (!other) return binding.connection->call(caller, request, call.encode_arguments, deadline, handle);
  auto status = (*other)->call(request, call.encode_arguments, deadline, handle);
  if (!status) core_.cache().forget(binding.route(), **other);  // if it has failed; recover() knows only the binding's
  return status;
}

/// Runs with the reply in place; throws the user exception that the peer raised.
void RemoteTarget::on_reply(const corba::Call& call, const messaging::IncomingReply& reply, cdr::Decoder& body,
                            Attempts& attempts) {
  CORBEL_PROBE("unmarshal");
  body.set_context(&core_);
  switch (reply.status) {
    case messaging::ReplyStatus::no_exception:
      call.decode_results(body);
      if (!body.ok()) [[unlikely]]
        attempts.set_answer(body.error());
      return;
    case messaging::ReplyStatus::user_exception:
      corba::throw_user_exception(call.operation, body);
      return attempts.set_answer(body.error());
    case messaging::ReplyStatus::system_exception:
      return on_system_exception(reply, body, attempts);
    case messaging::ReplyStatus::location_forward:
    case messaging::ReplyStatus::location_forward_perm:
      return on_forward(body, attempts);
    case messaging::ReplyStatus::needs_addressing_mode:
      // We address by key, which nearly every server understands (CORBA 3.3 part 2, 9.4.3.2).
      return attempts.set_answer(base::error(Stage::dispatch, Code::unsupported));
  }
  attempts.set_answer(base::error(Stage::receive, Code::malformed));
}

void RemoteTarget::on_system_exception(const messaging::IncomingReply& reply, cdr::Decoder& body, Attempts& attempts) {
  Refusal refusal;
  refusal.id = body.get_plain_string();
  refusal.minor = body.get<std::uint32_t>();
  const auto completed = body.get<std::uint32_t>();
  if (!body.ok() || completed > 2) return attempts.set_answer(base::error(Stage::receive, Code::malformed));
  refusal.completed = static_cast<CompletionStatus>(completed);
  refusal.detail = exception_detail(reply.contexts);
  attempts.set_answer(std::move(refusal));
}

/// Whatever is wrong with the forward, the request was not executed.
void RemoteTarget::on_forward(cdr::Decoder& body, Attempts& attempts) {
  ior::Ior ior;
  ior::decode(body, ior, core_.options().limits);
  if (!body.ok()) return attempts.set_answer(base::error(Stage::resolve, Code::malformed));
  attempts.set_answer(std::move(ior));
}

void RemoteTarget::settle(const Binding& binding, const corba::Operation& operation, Deadline deadline,
                          Attempts& attempts) {
  const std::string& peer = binding.connection->peer();
  attempts.begin(binding.places, binding.at);
  Attempts::Answer answer = attempts.take_answer();
  bool again = false;
  if (const auto* forward = std::get_if<ior::Ior>(&answer)) {
    again = attempts.after_forward(core_.registry().routes(*forward, core_.options().preference),
                                   core_.options().forward_limit);
  } else if (auto* refusal = std::get_if<Refusal>(&answer)) {
    std::string what = raised_by(peer, operation, binding.route());
    if (!refusal->detail.empty()) what += ": " + refusal->detail;
    if (!refusal->asks_elsewhere()) {
      corba::raise_system_exception(refusal->id, refusal->minor, refusal->completed, std::move(what));
    }
    again = attempts.after_refusal(std::move(*refusal), std::move(what));
  } else {
    const base::Error error = std::get<base::Error>(answer);
    const std::string name = "'" + std::string(operation.name) + "'";
    if (!Attempts::not_executed(error)) {
      raise(error, "results of operation " + name + " from " + peer + ": " + describe(error));
    }
    again = attempts.after_failure(error, true, "the answer of " + peer + " to " + name);
  }
  if (again && deadline.expired() && std::holds_alternative<ior::Ior>(answer)) {
    // Whoever forwards has not executed the request, and there is no time left to send it on.
    raise(base::error(Stage::send, Code::timed_out),
          "forwarded by " + peer + " when the time was over" + spent(deadline));
  }
  if (!again || deadline.expired()) give_up(deadline, attempts);
  CORBEL_LOG(core_.log(), client, debug, "call goes on elsewhere", {"operation", operation.name}, {"peer", peer},
             {"to", attempts.route().endpoint->text()}, {"after", attempts.last()});
}

void RemoteTarget::recover(const Binding& binding, const corba::Operation& operation, base::Error error,
                           Deadline deadline, Attempts& attempts) {
  std::string what = "calling '" + std::string(operation.name) + "' at " + binding.connection->peer();
  if (error.stage == Stage::encode) {
    error = encoding_error(error, binding.route());
    raise(error, what + ": " + describe(error));
  }
  if (error.code != Code::timed_out) drop(binding);
  attempts.begin(binding.places, binding.at);
  if (error.stage == Stage::receive) what += describe_instead(*binding.connection);
  if (error.stage == Stage::send && error.code == Code::protocol_error) {
    what += "; the peer refused the request before it was whole: perhaps it is larger than the peer takes";
    what += " (-ORBMaxMessageSize there, if it is Corbel)";
  }
  if (error.stage == Stage::receive && error.code == Code::too_large) {
    what += "; -ORBMaxMessageSize is " + std::to_string(core_.options().limits.max_message_size) + " here";
  }
  if (!attempts.after_failure(error, binding.fresh, what) || deadline.expired()) give_up(deadline, attempts);
  CORBEL_LOG(core_.log(), client, debug, "call is tried again", {"operation", operation.name},
             {"peer", binding.connection->peer()}, {"error", error}, {"to", attempts.route().endpoint->text()});
}

void RemoteTarget::give_up(Deadline deadline, Attempts& attempts) {
  if (attempts.nowhere_left()) {  // the next call begins with the reference again
    const std::lock_guard lock(mutex_);
    binding_.reset();
    places_.reset();
  }
  if (attempts.refused_here()) core_.refuse_call();
  attempts.give_up(spent(deadline));
}

/// For messages: how much of the time is over.
std::string RemoteTarget::spent(Deadline deadline) const {
  if (deadline.is_none()) return {};
  const auto in_ms = [](base::Duration duration) {
    return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(duration).count());
  };
  const base::Duration timeout = core_.options().timeouts.call;
  return ", after " + in_ms(timeout - deadline.remaining()) + " of " + in_ms(timeout) + " ms";
}

RemoteTarget::BindingPtr RemoteTarget::bind(Deadline deadline, std::int64_t now, Attempts& attempts) {
  if (!attempts.begun()) [[likely]] {
    BindingPtr binding;
    {
      const std::lock_guard lock(mutex_);
      binding = binding_;
    }
    if (binding && binding->connection->usable(now)) [[likely]]
      return binding;
    if (binding) drop(*binding);
    begin(attempts, deadline);
  }
  return connect(deadline, attempts);
}

/// Where the last call got through, or else with the reference's first place.
void RemoteTarget::begin(Attempts& attempts, Deadline deadline) {
  {
    const std::lock_guard lock(mutex_);
    if (places_) return attempts.begin(places_, at_);
  }
  auto routes = core_.registry().routes(ior_, core_.options().preference);
  if (!routes) {
    raise(routes.error(), "connecting to any profile of the reference: " + describe(routes.error()) + spent(deadline));
  }
  attempts.begin(PlacesPtr(new Places(*std::move(routes))), 0);
}

/// Place tried after place.
RemoteTarget::BindingPtr RemoteTarget::connect(Deadline deadline, Attempts& attempts) {
  for (;;) {
    const base::Duration limit = core_.options().timeouts.connect;
    const Deadline until = limit == base::Duration::zero() ? deadline : earlier(deadline, Deadline::after(limit));
    bool fresh = false;
    auto connection = core_.cache().acquire(attempts.route(), until, fresh);
    if (connection) return publish(*std::move(connection), fresh, attempts);
    CORBEL_LOG(core_.log(), client, debug, "connecting failed", {"endpoint", attempts.route().endpoint->text()},
               {"error", connection.error()});
    const bool again =
        attempts.after_failure(connection.error(), true, "connecting to " + attempts.route().endpoint->text());
    if (!again || deadline.expired()) give_up(deadline, attempts);
  }
}

RemoteTarget::BindingPtr RemoteTarget::publish(connection::ConnectionPtr connection, bool fresh,
                                               const Attempts& attempts) {
  base::IntrusivePtr<Binding> binding(new Binding);
  binding->places = attempts.places();
  binding->at = attempts.at();
  binding->connection = std::move(connection);
  CORBEL_LOG(core_.log(), client, debug, "bound", {"endpoint", attempts.route().endpoint->text()},
             {"protocol", attempts.route().protocol->name()}, {"key", attempts.route().object_key}, {"fresh", fresh},
             {"orb_type", orb_type_of(ior_)});
  // The next call finds it no longer fresh: a connection that served once may go stale and is then retried.
  base::IntrusivePtr<Binding> kept(new Binding(*binding));
  binding->fresh = fresh;
  const std::lock_guard lock(mutex_);
  places_ = kept->places;
  at_ = kept->at;
  binding_ = std::move(kept);
  return binding;
}

void RemoteTarget::drop(const Binding& binding) {
  core_.cache().forget(binding.route(), *binding.connection);
  const std::lock_guard lock(mutex_);
  if (binding_ && binding_->connection == binding.connection) binding_.reset();
}

}  // namespace corbel::orb
