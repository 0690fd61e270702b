// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tuple>
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
  std::tuple<R&> reference() noexcept { return {value}; }
};
template <>
struct KeptResult<void> {
  void decode(cdr::Decoder&) {}
  void* address() noexcept { return nullptr; }
  std::tuple<> reference() noexcept { return {}; }
};

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
    assign(std::tie(arguments...), std::index_sequence_for<P...>{});
  }

  void encode_arguments(cdr::Encoder& encoder) final {
    std::apply([&](const auto&... values) { (encode<P>(encoder, values), ...); }, values_);
  }
  void decode_results(cdr::Decoder& decoder) final {
    result_.decode(decoder);
    std::apply([&](auto&... values) { (decode<P>(decoder, values), ...); }, values_);
  }
  void* const* local_arguments() noexcept final {
    std::apply(
        [&](auto&... values) {
          std::size_t i = 0;
          local_[i++] = result_.address();
          ((local_[i++] = const_cast<void*>(static_cast<const void*>(&values))), ...);
        },
        values_);
    return local_;
  }

 protected:
  /// References to the result, if there is one, and the out and inout parameters, in order.
  auto results() noexcept { return std::tuple_cat(result_.reference(), outs(std::index_sequence_for<P...>{})); }

 private:
  using Values = std::tuple<typename detail::Kept<P>::Value...>;

  template <class Arguments, std::size_t... I>
  void assign(const Arguments& arguments, std::index_sequence<I...>) {
    [[maybe_unused]] constexpr bool kOut[] = {detail::Kept<P>::kOut..., false};
    [[maybe_unused]] constexpr auto place = [](const bool* out, std::size_t end) {
      std::size_t n = 0;
      for (std::size_t i = 0; i < end; ++i) n += out[i];
      return n;
    };
    (
        [&] {
          if constexpr (kOut[I]) std::get<I>(values_) = std::get<place(kOut, I)>(arguments);
        }(),
        ...);
  }
  template <std::size_t... I>
  auto outs(std::index_sequence<I...>) noexcept {
    return std::tuple_cat([&] {
      if constexpr (detail::Kept<P>::kBack) {
        return std::tie(std::get<I>(values_));
      } else {
        return std::tuple<>();
      }
    }()...);
  }
  template <class Parameter, class T>
  static void encode(cdr::Encoder& encoder, const T& value) {
    if constexpr (detail::Kept<Parameter>::kOut) detail::Kept<Parameter>::encode(encoder, value);
  }
  template <class Parameter, class T>
  static void decode(cdr::Decoder& decoder, T& value) {
    if constexpr (detail::Kept<Parameter>::kBack) Codec<T>::decode(decoder, value);
  }

  Values values_{};
  [[no_unique_address]] detail::KeptResult<R> result_;
  void* local_[sizeof...(P) + 1];
};

}  // namespace corbel::mapping
