// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>

#include "corbel/base/export.hpp"
#include "corbel/base/thread_value.hpp"

namespace corbel::base {

/// What a thread keeps of the values of one call for the next: a large argument that is allocated anew for every call
/// costs hundreds of page faults each time. Every thread has its own, up to kMostOctets in all; those of a pool give it
/// back when they have nothing to do. Not thread-safe: for the thread that made it.
class CORBEL_API KeptMemory {
 public:
  static constexpr std::size_t kMostOctets = 4U << 20;

  KeptMemory(const KeptMemory&) = delete;
  KeptMemory& operator=(const KeptMemory&) = delete;

  /// Frees what the calling thread keeps.
  static void give_back() noexcept;
  /// Octets that the calling thread keeps.
  static std::size_t octets() noexcept;
  /// As long as one lives, its thread gives back what it keeps when it has nothing to do. May be nested.
  class Returns {
   public:
    Returns() noexcept;
    ~Returns();
    Returns(const Returns&) = delete;
    Returns& operator=(const Returns&) = delete;
  };
  static bool returns() noexcept;

 protected:
  KeptMemory() noexcept;
  ~KeptMemory();
  /// True if the thread may keep so many octets more; they count until released.
  static bool reserve(std::size_t octets) noexcept;
  static void release(std::size_t octets) noexcept;

 private:
  /// Frees what this keeps, and releases that.
  virtual void drop() noexcept = 0;

  KeptMemory* next_;
};

/// A value of which a thread keeps the storage. T has capacity(), and its contents do not matter.
template <class T>
class KeptValue final : private KeptMemory {
 public:
  KeptValue() noexcept = default;
  ~KeptValue() { KeptValue::drop(); }

  /// What was given last, or an empty value.
  T take() noexcept {
    if (octets_ == 0) return T();
    release(octets_);
    octets_ = 0;
    return std::move(value_);
  }
  void give(T&& value) noexcept {
    const std::size_t octets = value.capacity() * sizeof(typename T::value_type);
    // Others may have been given since this was taken: the largest is worth most.
    if (octets <= inside() || octets <= octets_ || !reserve(octets - octets_)) return;
    octets_ = octets;
    value_ = std::move(value);
  }
  /// The calling thread's.
  static KeptValue& here() noexcept { return ThreadValue<KeptValue>::here(); }

 private:
  /// What an empty value has room for already, without memory of its own.
  static std::size_t inside() noexcept { return T().capacity() * sizeof(typename T::value_type); }

  void drop() noexcept override {
    value_ = T();
    release(octets_);
    octets_ = 0;
  }

  T value_;
  std::size_t octets_ = 0;
};

}  // namespace corbel::base
