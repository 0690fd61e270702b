// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coroutine>
#include <exception>
#include <type_traits>
#include <utility>

#include "corbel/mapping/canceller.hpp"
#include "corbel/mapping/kept_call.hpp"

namespace corbel::mapping {

namespace detail {

/// What `Future<T>::get()` returns for results of these types: nothing, the only one, or a tuple of all, whose header
/// is for those to include who have such an operation.
template <class... T>
struct FutureResult {
  using type = std::tuple<T...>;
};
template <>
struct FutureResult<> {
  using type = void;
};
template <class T>
struct FutureResult<T> {
  using type = T;
};

/// The shared state of a future: the call itself.
template <class T>
class FutureState : public corba::AsyncCall {
 public:
  using AsyncCall::AsyncCall;

  bool is_over() const noexcept { return __atomic_load_n(&waiter_, __ATOMIC_ACQUIRE) == done(); }
  bool ready() const noexcept { return is_over() || (this->attend(), false); }
  /// False if the call is over already.
  bool resume_later(std::coroutine_handle<> waits) noexcept { return this->attend(), set_waiter(waits.address()); }
  T take() {
    if (failure_ != nullptr) std::rethrow_exception(std::exchange(failure_, nullptr));
    return take_results();
  }
  void complete(std::exception_ptr failure) noexcept final {
    failure_ = std::move(failure);
    void* const waiter = __atomic_exchange_n(&waiter_, done(), __ATOMIC_ACQ_REL);
    if (waiter == nullptr) return;
    this->may_take_long();
    std::coroutine_handle<>::from_address(waiter).resume();
  }
  bool complete_quietly() noexcept final { return set_waiter(done()); }
  bool fail_quietly(std::exception_ptr& failure) noexcept final {
    failure_ = std::move(failure);
    if (set_waiter(done())) return true;
    failure = std::move(failure_);
    return false;
  }
  bool completes_at_once() const noexcept final { return true; }
  bool expects_asker() const noexcept final { return true; }

 private:
  virtual T take_results() = 0;
  /// False if there is one.
  bool set_waiter(void* waiter) noexcept {
    void* none = nullptr;
    return __atomic_compare_exchange_n(&waiter_, &none, waiter, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
  }
  /// No coroutine is there.
  void* done() const noexcept { return const_cast<FutureState*>(this); }

  void* waiter_ = nullptr;  // of all threads: the coroutine to resume; done() once the call is over
  std::exception_ptr failure_;
};

}  // namespace detail

/// The outcome of an asynchronous call, to be waited for with get() or `co_await`, once. Dropping it does not stop the
/// call. T is what the operation returns if it has neither out nor inout parameters; else a std::tuple of the result
/// (if not void) and those parameters in order, or just the one there is. Movable; for one thread at a time. All but
/// valid() throw BAD_INV_ORDER (OMG minor code 12) if it is not valid.
template <class T>
class [[nodiscard]] Future {
 public:
  Future() noexcept = default;
  Future(Future&&) noexcept = default;
  Future& operator=(Future&&) noexcept = default;

  /// For generated code.
  explicit Future(base::IntrusivePtr<detail::FutureState<T>> state) noexcept : state_(std::move(state)) {}

  /// False after get() or co_await, or if it was never more than default-constructed.
  bool valid() const noexcept { return state_ != nullptr; }
  /// True if get() would not wait.
  bool ready() const { return state().ready(); }
  /// Waits; the calling thread reads the reply itself if no other thread does.
  void wait() const { (void)wait_until(base::Deadline::none()); }
  /// True if the call ended in time. `timeout` is a duration of std::chrono.
  template <base::WholeNanoseconds D>
  bool wait_for(D timeout) const {
    return wait_until(base::Deadline::no_sooner_than(timeout));
  }
  /// Waits; returns the results or throws what the call would have thrown.
  T get() {
    wait();
    return take();
  }

  /// Ends the call now, unless it is over or about to be: false then, and it ends as it would have. Else get() throws
  /// TRANSIENT (OMG minor code 3), COMPLETED_NO if the request has not left (its servant has not begun, if that is in
  /// this process), or else COMPLETED_MAYBE. The server is told if the protocol can, and a reply that comes
  /// nevertheless is dropped.
  bool cancel() const { return state().cancel(); }
  /// The same for other threads, and for when this has been moved from. Before anything waits for this; whoever does is
  /// then told by threads of the ORB, or looks every 20 ms where there are none (`-ORBConcurrency single`).
  Canceller canceller() const {
    state().let_cancel();
    return Canceller(base::IntrusivePtr<corba::AsyncCall>(state_.get()));
  }

  /// Suspends the coroutine until the call is over and gives its results or throws. It goes on in a thread of the ORB.
  auto operator co_await() && {
    struct Awaiter {
      Future future;
      bool await_ready() const noexcept { return future.state_->is_over(); }
      bool await_suspend(std::coroutine_handle<> coroutine) const noexcept {
        return future.state_->resume_later(coroutine);
      }
      T await_resume() { return future.take(); }
    };
    (void)state();
    return Awaiter{std::move(*this)};
  }

 private:
  detail::FutureState<T>& state() const {
    if (state_ == nullptr) [[unlikely]]
      corba::AsyncCall::raise_taken();
    return *state_;
  }
  bool wait_until(base::Deadline deadline) const { return state().is_over() || state_->wait(deadline); }
  T take() {
    const auto state = std::move(state_);
    return state->take();
  }

  base::IntrusivePtr<detail::FutureState<T>> state_;
};

namespace detail {

template <class... T>
struct Types {};
/// That of the types found so far and those that come back of `P...`.
template <class Found, class... P>
struct FutureResultOf;
template <class... T>
struct FutureResultOf<Types<T...>> : FutureResult<T...> {};
template <class... T, class First, class... Rest>
struct FutureResultOf<Types<T...>, First, Rest...>
    : FutureResultOf<std::conditional_t<Kept<First>::kBack, Types<T..., typename Kept<First>::Value>, Types<T...>>,
                     Rest...> {};
template <class R, class... P>
using FutureCallResult = typename FutureResultOf<std::conditional_t<std::is_void_v<R>, Types<>, Types<R>>, P...>::type;

template <class T, class R, class... P>
class FutureCall final : public KeptCall<FutureState<T>, R, P...> {
 public:
  using KeptCall<FutureState<T>, R, P...>::KeptCall;

 private:
  T take_results() override {
    if constexpr (!std::is_void_v<T>) {
      return this->with_results([](auto&... values) { return T(std::move(values)...); });
    }
  }
};

}  // namespace detail

/// Begins `operation` on the object; `arguments` are those of the in and inout parameters. The future throws what stops
/// it.
template <class R, class... P, class... Arguments>
auto call_async(CORBA::Object& self, const corba::Operation& operation, const Arguments&... arguments) {
  using Result = detail::FutureCallResult<R, P...>;
  base::IntrusivePtr<detail::FutureState<Result>> state(
      new detail::FutureCall<Result, R, P...>(operation, arguments...));
  try {
    self._target()->invoke_async(*state);
  } catch (...) {
    state->complete(std::current_exception());
  }
  return Future<Result>(std::move(state));
}

}  // namespace corbel::mapping

namespace corbel {
using mapping::Future;
}  // namespace corbel
