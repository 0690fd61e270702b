// SPDX-License-Identifier: Apache-2.0
#include "corbel/reactor/clock.hpp"

namespace corbel::reactor {
namespace {

class SystemClock final : public Clock {
 public:
  TimePoint now() const noexcept override { return std::chrono::steady_clock::now(); }
};

}  // namespace

Clock::~Clock() = default;

const Clock& Clock::system() noexcept {
  static const SystemClock kClock;
  return kClock;
}

TimePoint ManualClock::now() const noexcept {
  return TimePoint(base::Duration(nanoseconds_.load()));
}

}  // namespace corbel::reactor
