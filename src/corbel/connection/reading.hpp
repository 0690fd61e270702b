// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "corbel/base/condition.hpp"
#include "corbel/base/deadline.hpp"
#include "corbel/base/mutex.hpp"

namespace corbel::connection {

/// A thread that sleeps until another one has read what it waits for, or until it may read itself. Lives on that
/// thread's stack. Guarded by the connection's mutex.
struct Sleeper {
  base::Condition changed;
  bool told = false;               ///< it need not wait any longer
  bool asleep = false;             ///< waits for `changed`
  Sleeper* next_asleep = nullptr;  ///< in Reading
  Sleeper* next_helper = nullptr;  ///< of those that wait for one asynchronous request
};

/// What the thread that gives up the reading role leaves behind, and what has to be done that another one reads.
enum class Left : std::uint8_t { unknown, nothing, more };
enum class Arming : std::uint8_t { none, watch, now };

/// Who reads a connection: at most one thread at a time has that role.
///
/// A caller that is alone on the connection takes the role and gives it back with one atomic instruction each and no
/// lock. A caller that joins it makes the connection shared, under the connection's mutex. From then on everything here
/// is guarded by that, until nothing is under way any more. A thread that gives the role back sees to it that another
/// one takes it: a thread that sleeps, or the reactor if requests are under way that no caller waits for.
class Reading {
 public:
  // --- any thread, no lock ---

  /// Takes the role if nothing is under way.
  bool begin_alone() noexcept {
    auto idle = Calls::idle;
    return calls_.compare_exchange_strong(idle, Calls::alone, std::memory_order_acquire);
  }
  /// Gives it back; false if others have joined meanwhile: then end() is needed.
  bool end_alone() noexcept {
    auto alone = Calls::alone;
    return calls_.compare_exchange_strong(alone, Calls::idle, std::memory_order_release);
  }

  /// True if nothing was under way a moment ago.
  bool idle() const noexcept { return calls_.load(std::memory_order_relaxed) == Calls::idle; }

  // --- with the connection's mutex ---

  /// From now on every caller is listed. A caller that was alone goes on reading.
  void share() noexcept;
  /// Nothing is listed: if no thread reads either, the next caller may be alone again.
  void unshare() noexcept;
  /// True if a thread has the role, as far as can be told without being it: always right while the connection is
  /// shared.
  bool active() const noexcept { return active_; }
  void begin() noexcept { active_ = true; }
  void end() noexcept { active_ = lone_ = false; }
  /// True if nobody reads and nobody can begin to without the mutex.
  bool unused() const noexcept { return !active_ && calls_.load(std::memory_order_acquire) == Calls::shared; }
  /// True if whoever reads is a caller that is not listed.
  bool reader_is_unlisted() const noexcept { return lone_ || calls_.load(std::memory_order_relaxed) == Calls::alone; }

  enum class Woken : std::uint8_t { told, reads, late };
  /// Sleeps until told, or no thread reads (then the calling thread has the role), or the deadline has passed.
  Woken sleep(std::unique_lock<base::Mutex>& lock, Sleeper& sleeper, base::Deadline deadline);
  /// Ends the sleep of another thread.
  static void tell(Sleeper& sleeper) noexcept {
    sleeper.told = true;
    if (sleeper.asleep) sleeper.changed.notify_one();
  }
  /// Wakes a thread to read; false if none sleeps. Those that have not gone to sleep yet will look for themselves.
  bool wake_one() noexcept;
  /// Threads that sleep.
  std::size_t sleepers() const noexcept;

  /// True if the reactor has to be told to watch; from then on it counts as told. `has_octets`: the handle says nothing
  /// of octets that are there already, so that a reactor that watches does not help then.
  bool arm(bool has_octets) noexcept {
    if (armed() && !has_octets) return false;
    armed_.store(true, std::memory_order_seq_cst);
    return true;
  }
  /// The reactor has called: it watches no longer.
  void disarm() noexcept { armed_.store(false, std::memory_order_relaxed); }
  /// Any thread, no lock: true if the reactor has been told to watch, or is about to be.
  bool armed() const noexcept { return armed_.load(std::memory_order_seq_cst); }

 private:
  enum class Calls : std::uint8_t { idle, alone, shared };
  std::atomic<Calls> calls_{Calls::idle};
  bool active_ = false;             // while shared: a thread reads, perhaps the one that was alone before
  bool lone_ = false;               // and it is that one
  std::atomic<bool> armed_{false};  // the reactor will call when octets arrive; written under the mutex
  Sleeper* sleepers_ = nullptr;
};

}  // namespace corbel::connection
