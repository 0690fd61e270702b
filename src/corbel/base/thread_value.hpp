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
    if (t_value == nullptr) [[unlikely]]
      make();
    return *t_value;
  }

 private:
  struct End {
    End() noexcept = default;
    End(const End&) = delete;
    End& operator=(const End&) = delete;
    ~End() {
      if (T* const value = std::exchange(t_value, nullptr)) std::destroy_at(value);
    }
  };

  [[gnu::noinline]] static void make() noexcept(noexcept(T())) {
    t_value = std::construct_at(reinterpret_cast<T*>(&t_place));
    thread_local const End kEnd;
    (void)kEnd;
  }

  struct Place {
    alignas(T) std::byte octets[sizeof(T)];
  };
  static inline constinit thread_local T* t_value = nullptr;
  static inline thread_local Place t_place;
};

}  // namespace corbel::base
