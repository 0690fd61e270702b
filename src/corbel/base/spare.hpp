// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "corbel/base/thread_value.hpp"

namespace corbel::base {

/// What the calling thread has done with, for the next that wants one like it, so that who wants it only for a short
/// time makes none: one of each type. `Owner` is a pointer that owns; whoever gives has seen to it that nothing is left
/// in there that somebody else must not find. It goes with the thread.
template <class Owner>
class Spare {
 public:
  /// For ThreadValue.
  Spare() noexcept = default;
  ~Spare() { t_mine = nullptr; }
  Spare(const Spare&) = delete;
  Spare& operator=(const Spare&) = delete;

  /// Null if there is none.
  static Owner take() noexcept { return std::exchange(here().one_, nullptr); }
  /// It ends if there is one already.
  static void give(Owner one) noexcept {
    Owner& place = here().one_;
    if (kKeeps && place == nullptr) place = std::move(one);
  }

 private:
// AddressSanitizer is to see who uses what was given.
#ifdef __SANITIZE_ADDRESS__
  static constexpr bool kKeeps = false;
#else
  static constexpr bool kKeeps = true;
#endif

  static Spare& here() noexcept {
    if (t_mine == nullptr) [[unlikely]]
      t_mine = &ThreadValue<Spare>::here();
    return *t_mine;
  }

  // In the usual model each use would be a function call.
  [[gnu::tls_model("initial-exec")]] static inline constinit thread_local Spare* t_mine = nullptr;

  Owner one_ = nullptr;
};

}  // namespace corbel::base
