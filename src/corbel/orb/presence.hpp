// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "corbel/base/function_ref.hpp"
#include "corbel/ipc/asymmetric_fence.hpp"

namespace corbel::orb {

/// A note of one thread that it is inside something: written with plain stores and read by whoever closes that (the
/// shape of a hazard pointer). Whoever has noted itself looks whether it is open; whoever closes it calls
/// Presences::take_over(), which sees all who have found it open, and some who have not. Whoever leaves looks at
/// nothing but the note: what it was in may be gone once nobody has noted to be there. Notes of a thread end in the
/// reverse order.
class Presence {
 public:
  /// A note of the calling thread; null if it can have none (no asymmetric fences, or many notes already): to be
  /// counted in another way. `place` is where the thread is about to be, an address that means nothing here. After this
  /// the thread looks whether that is open.
  static Presence* begin(const void* place) noexcept {
    Presence* const mine = t_next == nullptr ? first() : t_next;
    if (mine == nullptr) [[unlikely]]
      return nullptr;
    t_next = mine->next_;
    mine->place_.store(place, std::memory_order_relaxed);
    ipc::asymmetric_fence_light();
    return mine;
  }
  /// On the same thread: true if take_over() has found the note, so that the thread has been counted as inside. What
  /// the thread has done before is seen by whoever does not find the note. Takes a lock of the process if somebody has
  /// looked for it meanwhile, and whenever it returns true.
  bool end() noexcept {
    place_.store(nullptr, std::memory_order_release);
    t_next = this;
    ipc::asymmetric_fence_light();
    return state_.load(std::memory_order_acquire) != State::own && was_taken_over();
  }

 private:
  friend class Presences;
  /// `looked_at`: take_over() is just finding out.
  enum class State : std::uint8_t { own, looked_at, taken_over };

  static Presence* first() noexcept;
  bool was_taken_over() noexcept;

  // What comes next on the calling thread: null before the first one, and after the last. In the usual model each use
  // would be a function call.
  [[gnu::tls_model("initial-exec")]] static inline constinit thread_local Presence* t_next = nullptr;

  std::atomic<const void*> place_{nullptr};  // written by the thread
  Presence* next_ = nullptr;
  std::atomic<State> state_{State::own};  // changed with the lock of the process
};

/// Those of one thread at a time. Never destroyed, but used again: a thread that calls while it ends may leave them
/// behind.
class Presences {
 public:
  /// Shows `is_mine` the places where threads are, and takes over each that it accepts: that thread will find that out
  /// when it has left. Call when what is meant has been closed, which every thread sees that is not found now. One
  /// system call, and a lock of the process, with which `is_mine` is called: it may take none.
  static void take_over(base::FunctionRef<bool(const void* place)> is_mine) noexcept;

 private:
  friend class Presence;
  class All;
  class OfThread;
  static constexpr int kMost = 16;

  Presences() noexcept;

  Presence notes_[kMost];
  Presences* next_ = nullptr;       // guarded by the lock of the process, as what follows
  Presences* next_free_ = nullptr;  // while no thread has it
};

}  // namespace corbel::orb
