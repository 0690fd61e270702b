// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

#include "corbel/base/export.hpp"

/// Shared ownership for what generated code includes. The same contract as std::shared_ptr, std::weak_ptr and
/// std::make_shared, whose header alone would double what every file with generated code has to read.
namespace corbel::base {

namespace detail {

struct ControlBlock;
/// Destroys the object of a block that has lost its last strong owner: at once, or, inside the destruction of many
/// others, when the outermost of these is done. A long chain of objects then needs no deep stack.
CORBEL_API void destroy_object(ControlBlock* block) noexcept;

struct ControlBlock {
  std::uint32_t strong = 1;
  std::uint32_t weak = 1;  // all strong owners together hold one
  /// Destroys the object, or gives back the memory of the block.
  void (*end)(ControlBlock*, bool deallocate) noexcept;
  ControlBlock* next_to_destroy;

  void add_strong() noexcept { __atomic_fetch_add(&strong, 1U, __ATOMIC_RELAXED); }
  void add_weak() noexcept { __atomic_fetch_add(&weak, 1U, __ATOMIC_RELAXED); }
  void remove_strong() noexcept {
    if (__atomic_fetch_sub(&strong, 1U, __ATOMIC_ACQ_REL) == 1) {
      destroy_object(this);
    }
  }
  /// False, and nothing happens, if this is the last.
  bool remove_strong_unless_last() noexcept {
    std::uint32_t count = __atomic_load_n(&strong, __ATOMIC_RELAXED);
    while (count != 1) {
      if (__atomic_compare_exchange_n(&strong, &count, count - 1, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        return true;
    }
    return false;
  }
  void remove_weak() noexcept {
    if (__atomic_fetch_sub(&weak, 1U, __ATOMIC_ACQ_REL) == 1) end(this, true);
  }
  bool try_add_strong() noexcept {
    std::uint32_t count = __atomic_load_n(&strong, __ATOMIC_RELAXED);
    while (count != 0) {
      if (__atomic_compare_exchange_n(&strong, &count, count + 1, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        return true;
    }
    return false;
  }
};

template <class T>
struct InplaceBlock final : ControlBlock {
  alignas(T) unsigned char storage[sizeof(T)];
  T* object() noexcept { return std::launder(reinterpret_cast<T*>(storage)); }
};

}  // namespace detail

template <class T>
class WeakPtr;

/// Shared owner of a T; T may be incomplete. Distinct instances may be used by distinct threads.
template <class T>
class SharedPtr {
 public:
  using element_type = T;

  constexpr SharedPtr() noexcept = default;
  constexpr SharedPtr(std::nullptr_t) noexcept {}
  SharedPtr(const SharedPtr& other) noexcept : object_(other.object_), block_(other.block_) {
    if (block_ != nullptr) block_->add_strong();
  }
  constexpr SharedPtr(SharedPtr&& other) noexcept
      : object_(std::exchange(other.object_, nullptr)), block_(std::exchange(other.block_, nullptr)) {}
  template <class U>
  requires std::is_convertible_v<U*, T*> SharedPtr(const SharedPtr<U>& other)
  noexcept : SharedPtr(other, other.get()) {}
  template <class U>
  requires std::is_convertible_v<U*, T*> SharedPtr(SharedPtr<U>&& other)
  noexcept : object_(other.object_), block_(other.block_) {
    other.object_ = nullptr;
    other.block_ = nullptr;
  }
  /// Shares `owner`'s ownership but points to `object` (casts, members).
  template <class U>
  SharedPtr(const SharedPtr<U>& owner, T* object) noexcept : object_(object), block_(owner.block_) {
    if (block_ != nullptr) block_->add_strong();
  }
  constexpr ~SharedPtr() {  // a constant that owns nothing needs no end
    if (block_ != nullptr) block_->remove_strong();
  }
  SharedPtr& operator=(SharedPtr other) noexcept {
    swap(other);
    return *this;
  }

  T* get() const noexcept { return object_; }
  T& operator*() const noexcept { return *object_; }
  T* operator->() const noexcept { return object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }
  void reset() noexcept { *this = SharedPtr(); }
  /// reset(), unless that would be the end of the object: then false, and nothing happens.
  bool reset_unless_last() noexcept {
    if (block_ != nullptr && !block_->remove_strong_unless_last()) return false;
    object_ = nullptr;
    block_ = nullptr;
    return true;
  }
  void swap(SharedPtr& other) noexcept {
    std::swap(object_, other.object_);
    std::swap(block_, other.block_);
  }
  std::uint32_t use_count() const noexcept {
    return block_ == nullptr ? 0 : __atomic_load_n(&block_->strong, __ATOMIC_RELAXED);
  }
  friend bool operator==(const SharedPtr& a, const SharedPtr& b) noexcept { return a.object_ == b.object_; }
  friend bool operator==(const SharedPtr& a, std::nullptr_t) noexcept { return a.object_ == nullptr; }

  /// For make_shared, WeakPtr and SharedFromThis: takes over a strong count already added.
  constexpr SharedPtr(T* object, detail::ControlBlock* block) noexcept : object_(object), block_(block) {}

 private:
  template <class U>
  friend class SharedPtr;
  template <class U>
  friend class WeakPtr;

  T* object_ = nullptr;
  detail::ControlBlock* block_ = nullptr;
};

/// Observes what a SharedPtr owns.
template <class T>
class WeakPtr {
 public:
  constexpr WeakPtr() noexcept = default;
  WeakPtr(const SharedPtr<T>& owner) noexcept : object_(owner.object_), block_(owner.block_) {
    if (block_ != nullptr) block_->add_weak();
  }
  WeakPtr(const WeakPtr& other) noexcept : object_(other.object_), block_(other.block_) {
    if (block_ != nullptr) block_->add_weak();
  }
  WeakPtr(WeakPtr&& other) noexcept
      : object_(std::exchange(other.object_, nullptr)), block_(std::exchange(other.block_, nullptr)) {}
  ~WeakPtr() {
    if (block_ != nullptr) block_->remove_weak();
  }
  WeakPtr& operator=(WeakPtr other) noexcept {
    std::swap(object_, other.object_);
    std::swap(block_, other.block_);
    return *this;
  }
  /// An owner, null if the object is gone.
  SharedPtr<T> lock() const noexcept {
    return block_ != nullptr && block_->try_add_strong() ? SharedPtr<T>(object_, block_) : SharedPtr<T>();
  }
  /// True if the object is gone, or there never was one. It makes no owner, which might be the last.
  bool expired() const noexcept { return block_ == nullptr || __atomic_load_n(&block_->strong, __ATOMIC_ACQUIRE) == 0; }
  void reset() noexcept { *this = WeakPtr(); }

 private:
  T* object_ = nullptr;
  detail::ControlBlock* block_ = nullptr;
};

/// Base of objects that can hand out owners of themselves. Only for objects made by make_shared.
class SharedFromThis {
 public:
  /// An owner of `self`, which must be a pointer to (a base or derived part of) this object; null if it is being
  /// destroyed or was not made by make_shared.
  template <class T>
  SharedPtr<T> shared_from(T* self) const noexcept {
    return self_block_ != nullptr && self_block_->try_add_strong() ? SharedPtr<T>(self, self_block_) : SharedPtr<T>();
  }

 protected:
  SharedFromThis() noexcept = default;
  // A copy is another object. (Said here: as a virtual base this is copied by the most derived class.)
  SharedFromThis(const SharedFromThis&) noexcept {}
  SharedFromThis& operator=(const SharedFromThis&) noexcept {  // NOLINT(bugprone-unhandled-self-assignment)
    return *this;
  }
  ~SharedFromThis() = default;

 private:
  template <class T, class Construct>
  friend SharedPtr<T> make_shared_by(const Construct& construct);
  detail::ControlBlock* self_block_ = nullptr;
};

/// Makes one allocation for an object and its counts; `construct` creates the T in the memory that it is given.
template <class T, class Construct>
SharedPtr<T> make_shared_by(const Construct& construct) {
  using Block = detail::InplaceBlock<T>;
  Block* block = new Block;
  struct Guard {
    Block* block;
    ~Guard() { delete block; }
  } guard{block};
  T* object = construct(static_cast<void*>(block->storage));
  guard.block = nullptr;
  block->end = [](detail::ControlBlock* base, bool deallocate) noexcept {
    auto* self = static_cast<Block*>(base);
    if (deallocate) {
      delete self;
    } else {
      self->object()->~T();
    }
  };
  if constexpr (std::is_base_of_v<SharedFromThis, T>) object->SharedFromThis::self_block_ = block;
  return SharedPtr<T>(object, block);
}

/// Creates an object and its counts in one allocation.
template <class T, class... Arguments>
SharedPtr<T> make_shared(Arguments&&... arguments) {
  return make_shared_by<T>([&](void* place) { return ::new (place) T(std::forward<Arguments>(arguments)...); });
}

/// The owner seen as another class of the same object; null if it is not of that class.
template <class T, class U>
SharedPtr<T> dynamic_pointer_cast(const SharedPtr<U>& owner) noexcept {
  T* object = dynamic_cast<T*>(owner.get());
  return object != nullptr ? SharedPtr<T>(owner, object) : SharedPtr<T>();
}

}  // namespace corbel::base
