// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

#include "corbel/base/thread_end.hpp"
#include "corbel/corba/deferred_reply.hpp"
#include "corbel/corba/servant_core.hpp"
#include "corbel/mapping/codec.hpp"

/// Servants that answer later: what `corbel-idl --amh` writes uses this (docs/deferred-replies.md).
namespace CORBA {

/// What belongs to servants of interface T that answer later: base_type (the skeleton to derive from), ref_type and
/// weak_ref_type of servants, response_handler_type, and response_handler_ref_type (a shared owner of one). Generated
/// code specialises it.
template <class T>
struct amh_traits;

}  // namespace CORBA

namespace corbel::mapping {

/// What a response handler is made of: the request, and which operation of its interface that is for.
struct Deferred {
  corba::DeferredReplyPtr reply;  ///< null if nobody is ever told of an answer
  unsigned operation;
};

/// Base of response handlers: the one answer to one request. Shared by whoever may give it; when the last of them drops
/// it unanswered, the client is told NO_RESPONSE. Generated classes have two functions for each operation, which answer
/// with results or with an exception. They may be called on any thread, once: after an answer they throw BAD_INV_ORDER,
/// and those of other operations than the request's BAD_PARAM, both COMPLETED_NO. After the end of the ORB they do
/// nothing. Thread-safe.
class CORBEL_API ResponseHandler {
 public:
  ResponseHandler(const ResponseHandler&) = delete;
  ResponseHandler& operator=(const ResponseHandler&) = delete;
  /// False if an answer would be dropped, as far as is known: there has been one, or the client is gone, has cancelled
  /// the request or has set a time for it (RequestEndTime) that is over.
  bool _is_awaited() const noexcept { return deferred_.reply != nullptr && deferred_.reply->waiting(); }
  /// For coroutines: what the operation has thrown is the answer, unless there has been one; then nobody is told.
  void _raise_thrown(std::exception_ptr exception) noexcept;

 protected:
  explicit ResponseHandler(Deferred&& deferred) noexcept : deferred_(std::move(deferred)) {}
  ~ResponseHandler();

  template <class... T>
  void _reply(unsigned operation, const std::type_identity_t<T>&... results) {
    check(operation);
    if (deferred_.reply == nullptr) return;
    deferred_.reply->reply([&]([[maybe_unused]] cdr::Encoder& encoder) { (Codec<T>::encode(encoder, results), ...); });
  }
  /// An exception that the operation may raise, a system exception, or any other, which becomes UNKNOWN: as if the
  /// servant had thrown it.
  template <class E>
  void _raise(unsigned operation, const E& exception) {
    if constexpr (std::is_same_v<E, std::exception_ptr>) {
      raise(operation, exception);
    } else if constexpr (std::is_abstract_v<E>) {  // by a reference to a base, such as CORBA::SystemException
      try {
        exception._raise();
      } catch (...) {
        raise(operation, std::current_exception());
      }
    } else {
      raise(operation, std::make_exception_ptr(exception));
    }
  }

 private:
  void check(unsigned operation) const;
  void raise(unsigned operation, std::exception_ptr exception);

  const Deferred deferred_;
};

/// An operation of a servant that answers later may be a coroutine as it stands: it returns void, and its first
/// parameter is the response handler. It begins at once, on the thread of the request, and goes on wherever what it
/// awaits resumes it. What it throws is the answer, unless there has been one. Its arguments are its own, and the
/// servant is there until it ends.
template <class Handler>
class OperationCoroutine {
 public:
  using Answer = base::SharedPtr<Handler>;

  template <class... T>
  explicit OperationCoroutine(const Answer& answer, T&...) noexcept : answer_(answer) {}
  template <class Servant, class... T>
  requires(!std::same_as<Servant, Answer>) OperationCoroutine(Servant& servant, const Answer& answer, T&...)
  noexcept : answer_(answer) {
    // g++ deduces a reference.
    if constexpr (std::derived_from<std::remove_reference_t<Servant>, corba::ServantCore>) {
      servant_ = servant.shared_from(&servant);
    }
  }

  void get_return_object() const noexcept {}
  std::suspend_never initial_suspend() const noexcept { return {}; }
  std::suspend_never final_suspend() const noexcept { return {}; }
  void return_void() const noexcept {}
  void unhandled_exception() const noexcept { answer_->_raise_thrown(base::handled_exception()); }

 private:
  const Answer answer_;
  corba::ServantCorePtr servant_;  // null for functions and lambdas
};

template <class Skeleton, class Handler>
struct AmhTraits {
  using base_type = Skeleton;
  using ref_type = CORBA::servant_reference<Skeleton>;
  using weak_ref_type = CORBA::weak_servant_reference<Skeleton>;
  using response_handler_type = Handler;
  using response_handler_ref_type = base::SharedPtr<Handler>;
};

/// Serves one operation of a servant that answers later: unmarshals, and calls the method with a response handler and
/// with arguments that are its own. `T...` are the types of the parameters that come in. What the method throws is the
/// answer, unless there has been one.
template <class S, class Handler, auto Method, unsigned kOperation, class... T>
void serve_deferred(S& servant, corba::ServerCall& call) {
  std::tuple<T...> arguments{};
  const std::size_t budget = call.arguments().left_of_budget();
  std::apply(
      [&]([[maybe_unused]] auto&... values) {
        try {
          (Codec<T>::decode(call.arguments(), values), ...);
        } catch (...) {
          call.refuse_arguments();
        }
      },
      arguments);
  call.check_arguments();
  const corba::DeferredReplyPtr reply = call.defer(call.raises(), budget - call.arguments().left_of_budget());
  try {
    // Kept until the exception is known, which is the answer then.
    base::SharedPtr<Handler> handler = base::make_shared<Handler>(Deferred{reply, kOperation});
    try {
      std::apply([&](auto&... values) { (servant.*Method)(handler, std::move(values)...); }, arguments);
    } catch (...) {
      if (reply == nullptr) throw;
      reply->raise_thrown(base::handled_exception());
    }
  } catch (const std::bad_alloc&) {  // no memory for a handler
    if (reply == nullptr) throw;
    reply->raise_thrown(std::current_exception());
  }
  if (reply != nullptr) reply->returned();
}

}  // namespace corbel::mapping

// The operations themselves, and functions and lambdas that are given the handler first.
template <class Servant, std::derived_from<corbel::mapping::ResponseHandler> Handler, class... T>
struct std::coroutine_traits<void, Servant&, corbel::base::SharedPtr<Handler>, T...> {
  using promise_type = corbel::mapping::OperationCoroutine<Handler>;
};
template <std::derived_from<corbel::mapping::ResponseHandler> Handler, class... T>
struct std::coroutine_traits<void, corbel::base::SharedPtr<Handler>, T...> {
  using promise_type = corbel::mapping::OperationCoroutine<Handler>;
};
