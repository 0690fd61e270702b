// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "corbel/base/function_ref.hpp"
#include "corbel/base/intrusive_ptr.hpp"
#include "corbel/corba/local_traits.hpp"
#include "corbel/corba/pollable.hpp"
#include "corbel/dynamic/any.hpp"
#include "corbel/dynamic/nv_list.hpp"

namespace corbel::dynamic {
class DeferredCall;
}

namespace CORBA {

using ExceptionList = std::vector<typecode_reference>;
class Request;
using RequestSeq = std::vector<object_reference<Request>>;

/// A user exception that came in answer to a Request, with its TypeCode.
class CORBEL_API UnknownUserException final : public UserException {
 public:
  static constexpr const char* _id = "IDL:omg.org/CORBA/UnknownUserException:1.0";

  explicit UnknownUserException(Any exception) : exception_(std::move(exception)) {}
  const Any& exception() const noexcept { return exception_; }

  [[noreturn]] void _raise() const override { throw *this; }
  const char* _rep_id() const noexcept override { return _id; }
  const char* _name() const noexcept override { return "UnknownUserException"; }
  void _encode(corbel::cdr::Encoder& encoder) const override { encoder.put_plain_string(_id); }

 private:
  Any exception_;
};

/// A call put together at run time (CORBA 3.3 part 1, chapter 11), remote or collocated: get one from
/// `object->_request("operation")`, add the arguments in their order, say the result's type and the exceptions that may
/// come, send it once. A user exception in exceptions() is thrown as UnknownUserException, any other as UNKNOWN minor
/// OMG 1. Sent deferred it is a pollable until get_response(), also for pollable sets. Not thread-safe.
class CORBEL_API Request final : public LocalObject, public DIIPollable {
 public:
  object_reference<Object> target() const;
  const std::string& operation() const noexcept { return operation_; }
  NVList& arguments() noexcept { return arguments_; }
  NamedValue& result() noexcept { return result_; }
  ExceptionList& exceptions() noexcept { return exceptions_; }

  /// `request->add_in_arg() <<= value`. After the call inout and out arguments hold what came back.
  Any& add_in_arg(const std::string& name = {}) { return arguments_.add_value(name, {}, ARG_IN).value; }
  Any& add_inout_arg(const std::string& name = {}) { return arguments_.add_value(name, {}, ARG_INOUT).value; }
  /// The same for an out argument, whose value is not sent: what is put in tells its type.
  Any& add_out_arg(const std::string& name = {}) { return arguments_.add_value(name, {}, ARG_OUT).value; }
  Any& add_out_arg(const typecode_reference& type, const std::string& name = {}) {
    return arguments_.add_type(name, type, ARG_OUT).value;
  }
  /// Without it the operation returns void.
  void set_return_type(const typecode_reference& type) { result_.value = Any(type, nullptr); }
  Any& return_value() noexcept { return result_.value; }

  /// Sends the request and waits for what comes back. Throws BAD_INV_ORDER minor OMG 10 if it was sent before,
  /// BAD_PARAM for an argument without value or type, and what the call raises.
  void invoke();
  /// Returns as soon as a oneway would.
  void send_oneway();
  /// Sends the request and returns; get_response() ends it. Throws what stops it from being sent.
  void send_deferred();
  /// True if get_response() would not wait. Throws BAD_INV_ORDER minor OMG 11 if nothing was sent, 12 after
  /// get_response(), 13 if the request was not sent deferred.
  bool poll_response();
  /// Waits for the end of a deferred request, after which all is as after invoke(). Throws BAD_INV_ORDER as
  /// poll_response().
  void get_response();

  /// For the ORB. Throws BAD_INV_ORDER as poll_response().
  corbel::corba::PollableCall& _pollable_call() override;
  corbel::base::SharedPtr<corbel::corba::DiiRequests> _dii_requests() const override;
  /// For the ORB: gives each of them to `send`, none if one is nil (BAD_PARAM). What stops one does not stop the
  /// others; the first such exception is thrown when all have been tried.
  static void _send_each(const RequestSeq& requests,
                         corbel::base::FunctionRef<void(const object_reference<Request>&)> send);

  /// For Object::_request.
  Request(corbel::corba::TargetPtr target, std::string operation);
  ~Request() override;

 private:
  void prepare();
  void send(bool oneway);
  corbel::dynamic::DeferredCall& deferred();

  const corbel::corba::TargetPtr target_;
  const std::string operation_;
  NVList arguments_;
  NamedValue result_{{}, Any(_tc_void, nullptr), ARG_OUT};
  ExceptionList exceptions_;
  std::vector<corbel::corba::ExceptionType> raises_;
  corbel::base::IntrusivePtr<corbel::dynamic::DeferredCall> deferred_;
  enum class State { fresh, sent, deferred, done } state_ = State::fresh;
};

}  // namespace CORBA

namespace IDL {
template <>
struct traits<CORBA::Request> : corbel::corba::LocalTraits<CORBA::Request> {};
}  // namespace IDL
