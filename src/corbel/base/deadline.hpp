// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <time.h>

#include <chrono>
#include <cstdint>
#include <limits>

namespace corbel::base {

using Duration = std::chrono::nanoseconds;

/// A point on the monotonic clock after which an operation gives up. A small value; pass it by value down the layers so
/// that the whole operation, not each step, is bounded. `none()` never expires; `now()` has already expired, which
/// makes every timed form a non-blocking one. Built on CLOCK_MONOTONIC_COARSE (no system call, resolution 1-4 ms)
/// because a finite time-out must cost nothing on the path of a call.
class Deadline {
 public:
  /// Never expires.
  static constexpr Deadline none() noexcept { return Deadline(kNever); }
  /// Already expired: "do not block".
  static constexpr Deadline now() noexcept { return Deadline(0); }
  /// Expires `timeout` from now. A timeout of zero or less is now(); one beyond 100 years is none().
  static Deadline after(Duration timeout) noexcept {
    if (timeout <= Duration::zero()) return now();
    constexpr std::int64_t kCentury = std::int64_t{100} * 365 * 24 * 3600 * 1'000'000'000;
    if (timeout.count() >= kCentury) return none();
    return Deadline(clock_now() + timeout.count());
  }
  /// Expires `timeout` after `now`, a recent value of clock_now().
  static Deadline after(Duration timeout, std::int64_t now) noexcept { return Deadline(now + timeout.count()); }
  /// The clock that deadlines are measured on: coarse monotonic nanoseconds.
  static std::int64_t clock_now() noexcept {
    timespec t{};
    clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
    return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
  }

  constexpr bool is_none() const noexcept { return expires_at_ == kNever; }
  constexpr bool is_now() const noexcept { return expires_at_ == 0; }
  /// True once the time has come.
  bool expired() const noexcept { return expires_at_ != kNever && (expires_at_ == 0 || clock_now() >= expires_at_); }
  /// Time left, zero when expired; Duration::max() for none().
  Duration remaining() const noexcept {
    if (is_none()) return Duration::max();
    if (is_now()) return Duration::zero();
    const std::int64_t left = expires_at_ - clock_now();
    return left > 0 ? Duration(left) : Duration::zero();
  }
  /// Time left in whole milliseconds for poll-like calls: -1 for none(), rounded up so that a wait never ends early.
  int poll_timeout() const noexcept {
    if (is_none()) return -1;
    const auto milliseconds = (remaining().count() + 999'999) / 1'000'000;
    return milliseconds > std::numeric_limits<int>::max() ? std::numeric_limits<int>::max()
                                                          : static_cast<int>(milliseconds);
  }
  /// The earlier of the two.
  friend constexpr Deadline earlier(Deadline a, Deadline b) noexcept { return a.expires_at_ < b.expires_at_ ? a : b; }
  friend constexpr bool operator==(Deadline, Deadline) noexcept = default;

 private:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
  explicit constexpr Deadline(std::int64_t expires_at) noexcept : expires_at_(expires_at) {}

  std::int64_t expires_at_;
};

}  // namespace corbel::base
