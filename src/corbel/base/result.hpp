// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <new>
#include <type_traits>
#include <utility>

#include "corbel/base/error.hpp"

namespace corbel::base {

/// Either a value or an Error. Must be looked at. Not thread-safe, like any value.
template <class T>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  Result(const T& value) : ok_(true) { ::new (static_cast<void*>(&value_)) T(value); }
  Result(T&& value) : ok_(true) { ::new (static_cast<void*>(&value_)) T(std::move(value)); }
  Result(Error error) noexcept : error_(error), ok_(false) { assert(error.code != Code::none); }
  Result(Result&& other) noexcept(std::is_nothrow_move_constructible_v<T>) : ok_(other.ok_) {
    if (ok_) {
      ::new (static_cast<void*>(&value_)) T(std::move(other.value_));
    } else {
      error_ = other.error_;
    }
  }
  Result& operator=(Result&& other) noexcept(std::is_nothrow_move_constructible_v<T>) {
    if (this != &other) {
      this->~Result();
      ::new (static_cast<void*>(this)) Result(std::move(other));
    }
    return *this;
  }
  ~Result() {
    if (ok_) value_.~T();
  }

  /// True if there is a value.
  explicit operator bool() const noexcept { return ok_; }
  bool ok() const noexcept { return ok_; }
  /// The value; only if ok().
  T& operator*() & noexcept {
    assert(ok_);
    return value_;
  }
  const T& operator*() const& noexcept {
    assert(ok_);
    return value_;
  }
  T&& operator*() && noexcept {
    assert(ok_);
    return std::move(value_);
  }
  T* operator->() noexcept {
    assert(ok_);
    return &value_;
  }
  const T* operator->() const noexcept {
    assert(ok_);
    return &value_;
  }
  /// The failure; only if not ok().
  const Error& error() const noexcept {
    assert(!ok_);
    return error_;
  }

 private:
  union {
    T value_;
    Error error_;
  };
  bool ok_;
};

/// Success without a value, or an Error.
template <>
class [[nodiscard]] Result<void> {
 public:
  using value_type = void;

  constexpr Result() noexcept = default;
  constexpr Result(Error error) noexcept : error_(error) {}

  constexpr explicit operator bool() const noexcept { return ok(); }
  constexpr bool ok() const noexcept { return error_.code == Code::none; }
  constexpr const Error& error() const noexcept { return error_; }

 private:
  Error error_{};
};

using Status = Result<void>;

}  // namespace corbel::base

#define CORBEL_CONCAT_(a, b) a##b
#define CORBEL_CONCAT(a, b) CORBEL_CONCAT_(a, b)
#define CORBEL_TRY_(tmp, target, expression) \
  auto tmp = (expression);                   \
  if (!tmp) return tmp.error();              \
  target = *std::move(tmp)

/// `CORBEL_TRY(auto x, f());` binds f()'s value or returns its error from the enclosing function.
#define CORBEL_TRY(target, ...) CORBEL_TRY_(CORBEL_CONCAT(corbel_try_, __COUNTER__), target, (__VA_ARGS__))
/// `CORBEL_CHECK(f());` returns f()'s error from the enclosing function, if any.
#define CORBEL_CHECK(...)                                                                 \
  do {                                                                                    \
    if (auto corbel_check_ = (__VA_ARGS__); !corbel_check_) return corbel_check_.error(); \
  } while (false)
