// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/remote_call.hpp"

#include <utility>

#include "corbel/corba/failure.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/orb/core.hpp"
#include "corbel/orb/error_map.hpp"
#include "corbel/orb/invocation_policies.hpp"
#include "corbel/orb/no_memory.hpp"

namespace corbel::orb {

void RemoteCall::begin(const RemoteTarget::BindingPtr& settled) {
  try {
    if (settled) {
      // Without threads it may be the application's loop that is to be told of the reply.
      expect_asker(attended() && call().expects_asker());
      // No thread can wait for this call yet, no hook is to see it, and no policy adds to its request.
      token = settled->connection->take_token();
      const base::Status sent = ask(*settled, {});
      if (sent) [[likely]]
        return;
      target_->recover(*settled, sent.error(), invocation_);
    }
    send();
  } catch (...) {
    (void)end_helping();
    target_.reset();
    withdraw();
    throw;
  }
}

/// Tries until a request has left. Afterwards the call may be over and gone, unless the caller holds a reference.
void RemoteCall::send() {
  if ((target_->core_.edges().word() & Edges::kClientHooks) != 0) return send_seen();
  const InvocationContexts contexts(invocation_.policies.calls);
  for (;;) {
    const auto binding = target_->bind(invocation_, base::Deadline::clock_now());
    const base::Status sent = start(binding, contexts.all());
    if (sent) return;
    target_->recover(*binding, sent.error(), invocation_);
  }
}

base::Status RemoteCall::start(const RemoteTarget::BindingPtr& binding,
                               std::span<const messaging::ServiceContext> contexts) {
  expect_asker(false);  // who asks now may be waiting to be told
  {
    RemoteTarget::BindingPtr before;  // goes after the lock has gone
    const std::lock_guard lock(mutex_);
    check_wanted();
    again_ = false;
    before = std::exchange(binding_, binding);
    if (policies_ == nullptr) policies_ = before->policies;
    token = binding->connection->take_token();
  }
  const base::Status sent = ask(*binding, contexts);
  if (!sent) [[unlikely]]
    check_wanted();
  return sent;
}

/// Throws if it was cancelled; what, does not matter.
void RemoteCall::check_wanted() const {
  if (cancelled()) corba::raise("TRANSIENT", corba::minor::kRequestCancelled, kNo);
}

/// The caller holds the binding: the call may be over and gone before this returns.
[[gnu::always_inline]] inline base::Status RemoteCall::ask(const RemoteTarget::Binding& binding,
                                                           std::span<const messaging::ServiceContext> contexts) {
  const auto encode = [this](cdr::Encoder& encoder) { call().encode_arguments(encoder); };
  messaging::OutgoingRequest request;
  request.operation = call().operation().name;
  aim(request, binding.route());
  request.contexts = contexts;
  return binding.connection->start(request, encode, *this);
}

/// The attempt under way; a null binding: none is, or the call is about to end.
std::pair<RemoteTarget::BindingPtr, messaging::Token> RemoteCall::under_way() noexcept {
  if (!begin_helping()) return {};
  const std::lock_guard lock(mutex_);
  return {binding_, token};
}

void RemoteCall::attend() noexcept {
  if (const auto [binding, id] = under_way(); binding) binding->connection->attend(*this, id);
}

void RemoteCall::give_up() noexcept {
  if (const auto [binding, id] = under_way(); binding) binding->connection->cancel(*this, id);
}

bool RemoteCall::cancel() noexcept {
  base::SharedPtr<RemoteTarget> target;  // keeps the ORB
  RemoteTarget::BindingPtr binding;
  messaging::Token id = 0;
  bool unsent = false;
  {
    const std::lock_guard lock(mutex_);
    if (!begin_cancelling()) return false;
    target = target_;
    binding = binding_;
    id = token;
    unsent = again_;
  }
  const connection::TakenBack taken = binding->connection->take_back(*this, id);
  unsent = unsent || taken == connection::TakenBack::unsent;
  end_cancelled(unsent ? kNo : corba::Completed::maybe);
  if (taken == connection::TakenBack::sent) finish();
  return true;
}

bool RemoteCall::help(base::Deadline until) {
  const auto [binding, id] = under_way();
  if (!binding) return false;
  if (binding->connection->help(*this, id, earlier(until, deadline))) return true;
  if (deadline.expired()) binding->connection->expire();
  return false;
}

void RemoteCall::on_reply(const messaging::IncomingReply& reply, cdr::Decoder& body) noexcept {
  const auto decode = [this](cdr::Decoder& decoder) { call().decode_results(decoder); };
  try {
    target_->on_reply(call().operation(), decode, reply, body, invocation_.attempts, *binding_->context);
  } catch (...) {
    failure_ = std::current_exception();
  }
}

/// The target is left. False if the call was cancelled.
[[gnu::always_inline]] inline bool RemoteCall::let_go() noexcept {
  const bool helped = end_helping();
  if (helped) [[unlikely]]
    mutex_.lock();
  {
    const RemoteTarget::BindingPtr binding(std::move(binding_));  // goes after the lock has gone
    if (helped) [[unlikely]]
      mutex_.unlock();
  }
  return !helped || !cancelled();
}

/// Not if the target goes with this call: the ORB may go with the target.
bool RemoteCall::finish_quietly() noexcept {
  if (!went_well() || trace_.on() || !call().completes_at_once()) return false;
  target_->note_success(invocation_);
  return let_go() && target_.reset_unless_last() && complete_quietly();
}

void RemoteCall::finish() noexcept {
  if (target_ == nullptr) return is_over(state()) ? withdraw() : complete(nullptr);  // after a quiet attempt
  if (binding_ == nullptr) return end(nullptr);  // the same, of one that has the target's last reference
  if (!went_well()) [[unlikely]]
    return go_on();
  target_->note_success(invocation_);
  end(nullptr);
}

/// After an attempt that did not bring results: another one, or the end.
void RemoteCall::go_on() noexcept {
  if (cancelled()) return end(nullptr);
  std::exception_ptr failure = std::move(failure_);
  try {
    if (failure == nullptr) {
      const auto binding = binding_;
      if (error.code != base::Code::none) {
        target_->recover(*binding, std::exchange(error, {}), invocation_);
      } else {
        target_->settle(*binding, invocation_);
      }
      {
        const std::lock_guard lock(mutex_);
        check_wanted();
        again_ = true;
      }
      reactor::ThreadPool::promote_follower();                    // another connection may have to be made
      const base::IntrusivePtr<corba::AsyncCall> alive(&call());  // sending again may end in completion elsewhere
      send();
      return cancelled() ? drop_sent() : changed();
    }
  } catch (const std::bad_alloc&) {
    failure = no_memory_for_arguments();
  } catch (...) {
    failure = std::current_exception();
  }
  end(std::move(failure));
}

/// Who cancelled it before it was listed has not found it.
void RemoteCall::drop_sent() noexcept {
  const auto [binding, id] = under_way();
  if (binding && binding->connection->take_back(*this, id) == connection::TakenBack::sent) end(nullptr);
}

void RemoteCall::end(std::exception_ptr failure) noexcept {
  if (trace_.on()) [[unlikely]]
    target_->tell(trace_, call().operation(), cancelled() ? "cancelled" : failure == nullptr ? "ok" : "failed");
  const bool wanted = let_go();
  target_.reset();
  wanted ? complete(std::move(failure)) : withdraw();
}

}  // namespace corbel::orb
