// SPDX-License-Identifier: Apache-2.0
#include "corbel/dynamic/request.hpp"

#include "corbel/corba/minor_codes.hpp"
#include "dynamic/arguments.hpp"

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

object_reference<Object> Request::target() const {
  return corbel::mapping::Access::make_stub<Object>(target_);
}

void Request::invoke() {
  send(false);
}

void Request::send_oneway() {
  send(true);
}

void Request::send(bool oneway) {
  prepare();
  target_->invoke({{operation_, oneway, raises_},
                   [this](corbel::cdr::Encoder& encoder) { encode_arguments(encoder); },
                   [this](corbel::cdr::Decoder& decoder) { decode_results(decoder); },
                   nullptr});
}

void Request::prepare() {
  if (sent_) throw BAD_INV_ORDER(corbel::corba::minor::kRequestSentTwice);
  corbel::dynamic::check_values(operation_, arguments_, ARG_IN);
  for (const auto& type : exceptions_) {
    if (type == nullptr || type->_resolved().kind() != TCKind::tk_except) throw BAD_TYPECODE();
    raises_.push_back({type->_resolved()._node().id, &throw_unknown_user_exception, &*type});
  }
  sent_ = true;
}

void Request::encode_arguments(corbel::cdr::Encoder& encoder) const {
  corbel::dynamic::encode_values(encoder, result_, arguments_, ARG_IN);
}

void Request::decode_results(corbel::cdr::Decoder& decoder) {
  corbel::dynamic::decode_values(decoder, result_, arguments_, ARG_OUT);
}

}  // namespace CORBA
