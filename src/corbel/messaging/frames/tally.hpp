// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "corbel/messaging/session.hpp"

namespace corbel::messaging::frames {

/// Counts what came of a stream of frames: what was lost, came in another order, or irregularly. Written by the reader;
/// anybody may look.
class Tally {
 public:
  /// A frame came when the clock showed `now` (microseconds). False if it has come before, or so late that this cannot
  /// be told: it is not to be served.
  bool count(std::uint32_t sequence, std::uint32_t stamp, std::uint32_t now) noexcept;
  /// It cannot be served because its index was never told.
  void count_unresolved() noexcept { add(unresolved_, 1); }
  void report(base::FunctionRef<void(const Figure&)> visit) const;

 private:
  using Counter = std::atomic<std::uint64_t>;
  /// There is one writer.
  static void add(Counter& counter, std::uint64_t value) noexcept {
    counter.store(counter.load(std::memory_order_relaxed) + value, std::memory_order_relaxed);
  }
  bool count_sequence(std::uint32_t sequence) noexcept;
  void count_jitter(std::uint32_t stamp, std::uint32_t now) noexcept;

  bool begun_ = false;
  std::uint32_t highest_ = 0;
  std::uint64_t seen_ = 0;  // bit n: highest_ - n has come
  std::uint32_t last_transit_ = 0;
  Counter received_{0};
  Counter lost_{0};
  Counter reordered_{0};
  Counter discarded_{0};
  Counter unresolved_{0};
  Counter jitter_{0};  // sixteenths of a microsecond
};

}  // namespace corbel::messaging::frames
