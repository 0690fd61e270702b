// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

namespace corbel::base {

/// The calling thread's own T, one for each thread and type. Unlike a thread_local object it may be asked for at any
/// time. Destructors of older values of the thread get a new one, which ends after them; those of static objects run
/// when the values of their thread have ended, and get one that lives to the end of the process. Takes no memory of the
/// heap.
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

  /// While the thread ends, several values may be made, one after the other: three of them are seen to.
  [[gnu::noinline]] static void make() noexcept(noexcept(T())) {
    t_value = std::construct_at(reinterpret_cast<T*>(&t_place));
    switch (t_made++) {
      case 0:
        return end_with_thread<0>();
      case 1:
        return end_with_thread<1>();
      case 2:
        return end_with_thread<2>();
      default:
        t_made = 3;
    }
  }
  /// Another object each time: one that has been destroyed is not registered again.
  template <int kTime>
  static void end_with_thread() noexcept {
    thread_local const End kEnd;
    (void)kEnd;
  }

  struct Place {
    alignas(T) std::byte octets[sizeof(T)];
  };
  static inline constinit thread_local T* t_value = nullptr;
  static inline constinit thread_local unsigned char t_made = 0;
  static inline thread_local Place t_place;
};

}  // namespace corbel::base
