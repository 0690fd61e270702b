// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>

#include "corbel/base/deadline.hpp"
#include "corbel/base/export.hpp"

namespace corbel::reactor {

using TimePoint = std::chrono::steady_clock::time_point;

/// Where a reactor's timers take the time from. Any thread may ask.
class CORBEL_API Clock {
 public:
  virtual ~Clock();
  virtual TimePoint now() const noexcept = 0;
  /// The monotonic system clock.
  static const Clock& system() noexcept;
};

/// A clock that stands still until told, for tests.
class CORBEL_API ManualClock final : public Clock {
 public:
  TimePoint now() const noexcept override;
  void advance(base::Duration by) noexcept { nanoseconds_.fetch_add(by.count()); }

 private:
  std::atomic<std::int64_t> nanoseconds_{0};
};

}  // namespace corbel::reactor
