// SPDX-License-Identifier: Apache-2.0
#include "corbel/mapping/poller.hpp"

#include "corbel/corba/minor_codes.hpp"

namespace corbel::mapping {

void PolledCall::handler(HandlerRef handler) {
  if (handler != nullptr && !is_for(handler))
    throw CORBA::BAD_PARAM(0, CORBA::COMPLETED_NO, "a reply handler of another interface");
  // What was there before goes after the lock.
  const State before = redirect(handler != nullptr, [&] { std::swap(handler_, handler); });
  if (before == State::taken) throw CORBA::OBJECT_NOT_EXIST(corba::minor::kReplyDelivered, CORBA::COMPLETED_NO);
  if (before == State::pending || handler == nullptr) return;
  try {
    tell(handler);
  } catch (...) {  // as if it had been told by a thread of the ORB, which may be gone
  }
}

PolledCall::HandlerRef PolledCall::handler() const {
  HandlerRef found;
  look([&] { found = handler_; });
  return found;
}

void PolledCall::deliver() noexcept {
  // It may own the poller: nothing is kept.
  HandlerRef handler;
  look([&] { handler.swap(handler_); });
  try {
    tell(handler);
  } catch (...) {
    report_thrown();
  }
}

}  // namespace corbel::mapping

namespace Messaging {

namespace minor = corbel::corba::minor;
using corbel::corba::PollableCall;

corbel::mapping::PolledCall& Poller::call() const {
  if (call_ == nullptr) throw CORBA::BAD_INV_ORDER(minor::kRequestNotSent, CORBA::COMPLETED_NO);
  return *call_;
}

corbel::mapping::Canceller Poller::_canceller() const {
  call().let_cancel();
  return corbel::mapping::Canceller(corbel::base::IntrusivePtr<corbel::corba::AsyncCall>(&call()));
}

PollableCall& Poller::_pollable_call() {
  return call();
}

corbel::base::SharedPtr<corbel::corba::DiiRequests> Poller::_dii_requests() const {
  (void)call();
  return static_cast<corbel::corba::OrbContext&>(target_->context()).dii_requests();
}

void Poller::_begin(corbel::base::IntrusivePtr<corbel::mapping::PolledCall> call,
                    corbel::corba::TargetPtr target) noexcept {
  call_ = std::move(call);
  target_ = std::move(target);
}

CORBA::object_reference<CORBA::Object> Poller::operation_target() const {
  (void)call();
  return corbel::mapping::Access::make_stub<CORBA::Object>(target_);
}

std::string Poller::operation_name() const {
  return std::string(call().operation().name);
}

CORBA::object_reference<ReplyHandler> Poller::associated_handler() const {
  return call().handler();
}

void Poller::associated_handler(CORBA::object_reference<ReplyHandler> handler) {
  call().handler(std::move(handler));
}

bool Poller::is_from_poller() const {
  From last{};
  __atomic_load(&last_, &last, __ATOMIC_RELAXED);
  if (last == From::nobody) throw CORBA::BAD_INV_ORDER(minor::kNothingPolled, CORBA::COMPLETED_NO);
  return last == From::poller;
}

bool Poller::is_ready(std::uint32_t timeout) try {
  return Pollable::is_ready(timeout);
} catch (const CORBA::SystemException&) {
  note(From::poller);
  throw;
}

void Poller::_poll(const corbel::corba::Operation& operation, std::uint32_t timeout, void* const* results) {
  auto& polled = call();
  if (&polled.operation() != &operation) {
    note(From::poller);
    throw CORBA::BAD_OPERATION(minor::kUnknownOperation, CORBA::COMPLETED_NO,
                               "the poller waits for '" + operation_name() + "'");
  }
  if (polled.await(timeout) == PollableCall::State::pending) {
    note(From::poller);
    if (timeout == 0) throw CORBA::NO_RESPONSE(minor::kNoReplyYet, CORBA::COMPLETED_NO);
    throw CORBA::TIMEOUT(minor::kPollerTimeout, CORBA::COMPLETED_NO);
  }
  if (!polled.take()) {
    note(From::poller);
    throw CORBA::OBJECT_NOT_EXIST(minor::kReplyDelivered, CORBA::COMPLETED_NO);
  }
  note(From::call);
  polled.rethrow_failure();
  polled.give(results);
}

}  // namespace Messaging
