// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace corbel::base {

/// Base of objects that count their own references. Starts at zero: the first IntrusivePtr owns it. Counting is
/// thread-safe; the object itself only if its class says so.
class RefCounted {
 public:
  RefCounted(const RefCounted&) noexcept {}
  RefCounted& operator=(const RefCounted&) noexcept { return *this; }

  void add_reference() const noexcept { __atomic_fetch_add(&references_, 1U, __ATOMIC_RELAXED); }
  /// True when the last reference went away; the caller deletes.
  bool remove_reference() const noexcept { return __atomic_fetch_sub(&references_, 1U, __ATOMIC_ACQ_REL) == 1; }
  /// Takes a reference unless the count has already fallen to zero (for tables that do not own their entries).
  bool try_add_reference() const noexcept {
    std::uint32_t count = __atomic_load_n(&references_, __ATOMIC_RELAXED);
    while (count != 0) {
      if (__atomic_compare_exchange_n(&references_, &count, count + 1, true, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        return true;
      }
    }
    return false;
  }
  std::uint32_t reference_count() const noexcept { return __atomic_load_n(&references_, __ATOMIC_ACQUIRE); }

 protected:
  RefCounted() noexcept = default;
  ~RefCounted() = default;

 private:
  mutable std::uint32_t references_ = 0;  // of all threads; <atomic> is 6,000 lines
};

/// Shared owner of a T that provides add_reference() and remove_reference(), deleted with `delete` by the last owner.
template <class T>
class IntrusivePtr {
 public:
  using element_type = T;

  constexpr IntrusivePtr() noexcept = default;
  constexpr IntrusivePtr(std::nullptr_t) noexcept {}
  explicit IntrusivePtr(T* object) noexcept : object_(object) {
    if (object_ != nullptr) object_->add_reference();
  }
  IntrusivePtr(const IntrusivePtr& other) noexcept : IntrusivePtr(other.object_) {}
  IntrusivePtr(IntrusivePtr&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  template <class U>
  requires std::is_convertible_v<U*, T*> IntrusivePtr(const IntrusivePtr<U>& other)
  noexcept : IntrusivePtr(other.get()) {}
  template <class U>
  requires std::is_convertible_v<U*, T*> IntrusivePtr(IntrusivePtr<U>&& other)
  noexcept : object_(other.detach()) {}
  ~IntrusivePtr() {
    if (object_ != nullptr && object_->remove_reference()) delete object_;
  }
  IntrusivePtr& operator=(IntrusivePtr other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }

  /// Becomes owner of a reference that the caller already holds.
  static IntrusivePtr adopt(T* object) noexcept {
    IntrusivePtr result;
    result.object_ = object;
    return result;
  }
  /// Gives the reference to the caller, which must adopt() it somewhere.
  [[nodiscard]] T* detach() noexcept { return std::exchange(object_, nullptr); }

  T* get() const noexcept { return object_; }
  T& operator*() const noexcept { return *object_; }
  T* operator->() const noexcept { return object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }
  void reset() noexcept { *this = IntrusivePtr(); }
  friend bool operator==(const IntrusivePtr& a, const IntrusivePtr& b) noexcept { return a.object_ == b.object_; }
  friend bool operator==(const IntrusivePtr& a, std::nullptr_t) noexcept { return a.object_ == nullptr; }

 private:
  T* object_ = nullptr;
};

}  // namespace corbel::base
