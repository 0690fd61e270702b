// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "corbel/corba/minor_codes.hpp"
#include "corbel/dynamic/run_time_values.hpp"
#include "corbel/interceptors/interceptors.hpp"
#include "corbel/interceptors/raised.hpp"
#include "corbel/orb/face.hpp"

namespace corbel::interceptors {

constexpr auto kNo = CORBA::CompletionStatus::COMPLETED_NO;

inline PortableInterceptor::ReplyStatus status_of(const orb::HookedRequest& request) noexcept {
  switch (request.outcome) {
    case orb::Outcome::exception:
      return is_user_exception(request.exception) ? PortableInterceptor::USER_EXCEPTION
                                                  : PortableInterceptor::SYSTEM_EXCEPTION;
    case orb::Outcome::forward:
      return PortableInterceptor::LOCATION_FORWARD;
    case orb::Outcome::retry:
      return PortableInterceptor::TRANSPORT_RETRY;
    default:
      return PortableInterceptor::SUCCESSFUL;
  }
}

inline IOP::ServiceContext context_in(const orb::KeptContexts& contexts, IOP::ServiceId id) {
  const base::Bytes* data = contexts.find(id);
  if (data == nullptr) throw CORBA::BAD_PARAM(corba::minor::kNoServiceContext, kNo);
  return IOP::ServiceContext(id, *data);
}

inline void add_context(orb::KeptContexts& contexts, const IOP::ServiceContext& context, bool replace) {
  if (contexts.add(context.context_id(), context.context_data(), replace)) return;
  throw CORBA::BAD_INV_ORDER(corba::minor::kServiceContextThere, kNo);
}

/// Before the reply out arguments are Anys without a type.
inline Dynamic::ParameterList parameters_of(const CORBA::NVList& arguments, bool replied) {
  Dynamic::ParameterList list;
  list.reserve(arguments.size());
  for (const CORBA::NamedValue& one : arguments) {
    const bool in = (one.flags & CORBA::ARG_IN) != 0;
    const bool out = (one.flags & CORBA::ARG_OUT) != 0;
    list.emplace_back(in || replied ? one.value : CORBA::Any(),
                      !out ? CORBA::ParameterMode::PARAM_IN
                           : (in ? CORBA::ParameterMode::PARAM_INOUT : CORBA::ParameterMode::PARAM_OUT));
  }
  return list;
}

/// What both sides' RequestInfo have in common. `Points` has the rows of the tables that differ.
template <class Interface, class Request, class Points>
class InfoBase : public Interface {
 public:
  /// Both outlive the point; an interceptor that keeps this longer finds it invalid.
  InfoBase(Interceptors& all, Request& request) noexcept : all_(all), request_(request) {}

  void enter(unsigned point) noexcept { point_ = point; }
  void invalidate() noexcept { point_ = 0; }

  std::uint32_t request_id() override { return at(Points::kAll).id; }
  std::string operation() override { return std::string(at(Points::kAll).operation); }
  Dynamic::ParameterList arguments() override {
    const corba::RunTimeValues& values = values_at(Points::kArguments);
    return values.arguments == nullptr ? not_there<Dynamic::ParameterList>(Points::kArguments)
                                       : parameters_of(*values.arguments, (point_ & Points::kResult) != 0);
  }
  Dynamic::ExceptionList exceptions() override {
    const corba::RunTimeValues& values = values_at(Points::kExceptions);
    return values.exceptions == nullptr ? not_there<Dynamic::ExceptionList>(Points::kExceptions) : *values.exceptions;
  }
  Dynamic::ContextList contexts() override { return not_there<Dynamic::ContextList>(Points::kExceptions); }
  Dynamic::RequestContext operation_context() override {
    return not_there<Dynamic::RequestContext>(Points::kOperationContext);
  }
  CORBA::Any result() override {
    const corba::RunTimeValues& values = values_at(Points::kResult);
    if (values.result == nullptr) return not_there<CORBA::Any>(Points::kResult);
    const bool is_void = values.result->value.type()->kind() == CORBA::TCKind::tk_null;
    return is_void ? CORBA::Any(CORBA::_tc_void, nullptr) : values.result->value;
  }
  bool response_expected() override { return at(Points::kAll).response_expected; }
  Messaging::SyncScope sync_scope() override {
    return static_cast<Messaging::SyncScope>(at(Points::kSyncScope).sync_scope);
  }
  PortableInterceptor::ReplyStatus reply_status() override { return status_of(at(Points::kEnding)); }
  IDL::traits<CORBA::Object>::ref_type forward_reference() override {
    if (at(Points::kOther).outcome != orb::Outcome::forward) refuse();
    return orb::face_of(all_.core()).make_object(request_.forward);
  }
  IOP::ServiceContext get_request_service_context(IOP::ServiceId id) override {
    return context_in(at(Points::kRequestContexts).request_contexts, id);
  }
  IOP::ServiceContext get_reply_service_context(IOP::ServiceId id) override {
    return context_in(at(Points::kEnding).reply_contexts, id);
  }

 protected:
  /// The request; throws unless it is at one of these points.
  Request& at(unsigned points) const {
    if ((point_ & points) == 0) refuse();
    return request_;
  }
  [[noreturn]] static void refuse() {
    throw CORBA::BAD_INV_ORDER(corba::minor::kNotAtThisPoint, kNo, "RequestInfo has not that at this point");
  }
  template <class T>
  T not_there(unsigned points) const {
    (void)at(points);
    throw CORBA::NO_RESOURCES(corba::minor::kNotInThisMapping, kNo, "interceptors are not given Anys of it");
  }
  /// Empty if the call's values are not known as Anys.
  const corba::RunTimeValues& values_at(unsigned points) const {
    static constexpr corba::RunTimeValues kNone;
    const Request& request = at(points);
    return request.values == nullptr ? kNone : *request.values;
  }
  CORBA::Any exception() const { return any_of(at(point::kSendException).exception); }

  Interceptors& all_;

 private:
  Request& request_;
  unsigned point_ = 0;
};

/// A RequestInfo for the interceptors of one kind of point; invalid when this ends.
template <class Info>
class InfoOf {
 public:
  template <class Request>
  InfoOf(Interceptors& all, Request& request) : info_(CORBA::make_reference<Info>(all, request)) {}
  ~InfoOf() { info_->invalidate(); }
  InfoOf(const InfoOf&) = delete;
  InfoOf& operator=(const InfoOf&) = delete;

  Info* operator->() const noexcept { return info_._shared().get(); }
  const CORBA::object_reference<Info>& reference() const noexcept { return info_; }

 private:
  const CORBA::object_reference<Info> info_;
};

}  // namespace corbel::interceptors
