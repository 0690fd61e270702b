// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/remote_call.hpp"

#include <utility>

#include "corbel/orb/core.hpp"

namespace corbel::orb {

RemoteCall::RemoteCall(corba::AsyncCall& call, base::SharedPtr<RemoteTarget> target, base::Deadline until)
    : CallCarrier(call, target->core_.completions()), target_(std::move(target)), trace_(target_->core_.log()) {
  deadline = until;
}

void RemoteCall::begin() {
  try {
    send();
  } catch (...) {
    target_.reset();
    withdraw();
    throw;
  }
}

/// Tries until a request has left. Afterwards the call may be over and gone, unless the caller holds a reference.
void RemoteCall::send() {
  const auto encode = [this](cdr::Encoder& encoder) { call().encode_arguments(encoder); };
  messaging::OutgoingRequest request;
  request.operation = call().operation().name;
  for (;;) {
    const RemoteTarget::BindingPtr binding = target_->bind(deadline, base::Deadline::clock_now(), attempts_);
    {
      const std::lock_guard lock(mutex_);
      binding_ = binding;
      request_id = binding->connection->take_request_id();
    }
    request.object_key = binding->route().object_key;
    const base::Status sent = binding->connection->start(request, encode, *this);
    if (sent) return;
    target_->recover(*binding, call().operation(), sent.error(), deadline, attempts_);
  }
}

bool RemoteCall::help(base::Deadline until) {
  RemoteTarget::BindingPtr binding;
  std::uint32_t id = 0;
  {
    const std::lock_guard lock(mutex_);
    binding = binding_;
    id = request_id;
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
    target_->on_reply({call().operation(), encode, decode, nullptr}, reply, body, attempts_);
  } catch (...) {
    failure_ = std::current_exception();
  }
}

void RemoteCall::finish() noexcept {
  const base::IntrusivePtr<corba::AsyncCall> alive(&call());  // sending again may end in completion elsewhere
  std::exception_ptr failure = std::move(failure_);
  try {
    if (failure == nullptr && !over()) {
      send();
      return change(false);
    }
  } catch (...) {
    failure = std::current_exception();
  }
  if (trace_.on()) target_->tell(trace_, call().operation(), failure == nullptr ? "ok" : "failed");
  {
    const std::lock_guard lock(mutex_);
    binding_.reset();
  }
  target_.reset();
  complete(std::move(failure));
}

/// False if it has to be tried again; throws if it failed.
bool RemoteCall::over() {
  const auto binding = binding_;
  if (error.code != base::Code::none) {
    target_->recover(*binding, call().operation(), std::exchange(error, {}), deadline, attempts_);
    return false;
  }
  if (attempts_.well()) return true;
  target_->settle(*binding, call().operation(), deadline, attempts_);
  return false;
}

}  // namespace corbel::orb
