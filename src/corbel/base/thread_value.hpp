// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

namespace corbel::base {

/// The calling thread's own T, one for each thread and type. Unlike a thread_local object it may be asked for at any
/// time: destructors of static objects run when the values of their thread have ended, and get a new one, which lives
/// to the end of the process. Takes no memory of the heap.
template <class T>
class ThreadValue {
 public:
  static T& here() noexcept(noexcept(T())) {
    if (value_ == nullptr) [[unlikely]]
      make();
    return *value_;
  }

 private:
  struct End {
    End() noexcept = default;
    End(const End&) = delete;
    End& operator=(const End&) = delete;
    ~End() {
      if (T* const value = std::exchange(value_, nullptr)) std::destroy_at(value);
    }
  };

  [[gnu::noinline]] static void make() noexcept(noexcept(T())) {
    value_ = std::construct_at(reinterpret_cast<T*>(&place_));
    thread_local const End kEnd;
    (void)kEnd;
  }

  struct Place {
    alignas(T) std::byte octets[sizeof(T)];
  };
  static inline constinit thread_local T* value_ = nullptr;
  static inline thread_local Place place_;
};

}  // namespace corbel::base
