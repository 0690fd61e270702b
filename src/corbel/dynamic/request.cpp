// SPDX-License-Identifier: Apache-2.0
#include "corbel/dynamic/request.hpp"

#include <algorithm>
#include <exception>

#include "corbel/corba/dii_requests.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/dynamic/arguments.hpp"
#include "corbel/dynamic/deferred_call.hpp"
#include "corbel/dynamic/run_time_values.hpp"

namespace CORBA {
namespace {

void throw_unknown_user_exception(corbel::cdr::Decoder& decoder, const corbel::corba::ExceptionType& self) {
  Any exception = corbel::dynamic::decode_exception(decoder, *static_cast<const TypeCode*>(self.data));
  if (decoder.ok()) throw UnknownUserException(std::move(exception));
}

}  // namespace

object_reference<Request> Object::_request(const std::string& operation) {
  if (target_ == nullptr) {
    throw NO_IMPLEMENT(corbel::corba::minor::kNotForLocalObjects, CompletionStatus::COMPLETED_NO,
                       "a local object takes no requests");
  }
  return make_reference<Request>(target_, operation);
}

object_reference<Request> Object::_create_request(const std::string& operation, const NVList& arguments,
                                                  const NamedValue& result) {
  auto request = _request(operation);
  request->arguments() = arguments;
  request->set_return_type(result.value.type());
  return request;
}

Request::Request(corbel::corba::TargetPtr target, std::string operation)
    : target_(std::move(target)), operation_(std::move(operation)) {}

Request::~Request() {
  if (deferred_ != nullptr) deferred_->all().remove(*deferred_);
}

object_reference<Object> Request::target() const {
  return corbel::mapping::Access::make_stub<Object>(target_);
}

void Request::invoke() {
  send(false);
}

void Request::send_oneway() {
  send(true);
}

void Request::send(bool oneway) try {
  prepare();
  const corbel::corba::RunTimeValues values{&arguments_, &result_, &exceptions_};
  target_->invoke({{operation_, oneway, raises_, false, corbel::corba::kUnknownStub, &values},
                   [this](auto& encoder) { corbel::dynamic::encode_values(encoder, result_, arguments_, ARG_IN); },
                   // What answers a oneway (SYNC_WITH_SERVER) is no result, even if the operation has one.
                   [this, oneway](auto& decoder) {
                     if (!oneway) corbel::dynamic::decode_values(decoder, result_, arguments_, ARG_OUT);
                   },
                   nullptr});
} catch (const std::bad_alloc&) {
  corbel::corba::AsyncCall::refuse_for_memory();
}

void Request::prepare() {
  if (state_ != State::fresh) throw BAD_INV_ORDER(corbel::corba::minor::kRequestSentTwice);
  corbel::dynamic::check_values(operation_, arguments_, ARG_IN);
  for (const auto& type : exceptions_) {
    if (type == nullptr || type->_resolved().kind() != TCKind::tk_except) throw BAD_TYPECODE();
    raises_.push_back({type->_resolved()._node().id, &throw_unknown_user_exception, &*type});
  }
  state_ = State::sent;
}

void Request::send_deferred() try {
  prepare();
  using corbel::dynamic::DeferredCall;
  deferred_ = corbel::base::IntrusivePtr<DeferredCall>(
      new DeferredCall({operation_, raises_, exceptions_, arguments_, result_}, _dii_requests()));
  target_->invoke_async(*deferred_);
  state_ = State::deferred;
  deferred_->all().add(*deferred_);
} catch (const std::bad_alloc&) {
  corbel::corba::AsyncCall::refuse_for_memory();
}

void Request::_send_each(const RequestSeq& requests,
                         corbel::base::FunctionRef<void(const object_reference<Request>&)> send) {
  if (std::find(requests.begin(), requests.end(), nullptr) != requests.end()) {
    throw BAD_PARAM(0, CompletionStatus::COMPLETED_NO, "one of the requests is nil");
  }
  std::exception_ptr first;
  for (const auto& request : requests) {
    try {
      send(request);
    } catch (const Exception&) {
      if (first == nullptr) first = std::current_exception();
    }
  }
  if (first != nullptr) std::rethrow_exception(first);
}

corbel::dynamic::DeferredCall& Request::deferred() {
  switch (state_) {
    case State::fresh:
      throw BAD_INV_ORDER(corbel::corba::minor::kRequestNotSent);
    case State::sent:
      throw BAD_INV_ORDER(corbel::corba::minor::kRequestNotDeferred);
    case State::done:
      throw BAD_INV_ORDER(corbel::corba::minor::kResultTakenTwice);
    case State::deferred:
      break;
  }
  return *deferred_;
}

bool Request::poll_response() {
  return deferred().poll();
}

corbel::corba::PollableCall& Request::_pollable_call() {
  return deferred();
}

corbel::base::SharedPtr<corbel::corba::DiiRequests> Request::_dii_requests() const {
  return static_cast<corbel::corba::OrbContext&>(target_->context()).dii_requests();
}

void Request::get_response() {
  deferred().wait();
  state_ = State::done;
  auto call = std::move(deferred_);
  call->take();
  call->all().remove(*call);
  const auto& outcome = call->outcome();
  // One by one: the caller may hold references to arguments, and may have changed their number meanwhile.
  const std::size_t count = std::min(arguments_.size(), outcome.arguments.size());
  for (std::size_t i = 0; i < count; ++i) arguments_[i].value = outcome.arguments[i].value;
  result_.value = outcome.result.value;
}

}  // namespace CORBA
