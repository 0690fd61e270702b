// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <utility>

#include "corbel/corba/servant.hpp"
#include "corbel/mapping/exception_holder.hpp"
#include "corbel/mapping/kept_call.hpp"

/// Asynchronous calls with reply handlers (CORBA 3.3 part 1, 22.7 and 22.10; OMG IDL-to-C++11 mapping 1.7, 6.28).
namespace Messaging {

/// Base of all reply handlers.
class CORBEL_API ReplyHandler : public virtual CORBA::Object {
 public:
  static constexpr std::string_view _interface_id = "IDL:omg.org/Messaging/ReplyHandler:1.0";
  bool _static_is_a(std::string_view repository_id) const noexcept override;

 protected:
  ReplyHandler() = default;
};

namespace POA {
class ReplyHandler : public virtual PortableServer::Servant {
 protected:
  ReplyHandler() = default;
};
}  // namespace POA

}  // namespace Messaging

template <>
struct IDL::traits<Messaging::ReplyHandler> : corbel::mapping::InterfaceTraits<Messaging::ReplyHandler> {};

namespace CORBA {
/// What belongs to the asynchronous calls of an interface: ref_type, narrow, replyhandler_traits,
/// replyhandler_ref_type, and for servants replyhandler_base_type and replyhandler_servant_ref_type.
template <class I>
struct amic_traits;
}  // namespace CORBA

namespace corbel::mapping {

/// Skeleton may be incomplete.
template <class I, class Handler, class Skeleton>
struct AmicTraits : InterfaceTraits<I> {
  using replyhandler_traits = IDL::traits<Handler>;
  using replyhandler_ref_type = CORBA::object_reference<Handler>;
  using replyhandler_weak_ref_type = CORBA::weak_object_reference<Handler>;
  using replyhandler_base_type = Skeleton;
  using replyhandler_servant_ref_type = CORBA::servant_reference<Skeleton>;
  using replyhandler_servant_weak_ref_type = CORBA::weak_servant_reference<Skeleton>;
  using replyhandler_weak_servant_ref_type = CORBA::weak_servant_reference<Skeleton>;  ///< TAOX11's name of it
};

namespace detail {

/// The handler itself, as far as it is in this process: it is given the exception as it was thrown.
template <class Handler>
CORBA::object_reference<Handler> called_directly(const CORBA::object_reference<Handler>& handler) {
  const auto direct = handler->_called_directly();
  return direct == nullptr ? handler : IDL::traits<Handler>::unchecked_narrow(direct);
}

/// Tells the handler what its call has ended with. `with_results(take)` gives results and out parameters to `take`.
template <auto Reply, auto Fail, class Handler, class WithResults>
void tell_handler(const CORBA::object_reference<Handler>& handler, std::exception_ptr failure,
                  const WithResults& with_results) {
  if (failure != nullptr) {
    const auto direct = called_directly(handler);
    (*direct.*Fail)(base::make_shared<Messaging::ExceptionHolder>(std::move(failure)));
  } else {
    with_results([&](auto&... results) { (*handler.*Reply)(results...); });
  }
}

template <auto Reply, auto Fail, class Handler, class R, class... P>
class HandlerCall final : public KeptCall<corba::AsyncCall, R, P...> {
 public:
  template <class... Arguments>
  HandlerCall(const corba::Operation& operation, CORBA::object_reference<Handler> handler,
              const Arguments&... arguments)
      : KeptCall<corba::AsyncCall, R, P...>(operation, arguments...), handler_(std::move(handler)) {}

  void complete(std::exception_ptr failure) noexcept override {
    if (handler_ == nullptr) return;
    const auto handler = std::exchange(handler_, nullptr);
    try {
      tell_handler<Reply, Fail>(handler, std::move(failure), [this](const auto& take) { this->with_results(take); });
    } catch (...) {
      this->report_thrown();
    }
  }

 private:
  CORBA::object_reference<Handler> handler_;
};

}  // namespace detail

/// For operation tables: serves `op_excep` of a reply handler. `Raises` are the exceptions of `op`.
template <class S, auto Method, const auto&... Raises>
void serve_failure(S& servant, corba::ServerCall& call) {
  using Holder = base::SharedPtr<Messaging::ExceptionHolder>;
  if (void* const* local = call.local_arguments()) {
    (servant.*Method)(*static_cast<Holder*>(local[1]));
    return;
  }
  Holder holder;
  if constexpr (sizeof...(Raises) == 0) {
    holder = take_exception_holder(call, {});
  } else {
    holder = take_exception_holder(call, Raises...);
  }
  (servant.*Method)(holder);
  call.reply([](cdr::Encoder&) {});
}

/// Begins `operation` on the object; `Reply` or `Fail` of the handler is called with what comes of it, or nothing if
/// the handler is nil. Throws what stops the call before its request was sent.
template <auto Reply, auto Fail, class R, class... P, class Handler, class... Arguments>
void send_call(CORBA::Object& self, const corba::Operation& operation, CORBA::object_reference<Handler> handler,
               const Arguments&... arguments) {
  base::IntrusivePtr<corba::AsyncCall> call(
      new detail::HandlerCall<Reply, Fail, Handler, R, P...>(operation, std::move(handler), arguments...));
  self._target()->invoke_async(*call);
}

}  // namespace corbel::mapping
