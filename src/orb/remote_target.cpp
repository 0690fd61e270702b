// SPDX-License-Identifier: Apache-2.0
#include "orb/remote_target.hpp"

#include <algorithm>
#include <utility>

#include "corbel/base/probe.hpp"
#include "corbel/corba/exception.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "orb/core.hpp"
#include "orb/error_map.hpp"
#include "orb/remote_call.hpp"

namespace corbel::orb {

using base::Code;
using base::Deadline;
using base::Stage;
using CORBA::CompletionStatus;

namespace {

constexpr unsigned kMaxRetries = 2;

std::string describe(std::string_view what, const std::string& where, const base::Error& error,
                     const Deadline& deadline, base::Duration timeout) {
  std::string text(what);
  text += ' ';
  text += where;
  text += ": ";
  text += base::to_string(error);
  if (!deadline.is_none()) {
    const auto spent = std::chrono::duration_cast<std::chrono::milliseconds>(timeout - deadline.remaining());
    text += ", after " + std::to_string(spent.count()) + " of " +
            std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(timeout).count()) + " ms";
  }
  return text;
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
  CORBEL_PROBE("remote target");
  const std::int64_t now = Deadline::clock_now();
  const Deadline deadline = call_deadline(now);
  Attempt attempt;
  for (;;) {
    const BindingPtr binding = bind(deadline, now);
    const base::Status status = try_once(*binding, call, deadline, attempt);
    if (!status) [[unlikely]] {
      recover(*binding, call.operation, status.error(), deadline, attempt);
      continue;
    }
    if (!attempt.bad_results && !attempt.forward) [[likely]]
      return;
    if (settle(*binding, call.operation, attempt)) return;
  }
}

void RemoteTarget::invoke_async(corba::AsyncCall& call) {
  core_.start_threads();
  call.emplace_carrier<RemoteCall>(call, shared_from(this), call_deadline(Deadline::clock_now())).begin();
}

bool RemoteTarget::settle(const Binding& binding, const corba::Operation& operation, Attempt& attempt) {
  if (attempt.bad_results) {
    raise(*attempt.bad_results,
          "results of operation '" + std::string(operation.name) + "' from " + binding.connection->peer());
  }
  if (!attempt.forward) return true;
  if (++attempt.forwards > core_.options().forward_limit) {
    raise(base::error(Stage::wait, Code::forward_loop),
          "forwarded " + std::to_string(attempt.forwards) + " times, last by " + binding.connection->peer());
  }
  forward_to(*std::exchange(attempt.forward, std::nullopt));
  return false;
}

base::Status RemoteTarget::try_once(const Binding& binding, const corba::Call& call, Deadline deadline,
                                    Attempt& attempt) {
  messaging::OutgoingRequest request;
  request.object_key = binding.route.object_key;
  request.operation = call.operation.name;
  if (call.operation.oneway) {
    switch (core_.options().sync_scope) {
      case policy::SyncScope::none:
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
    on_reply(call, reply, body, attempt);
  };
  auto status = binding.connection->call(request, call.encode_arguments, deadline, true, handle);
  if (status || status.error().code != Code::would_block || status.error().stage != Stage::send) [[likely]]
    return status;
  // Somebody else is calling on this connection: take another one, or share if there may be no more.
  bool fresh = false;
  auto other = core_.cache().acquire(binding.route, deadline, fresh);
  if (!other) return binding.connection->call(request, call.encode_arguments, deadline, false, handle);
  status = (*other)->call(request, call.encode_arguments, deadline, false, handle);
  if (!status) core_.cache().forget(binding.route, **other);  // if it has failed; recover() knows only the binding's
  return status;
}

/// Runs with the reply in place; throws what the peer raised.
void RemoteTarget::on_reply(const corba::Call& call, const messaging::IncomingReply& reply, cdr::Decoder& body,
                            Attempt& attempt) {
  CORBEL_PROBE("unmarshal");
  body.set_context(&core_);
  switch (reply.status) {
    case messaging::ReplyStatus::no_exception:
      call.decode_results(body);
      if (!body.ok()) [[unlikely]]
        attempt.bad_results = body.error();
      return;
    case messaging::ReplyStatus::user_exception:
      corba::throw_user_exception(call.operation, body);
      attempt.bad_results = body.error();
      return;
    case messaging::ReplyStatus::system_exception: {
      const std::string id(body.get_plain_string());
      const auto minor = body.get<std::uint32_t>();
      const auto completed = body.get<std::uint32_t>();
      if (body.ok() && completed <= 2) {
        corba::raise_system_exception(id, minor, static_cast<CompletionStatus>(completed),
                                      "raised by the server in '" + std::string(call.operation.name) + '\'');
      }
      attempt.bad_results = base::error(Stage::decode, Code::malformed);
      return;
    }
    case messaging::ReplyStatus::location_forward:
    case messaging::ReplyStatus::location_forward_perm:
      attempt.forward.emplace();
      ior::decode(body, *attempt.forward, core_.options().limits);
      if (!body.ok() || attempt.forward->profiles.empty()) {
        attempt.forward.reset();
        attempt.bad_results = base::error(Stage::decode, Code::malformed);
      }
      return;
    case messaging::ReplyStatus::needs_addressing_mode:
      // We address by key, which every server must understand (CORBA 3.3 part 2, 9.4.3.2).
      attempt.bad_results = base::error(Stage::decode, Code::unsupported);
      return;
  }
  attempt.bad_results = base::error(Stage::decode, Code::malformed);
}

bool RemoteTarget::recover(const Binding& binding, const corba::Operation& operation, base::Error error,
                           Deadline deadline, Attempt& attempt) {
  const bool broken = error.stage != Stage::encode && error.code != Code::timed_out;
  if (broken) drop(binding);
  // Certainly not executed: nothing whole was sent, or the peer said so by closing in order.
  const bool not_executed = error.stage == Stage::send || (error.stage == Stage::wait && error.code == Code::closed);
  if (broken && not_executed && error.code != Code::cancelled && !deadline.expired()) {
    if (attempt.retries < kMaxRetries && (!binding.fresh || error.code == Code::closed)) {
      ++attempt.retries;
      return true;
    }
    if (binding.forwarded && !attempt.went_back && back_to_original()) {
      attempt.went_back = true;
      return true;
    }
  }
  raise(error, describe("calling '" + std::string(operation.name) + "' at", binding.connection->peer(), error, deadline,
                        core_.options().timeouts.call));
}

RemoteTarget::BindingPtr RemoteTarget::bind(Deadline deadline, std::int64_t now) {
  BindingPtr binding;
  {
    const std::lock_guard lock(mutex_);
    binding = binding_;
  }
  if (binding && binding->connection->usable(now)) [[likely]]
    return binding;
  if (binding) drop(*binding);
  return bind_anew(deadline);
}

RemoteTarget::BindingPtr RemoteTarget::bind_anew(Deadline deadline) {
  std::optional<ior::Ior> forward;
  {
    const std::lock_guard lock(mutex_);
    forward = forward_;
  }
  base::Error error = base::error(Stage::resolve, Code::no_profile);
  std::string where = "any profile of the reference";
  BindingPtr binding;
  if (forward) {
    if (auto routes = core_.registry().routes(*forward, core_.options().preference)) {
      binding = connect(*routes, true, deadline, error, where);
    }
    if (!binding) back_to_original();
  }
  if (!binding) {
    auto routes = core_.registry().routes(ior_, core_.options().preference);
    if (routes) {
      binding = connect(*routes, false, deadline, error, where);
    } else {
      error = routes.error();
    }
  }
  if (!binding) raise(error, describe("connecting to", where, error, deadline, core_.options().timeouts.call));
  // The next call finds it no longer fresh: a connection that served once may go stale and is then retried.
  base::IntrusivePtr<Binding> kept(new Binding(*binding));
  kept->fresh = false;
  const std::lock_guard lock(mutex_);
  binding_ = kept;
  return binding;
}

/// Profile tried after profile.
RemoteTarget::BindingPtr RemoteTarget::connect(const std::vector<connection::Route>& routes, bool forwarded,
                                               Deadline deadline, base::Error& error, std::string& where) {
  std::string tried;
  for (const auto& route : routes) {
    const base::Duration limit = core_.options().timeouts.connect;
    const Deadline until = limit == base::Duration::zero() ? deadline : earlier(deadline, Deadline::after(limit));
    bool fresh = false;
    auto connection = core_.cache().acquire(route, until, fresh);
    if (connection) {
      base::IntrusivePtr<Binding> binding(new Binding);
      binding->route = route;
      binding->connection = *std::move(connection);
      binding->fresh = fresh;
      binding->forwarded = forwarded;
      return binding;
    }
    error = connection.error();
    if (!tried.empty()) tried += ", ";
    tried += route.endpoint->text();
    where = tried;
  }
  return {};
}

void RemoteTarget::drop(const Binding& binding) {
  core_.cache().forget(binding.route, *binding.connection);
  const std::lock_guard lock(mutex_);
  if (binding_ && binding_->connection == binding.connection) binding_.reset();
}

void RemoteTarget::forward_to(ior::Ior ior) {
  const std::lock_guard lock(mutex_);
  forward_ = std::move(ior);
  binding_.reset();
}

/// Forgets a forward whose target cannot be reached; false if there was none.
bool RemoteTarget::back_to_original() {
  const std::lock_guard lock(mutex_);
  binding_.reset();
  return std::exchange(forward_, std::nullopt).has_value();
}

}  // namespace corbel::orb
