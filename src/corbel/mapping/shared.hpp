// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include "corbel/mapping/skeleton.hpp"

/// What generated skeletons with `@shared` parameters and results call.
namespace corbel::mapping {

/// An `in` parameter that servants are given as std::shared_ptr<const T>, to keep it or to pass it on. Where a servant
/// drops large ones, their memory is used for those that come.
template <class T>
struct Shared {};
/// An `out` parameter that servants give as one.
template <class T>
struct SharedOut {};

namespace detail {

/// A value that gives its memory to the thread that drops it, if that is worth it and the thread will give it back.
template <class T>
std::shared_ptr<T> make_shared_value() {
  if constexpr (kLends<T>) {
    const auto drop = [](T* value) {
      if (base::KeptMemory::returns()) base::KeptValue<T>::here().give(std::move(*value));
      delete value;
    };
    return std::shared_ptr<T>(new T(base::KeptValue<T>::here().take()), drop);
  } else {
    return std::make_shared<T>();
  }
}

/// What a servant keeps holds no memory that is much more than itself, whatever came before on this thread.
template <class T>
void fit(T& value) {
  if constexpr (kLends<T>) {
    if (value.size() >= value.capacity() / 2 || value.capacity() == T().capacity()) return;
    T fitting(value.begin(), value.end());
    base::KeptValue<T>::here().give(std::exchange(value, std::move(fitting)));
  }
}

/// The value that a servant returned; there has to be one.
template <class T>
const T& shared_result(const std::shared_ptr<const T>& result) {
  if (result == nullptr) throw CORBA::BAD_PARAM(0, CORBA::COMPLETED_YES);
  return *result;
}

template <class T>
struct Parameter<Shared<T>> {
  /// Made when it is decoded, so that what cannot be read takes nothing.
  using Value = std::shared_ptr<T>;
  using Local = const T;
  static void decode(cdr::Decoder& decoder, Value& value) {
    value = make_shared_value<T>();
    Codec<T>::decode(decoder, *value);
    fit(*value);
  }
  static void encode(cdr::Encoder&, const Value&) {}
};

template <class T>
struct Passed<Shared<T>> {
  using Type = const std::shared_ptr<const T>&;
  static constexpr bool kLater = false;
  /// The caller's own value is not the servant's to keep.
  static std::shared_ptr<const T> at(void* address) {
    return std::make_shared<const T>(*static_cast<const T*>(address));
  }
  static void put_back(const std::shared_ptr<const T>&) noexcept {}
};

template <class T>
struct Parameter<SharedOut<T>> {
  using Value = std::shared_ptr<const T>;
  using Local = T;
  static void decode(cdr::Decoder&, Value&) {}
  static void encode(cdr::Encoder& encoder, const Value& value) { Codec<Value>::encode(encoder, value); }
};

template <class T>
struct Passed<SharedOut<T>> {
  using Type = std::shared_ptr<const T>&;
  static constexpr bool kLater = true;
  struct Given {
    operator Type() noexcept { return value; }  // NOLINT: it is the argument

    T* to;
    std::shared_ptr<const T> value;
  };
  static Given at(void* address) { return {static_cast<T*>(address), nullptr}; }
  static void put_back(const Given& given) { *given.to = shared_result(given.value); }
};

template <class T>
struct Returned<std::shared_ptr<const T>> {
  static void put(void* address, const std::shared_ptr<const T>& result) {
    *static_cast<T*>(address) = shared_result(result);
  }
};

}  // namespace detail

template <class T>
struct Codec<std::shared_ptr<const T>> {
  static void encode(cdr::Encoder& encoder, const std::shared_ptr<const T>& value) {
    Codec<T>::encode(encoder, detail::shared_result(value));
  }
};

}  // namespace corbel::mapping
