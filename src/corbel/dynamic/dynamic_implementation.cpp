// SPDX-License-Identifier: Apache-2.0
#include "corbel/dynamic/dynamic_implementation.hpp"

#include <algorithm>
#include <exception>

#include "corbel/corba/minor_codes.hpp"
#include "corbel/dynamic/arguments.hpp"
#include "corbel/dynamic/run_time_values.hpp"

namespace corbel::dynamic {
namespace {

/// A user exception that is known only by its TypeCode; lists itself as what the operation raises.
class DynamicException final : public CORBA::UserException {
 public:
  explicit DynamicException(const CORBA::Any& value) : state_(base::make_shared<const State>(value)) {}

  [[noreturn]] void _raise() const override { throw *this; }
  const char* _rep_id() const noexcept override { return state_->id.c_str(); }
  const char* _name() const noexcept override { return state_->name.c_str(); }
  void _encode(cdr::Encoder& encoder) const override { state_->value._encode_value(encoder); }
  /// Valid while a copy of this exists.
  std::span<const std::string_view> ids() const noexcept { return {&state_->listed, 1}; }

 private:
  struct State {
    explicit State(const CORBA::Any& any)
        : value(any), id(any._type()._resolved()._node().id), name(any._type()._resolved()._node().name), listed(id) {}
    const CORBA::Any value;
    const std::string id;
    const std::string name;
    const std::string_view listed;
  };
  base::SharedPtr<const State> state_;
};

/// A user exception of a C++ type that the servant threw; lists itself, too.
class ThrownException final : public CORBA::UserException {
 public:
  /// Made while `thrown` is being handled.
  explicit ThrownException(const CORBA::UserException& thrown)
      : kept_(std::current_exception()),
        thrown_(&thrown),
        listed_(base::make_shared<const std::string_view>(thrown._rep_id())) {}

  [[noreturn]] void _raise() const override { std::rethrow_exception(kept_); }
  const char* _rep_id() const noexcept override { return thrown_->_rep_id(); }
  const char* _name() const noexcept override { return thrown_->_name(); }
  void _encode(cdr::Encoder& encoder) const override { thrown_->_encode(encoder); }
  /// Valid while a copy of this exists.
  std::span<const std::string_view> ids() const noexcept { return {listed_.get(), 1}; }

 private:
  std::exception_ptr kept_;  // keeps thrown_ alive
  const CORBA::UserException* thrown_;
  base::SharedPtr<const std::string_view> listed_;
};

#define CORBEL_EXCEPTION_ID(NAME) "IDL:omg.org/CORBA/" #NAME ":1.0",
// NOLINTNEXTLINE(bugprone-suspicious-missing-comma): the macro joins literals on purpose
constexpr std::string_view kSystemExceptions[] = {CORBEL_SYSTEM_EXCEPTIONS(CORBEL_EXCEPTION_ID)};
#undef CORBEL_EXCEPTION_ID

[[noreturn]] void raise(const CORBA::Any& exception, corba::ServerCall& call) {
  const std::string_view id = exception._type()._resolved()._node().id;
  if (std::find(std::begin(kSystemExceptions), std::end(kSystemExceptions), id) == std::end(kSystemExceptions)) {
    const DynamicException dynamic(exception);
    call.set_raises(dynamic.ids());
    throw dynamic;
  }
  CORBA::UNKNOWN common;
  exception._decode_value([&](cdr::Decoder& decoder) { decode_system_exception(decoder, common); });
  corba::raise_system_exception(id, common.minor(), common.completed());
}

constexpr std::string_view kObjectId = "IDL:omg.org/CORBA/Object:1.0";

}  // namespace

struct ServedValues : corba::RunTimeValues {
  ServedValues() : RunTimeValues{&list, &returned} {}
  CORBA::NVList list;
  CORBA::NamedValue returned{{}, {}, CORBA::ARG_OUT};
};

}  // namespace corbel::dynamic

namespace CORBA {

ServerRequest::ServerRequest(corbel::corba::ServerCall& call)
    : call_(&call), operation_(call.operation()), values_(corbel::base::make_shared<corbel::dynamic::ServedValues>()) {}

NVList& ServerRequest::arguments(NVList list) {
  if (call_ == nullptr || has_arguments_ || has_result_ || exception_) {
    throw BAD_INV_ORDER(corbel::corba::minor::kArgumentsTwice);
  }
  corbel::dynamic::check_values(operation_, list, 0);
  NamedValue none{{}, {}, ARG_OUT};
  corbel::dynamic::decode_values(call_->arguments(), none, list, ARG_IN);
  call_->check_arguments();
  has_arguments_ = true;
  return values_->list = std::move(list);
}

void ServerRequest::set_result(const Any& value) {
  const bool unread = call_ != nullptr && !has_arguments_ && call_->arguments().remaining() != 0;
  if (call_ == nullptr || unread || has_result_ || exception_) {
    throw BAD_INV_ORDER(corbel::corba::minor::kResultOutOfOrder,
                        CompletionStatus::COMPLETED_YES);  // the servant has run
  }
  values_->returned.value = value;
  has_result_ = true;
}

void ServerRequest::set_exception(const Any& value) {
  if (value._type()._resolved().kind() != TCKind::tk_except || value._value() == nullptr) {
    throw BAD_PARAM(corbel::corba::minor::kNotAnException, CompletionStatus::COMPLETED_YES);  // the servant has run
  }
  exception_ = value;
}

void ServerRequest::_reply() {
  if (exception_) corbel::dynamic::raise(*exception_, *call_);
  const NVList& arguments = values_->list;
  const NamedValue& result = values_->returned;
  corbel::dynamic::check_result(operation_, result.value);
  corbel::dynamic::check_values(operation_, arguments, ARG_OUT);
  call_->show_values(values_);
  call_->reply(
      [&](corbel::cdr::Encoder& encoder) { corbel::dynamic::encode_values(encoder, result, arguments, ARG_OUT); });
}

}  // namespace CORBA

namespace PortableServer {

bool DynamicImplementation::_dispatch(corbel::corba::ServerCall& call) {
  call.use_octets();
  const auto request = CORBA::make_reference<CORBA::ServerRequest>(call);
  struct End {
    CORBA::ServerRequest& request;
    ~End() { request._end(); }
  } const end{*request};
  try {
    invoke(request);
  } catch (const CORBA::UnknownUserException& unknown) {
    request->set_exception(unknown.exception());
  } catch (const CORBA::UserException& user) {
    const corbel::dynamic::ThrownException thrown(user);
    call.set_raises(thrown.ids());
    throw thrown;
  }
  request->_reply();
  return true;
}

std::span<const std::string_view> DynamicImplementation::_interface_ids() const noexcept {
  return {&corbel::dynamic::kObjectId, 1};
}

std::string DynamicImplementation::_interface_of(corbel::base::ConstByteSpan object_id,
                                                 const CORBA::object_reference<POA>& poa) {
  return _primary_interface({object_id.begin(), object_id.end()}, poa);
}

}  // namespace PortableServer
