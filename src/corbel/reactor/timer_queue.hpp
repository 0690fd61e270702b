// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "corbel/reactor/clock.hpp"

namespace corbel::reactor {

using Callback = std::function<void()>;

/// Names one scheduled timer; never reused, so cancelling a timer that has run is harmless. The default names none.
struct TimerId {
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;
  explicit operator bool() const noexcept { return generation != 0; }
  friend bool operator==(TimerId, TimerId) noexcept = default;
};

/// Timers in a binary heap: schedule, cancel and pop in O(log n), earliest in O(1). Timers due at the same time come
/// out in the order in which they were scheduled. Not thread-safe.
class CORBEL_API TimerQueue {
 public:
  TimerId schedule(TimePoint when, Callback callback);
  /// The timer's callback, for the caller to destroy where it likes; empty if the timer has run or was cancelled.
  Callback cancel(TimerId id);
  /// When the first timer is due; nullopt without timers.
  std::optional<TimePoint> earliest() const noexcept;
  /// Takes out the first timer if it is due at `now` and was scheduled before next_sequence() returned `before`.
  std::optional<Callback> pop_due(TimePoint now, std::uint64_t before);
  std::uint64_t next_sequence() const noexcept { return next_sequence_; }
  bool empty() const noexcept { return heap_.empty(); }
  std::size_t size() const noexcept { return heap_.size(); }

 private:
  struct Entry {
    TimePoint when;
    std::uint64_t sequence;
    std::uint32_t slot;
  };
  struct Slot {
    Callback callback;
    std::uint32_t generation = 1;
    std::uint32_t position = 0;
  };
  static bool before(const Entry& a, const Entry& b) noexcept {
    return a.when != b.when ? a.when < b.when : a.sequence < b.sequence;
  }
  void place(std::size_t position, const Entry& entry) noexcept;
  void sift_up(std::size_t position, Entry entry) noexcept;
  void sift_down(std::size_t position, Entry entry) noexcept;
  Callback take(std::size_t position);

  std::vector<Entry> heap_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_slots_;
  std::uint64_t next_sequence_ = 0;
};

}  // namespace corbel::reactor
