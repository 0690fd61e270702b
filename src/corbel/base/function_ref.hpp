// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>
#include <utility>

namespace corbel::base {

/// A callable seen by reference: two words, no allocation. The callable must outlive every call; meant for parameters.
template <class Signature>
class FunctionRef;

template <class R, class... A>
class FunctionRef<R(A...)> {
 public:
  template <class F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef> && std::is_invocable_r_v<R, F&, A...>)
      FunctionRef(F&& callable)
  noexcept  // NOLINT: conversion is the purpose
      : object_(const_cast<void*>(static_cast<const void*>(__builtin_addressof(callable)))),
        invoke_([](void* object, A... arguments) -> R {
          return (*static_cast<std::remove_reference_t<F>*>(object))(std::forward<A>(arguments)...);
        }) {}

  R operator()(A... arguments) const { return invoke_(object_, std::forward<A>(arguments)...); }

 private:
  void* object_;
  R (*invoke_)(void*, A...);
};

}  // namespace corbel::base
