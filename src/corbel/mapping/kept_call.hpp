// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "corbel/corba/async_call.hpp"
#include "corbel/mapping/stub.hpp"

namespace corbel::mapping {

namespace detail {

/// What an asynchronous call keeps of a parameter, and in which directions it goes.
template <class P>
struct Kept;
template <class T>
struct Kept<In<T>> {
  using Value = T;
  static constexpr bool kOut = true, kBack = false;
  static void encode(cdr::Encoder& encoder, const T& value) { Codec<T>::encode(encoder, value); }
};
template <class T>
struct Kept<Out<T>> {
  using Value = T;
  static constexpr bool kOut = false, kBack = true;
};
template <class T>
struct Kept<Inout<T>> {
  using Value = T;
  static constexpr bool kOut = true, kBack = true;
  static void encode(cdr::Encoder& encoder, const T& value) { Codec<T>::encode(encoder, value); }
};

/// The result of an operation, nothing for void.
template <class R>
struct KeptResult {
  R value{};
  void decode(cdr::Decoder& decoder) { Codec<R>::decode(decoder, value); }
  void* address() noexcept { return &value; }
};
template <>
struct KeptResult<void> {
  void decode(cdr::Decoder&) {}
  void* address() noexcept { return nullptr; }
};

/// The parameters' values. Not a std::tuple, whose header is 1,500 lines.
template <std::size_t I, class P>
struct Slot {
  typename Kept<P>::Value value{};
};
template <class Indices, class... P>
struct Slots;
template <std::size_t... I, class... P>
struct Slots<std::index_sequence<I...>, P...> : Slot<I, P>... {
  /// `visit(slot)` for each, in order.
  template <class F>
  void each([[maybe_unused]] F&& visit) {
    (visit(static_cast<Slot<I, P>&>(*this)), ...);
  }
};
/// The one with number I.
template <std::size_t I, class P>
Slot<I, P>& slot_of(Slot<I, P>& slot) noexcept {
  return slot;
}

}  // namespace detail

/// An asynchronous call that owns its arguments and results. `Base` is corba::AsyncCall or derived from it; `P...` are
/// In<T>, Out<T> and Inout<T> in the order of the operation's parameters.
template <class Base, class R, class... P>
class KeptCall : public Base {
 public:
  /// `arguments` are those of the in and inout parameters, in order.
  template <class... Arguments>
  explicit KeptCall(const corba::Operation& operation, const Arguments&... arguments) : Base(operation) {
    static_assert(sizeof...(Arguments) == (0 + ... + std::size_t{detail::Kept<P>::kOut}));
    try {
      assign<0>(arguments...);
    } catch (const std::bad_alloc&) {
      corba::AsyncCall::refuse_for_memory();
    }
  }

  void encode_arguments(cdr::Encoder& encoder) final {
    values_.each([&]<std::size_t I, class Q>([[maybe_unused]] const detail::Slot<I, Q>& slot) {
      if constexpr (detail::Kept<Q>::kOut) detail::Kept<Q>::encode(encoder, slot.value);
    });
  }
  void decode_results(cdr::Decoder& decoder) final {
    result_.decode(decoder);
    values_.each([&]<std::size_t I, class Q>([[maybe_unused]] detail::Slot<I, Q>& slot) {
      if constexpr (detail::Kept<Q>::kBack) Codec<typename detail::Kept<Q>::Value>::decode(decoder, slot.value);
    });
  }
  void* const* local_arguments() noexcept final {
    local_[0] = result_.address();
    values_.each([&]<std::size_t I, class Q>(const detail::Slot<I, Q>& slot) {
      local_[I + 1] = const_cast<void*>(static_cast<const void*>(&slot.value));
    });
    return local_;
  }

 protected:
  /// `take(result, outs...)` with references to the result, if there is one, and the out and inout parameters, in
  /// order.
  template <class F>
  decltype(auto) with_results(F&& take) {
    if constexpr (std::is_void_v<R>) {
      return collect<0>(take);
    } else {
      return collect<0>(take, result_.value);
    }
  }

 private:
  template <std::size_t I>
  void assign() noexcept {}
  template <std::size_t I, class First, class... Rest>
  void assign(const First& first, const Rest&... rest) {
    if constexpr (kOut[I]) {
      detail::slot_of<I>(values_).value = first;
      assign<I + 1>(rest...);
    } else {
      assign<I + 1>(first, rest...);
    }
  }
  template <std::size_t I, class F, class... Found>
  decltype(auto) collect(F& take, Found&... found) {
    if constexpr (I == sizeof...(P)) {
      return take(found...);
    } else if constexpr (kBack[I]) {
      return collect<I + 1>(take, found..., detail::slot_of<I>(values_).value);
    } else {
      return collect<I + 1>(take, found...);
    }
  }

  static constexpr bool kOut[sizeof...(P) + 1] = {detail::Kept<P>::kOut..., false};
  static constexpr bool kBack[sizeof...(P) + 1] = {detail::Kept<P>::kBack..., false};

  detail::Slots<std::index_sequence_for<P...>, P...> values_;
  [[no_unique_address]] detail::KeptResult<R> result_;
  void* local_[sizeof...(P) + 1];
};

}  // namespace corbel::mapping
