// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>

#include "corbel/base/deadline.hpp"
#include "corbel/base/export.hpp"

namespace corbel::base {

/// Looks again and again for what the caller waits for, before it sleeps. That saves the wake-up, which costs more than
/// everything else in a short call, and takes a processor meanwhile. It is bounded, and adaptive: the more often in a
/// row it was in vain, the fewer waits begin with it (one in 64 at least), so that a peer slower than `time` costs next
/// to nothing. It never happens with one processor only: it would keep the peer from answering. Used by one thread at a
/// time.
class CORBEL_API Spin {
 public:
  /// Never.
  Spin() noexcept = default;
  /// `time`: how long before each sleep; 0: never. `processors`: of the machine; 0: asks the system.
  explicit Spin(Duration time, unsigned processors = 0) noexcept;

  /// False: never looks.
  bool enabled() const noexcept { return time_ != Duration::zero(); }
  /// Calls `look` until it returns true: then true. False when the time or the deadline is over, or at once if this
  /// wait is to sleep without looking.
  template <class Look>
  bool until(Deadline deadline, Look look) {
    if (!enabled()) return false;
    if (passed_over_ < pass_over_) {
      ++passed_over_;
      return false;
    }
    using Clock = std::chrono::steady_clock;  // the deadline's own clock is too coarse
    const auto end = Clock::now() + std::min(time_, deadline.remaining());
    passed_over_ = 0;
    do {
      if (look()) {
        pass_over_ = 0;
        return true;
      }
    } while (Clock::now() < end);
    pass_over_ = std::min(2 * pass_over_ + 1, 63U);
    return false;
  }

 private:
  Duration time_{};
  unsigned pass_over_ = 0;  // waits between two that begin with looking
  unsigned passed_over_ = 0;
};

}  // namespace corbel::base
