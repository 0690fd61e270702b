// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/remote_call.hpp"

#include <utility>

#include "corbel/orb/core.hpp"
#include "corbel/orb/invocation_policies.hpp"
#include "corbel/orb/no_memory.hpp"

namespace corbel::orb {

RemoteCall::RemoteCall(corba::AsyncCall& call, base::SharedPtr<RemoteTarget> target, EffectivePtr policies,
                       std::uint64_t word, std::int64_t at)
    : CallCarrier(call, target->core_.completions(), target->core_.attends_calls()),
      target_(std::move(target)),
      policies_(std::move(policies)),
      invocation_(call.operation(), *policies_, word, at),
      trace_(target_->core_.log()) {
  if (!policies_->calls.plain()) invocation_.limit(at);
  deadline = invocation_.deadline;
}

void RemoteCall::begin(RemoteTarget::BindingPtr settled) {
  try {
    send(std::move(settled));
  } catch (...) {
    target_.reset();
    withdraw();
    throw;
  }
}

/// Tries until a request has left. Afterwards the call may be over and gone, unless the caller holds a reference.
void RemoteCall::send(RemoteTarget::BindingPtr binding) {
  if ((target_->core_.edges().word() & Edges::kClientHooks) != 0) return send_seen(std::move(binding));
  const InvocationContexts contexts(policies_->calls);
  for (;; binding = nullptr) {
    if (!binding) binding = target_->bind(invocation_, base::Deadline::clock_now());
    const base::Status sent = start(binding, contexts.all());
    if (sent) return;
    target_->recover(*binding, sent.error(), invocation_);
  }
}

base::Status RemoteCall::start(const RemoteTarget::BindingPtr& binding,
                               std::span<const messaging::ServiceContext> contexts) {
  const auto encode = [this](cdr::Encoder& encoder) { call().encode_arguments(encoder); };
  messaging::OutgoingRequest request;
  request.operation = call().operation().name;
  {
    const std::lock_guard lock(mutex_);
    binding_ = binding;
    token = binding->connection->take_token();
  }
  aim(request, binding->route());
  request.contexts = contexts;
  return binding->connection->start(request, encode, *this);
}

bool RemoteCall::help(base::Deadline until) {
  RemoteTarget::BindingPtr binding;
  messaging::Token id = 0;
  {
    const std::lock_guard lock(mutex_);
    binding = binding_;
    id = token;
  }
  if (!binding) return false;
  if (binding->connection->help(*this, id, earlier(until, deadline))) return true;
  if (deadline.expired()) binding->connection->expire();
  return false;
}

void RemoteCall::on_reply(const messaging::IncomingReply& reply, cdr::Decoder& body) noexcept {
  const auto encode = [](cdr::Encoder&) {};
  const auto decode = [this](cdr::Decoder& decoder) { call().decode_results(decoder); };
  try {
    target_->on_reply({call().operation(), encode, decode, nullptr}, reply, body, invocation_.attempts,
                      *binding_->context);
  } catch (...) {
    failure_ = std::current_exception();
  }
}

void RemoteCall::finish() noexcept {
  std::exception_ptr failure = std::move(failure_);
  try {
    if (failure == nullptr && !over()) {
      may_take_long();
      const base::IntrusivePtr<corba::AsyncCall> alive(&call());  // sending again may end in completion elsewhere
      send(nullptr);
      return changed();
    }
  } catch (const std::bad_alloc&) {
    failure = std::make_exception_ptr(no_memory_for_arguments());
  } catch (...) {
    failure = std::current_exception();
  }
  if (trace_.on()) target_->tell(trace_, call().operation(), failure == nullptr ? "ok" : "failed");
  {
    RemoteTarget::BindingPtr binding;  // goes after the lock has gone
    const std::lock_guard lock(mutex_);
    binding = std::move(binding_);
  }
  target_.reset();
  complete(std::move(failure));
}

/// False if it has to be tried again; throws if it failed.
bool RemoteCall::over() {
  if (error.code == base::Code::none && invocation_.attempts.well()) [[likely]] {
    target_->note_success(invocation_);
    return true;
  }
  const auto binding = binding_;
  if (error.code != base::Code::none) {
    target_->recover(*binding, std::exchange(error, {}), invocation_);
    return false;
  }
  target_->settle(*binding, invocation_);
  return false;
}

}  // namespace corbel::orb
