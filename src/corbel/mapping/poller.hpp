// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "corbel/corba/pollable.hpp"
#include "corbel/mapping/ami.hpp"
#include "corbel/mapping/canceller.hpp"

namespace corbel::mapping {

/// The call behind a poller, which the poller may leave to itself.
class CORBEL_API PolledCall : public corba::PollableCall {
 public:
  using PollableCall::PollableCall;
  using HandlerRef = CORBA::object_reference<Messaging::ReplyHandler>;

  /// See Messaging::Poller.
  void handler(HandlerRef handler);
  HandlerRef handler() const;
  /// Moves results and out parameters to where these point. Once, by who has taken the reply, unless it is a failure.
  virtual void give(void* const* results) = 0;
  bool expects_asker() const noexcept final { return true; }

 private:
  void deliver() noexcept final;
  virtual bool is_for(const HandlerRef& handler) const = 0;
  virtual void tell(const HandlerRef& handler) = 0;

  HandlerRef handler_;
};

}  // namespace corbel::mapping

/// Asynchronous calls whose replies are asked for (CORBA 3.3 part 1, 22.9 and 22.10).
namespace Messaging {

/// Base of all pollers, which `sendp_` operations return: one reply, to be had once. Time-outs are milliseconds; 0 is
/// at once, 0xffffffff for ever. Dropping a poller does not stop the call. Stays in the process. Thread-safe.
class CORBEL_API Poller : public virtual CORBA::Pollable {
 public:
  static constexpr std::string_view _value_id = "IDL:omg.org/Messaging/Poller:1.0";

  /// The object that was called.
  CORBA::object_reference<CORBA::Object> operation_target() const;
  /// As requests have it: "echo", and of an attribute "_get_level" or "_set_level".
  std::string operation_name() const;
  /// Nil, or who is told the reply instead of those who poll.
  CORBA::object_reference<ReplyHandler> associated_handler() const;
  /// Hands the reply to this handler, one of the interface that was called, when it comes; if it is here already,
  /// before this returns. Nil leaves it to those who poll again. Throws BAD_PARAM if the handler is another
  /// interface's, OBJECT_NOT_EXIST minor OMG 5 if the reply has been delivered.
  void associated_handler(CORBA::object_reference<ReplyHandler> handler);
  /// Whether the last poll ended in a system exception of the poller and not of the call. Throws BAD_INV_ORDER minor
  /// OMG 22 before the first one has ended.
  bool is_from_poller() const;
  bool is_ready(std::uint32_t timeout) override;
  /// Ends the call when it is told to (corbel::Future::cancel): polls, or the handler, then get TRANSIENT minor OMG 3.
  /// Not of the standard. For now no thread may be waiting in a poll.
  corbel::mapping::Canceller _canceller() const;

  /// For generated code: the reply to that operation.
  void _poll(const corbel::corba::Operation& operation, std::uint32_t timeout, void* const* results);
  void _begin(corbel::base::IntrusivePtr<corbel::mapping::PolledCall> call, corbel::corba::TargetPtr target) noexcept;
  corbel::corba::PollableCall& _pollable_call() final;
  corbel::base::SharedPtr<corbel::corba::DiiRequests> _dii_requests() const final;

 protected:
  Poller() noexcept = default;

 private:
  enum class From : std::uint8_t { nobody, poller, call };

  corbel::mapping::PolledCall& call() const;
  void note(From from) noexcept { __atomic_store(&last_, &from, __ATOMIC_RELAXED); }

  corbel::base::IntrusivePtr<corbel::mapping::PolledCall> call_;
  corbel::corba::TargetPtr target_;
  From last_ = From::nobody;
};

}  // namespace Messaging

template <>
struct IDL::traits<Messaging::Poller> : corbel::corba::PollableTraits<Messaging::Poller> {};

namespace corbel::mapping {

/// Traits of a poller. V may be incomplete until narrow is used.
template <class V>
struct PollerTraits : corba::PollableTraits<V> {};

namespace detail {

template <auto Reply, auto Fail, class Handler, class R, class... P>
class TypedPolledCall final : public KeptCall<PolledCall, R, P...> {
 public:
  using KeptCall<PolledCall, R, P...>::KeptCall;

  void give(void* const* results) override {
    this->with_results([results](auto&... values) {
      [[maybe_unused]] void* const* to = results;
      (give_one(*to++, values), ...);
    });
  }

 private:
  template <class T>
  static void give_one(void* to, T& value) {
    *static_cast<T*>(to) = std::move(value);
  }
  bool is_for(const PolledCall::HandlerRef& handler) const override {
    return IDL::traits<Handler>::narrow(handler) != nullptr;
  }
  void tell(const PolledCall::HandlerRef& handler) override {
    tell_handler<Reply, Fail>(IDL::traits<Handler>::unchecked_narrow(handler), this->failure(),
                              [this](const auto& take) { this->with_results(take); });
  }
};

}  // namespace detail

/// Begins `operation` on the object; the poller gives what comes of it. Throws what stops the call before its request
/// was sent.
template <class P, auto Reply, auto Fail, class Handler, class R, class... Q, class... Arguments>
CORBA::valuetype_reference<P> send_polled(CORBA::Object& self, const corba::Operation& operation,
                                          const Arguments&... arguments) try {
  struct Made final : P {};
  const auto poller = base::make_shared<Made>();
  base::IntrusivePtr<PolledCall> call(
      new detail::TypedPolledCall<Reply, Fail, Handler, R, Q...>(operation, arguments...));
  self._target()->invoke_async(*call);
  poller->_begin(std::move(call), self._target());
  return CORBA::valuetype_reference<P>(poller);
} catch (const std::bad_alloc&) {
  corba::AsyncCall::refuse_for_memory();
}

/// For a poller's operations: `results` are what comes back.
template <class... T>
void poll_call(Messaging::Poller& self, const corba::Operation& operation, std::uint32_t timeout, T&... results) {
  void* const to[] = {&results..., nullptr};
  self._poll(operation, timeout, to);
}

}  // namespace corbel::mapping
