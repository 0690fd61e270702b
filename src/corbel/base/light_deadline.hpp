// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <time.h>

#include <climits>
#include <concepts>
#include <cstdint>

/// Deadline for what generated code includes: without std::chrono, which is 12,000 lines more. Whoever makes deadlines
/// of durations or asks what is left of one includes deadline.hpp.
namespace corbel::base {

/// Durations of std::chrono that are a whole number of nanoseconds, whatever they count.
template <class D>
concept WholeNanoseconds = std::integral<typename D::rep> && 1'000'000'000 * D::period::num % D::period::den == 0 &&
                           requires(const D& duration) {
  { duration.count() } -> std::same_as<typename D::rep>;
};

/// Its nanoseconds.
template <WholeNanoseconds D>
constexpr std::int64_t nanoseconds_of(const D& duration) noexcept {
  return std::int64_t{duration.count()} * (1'000'000'000 * D::period::num / D::period::den);
}

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
  template <WholeNanoseconds D>
  static Deadline after(D timeout) noexcept {
    const std::int64_t nanoseconds = nanoseconds_of(timeout);
    if (nanoseconds <= 0) return now();
    constexpr std::int64_t kCentury = std::int64_t{100} * 365 * 24 * 3600 * 1'000'000'000;
    if (nanoseconds >= kCentury) return none();
    return Deadline(clock_now() + nanoseconds);
  }
  /// The same for what users are promised: not before all of `timeout` is over, where after() may be short by a tick of
  /// the clock.
  template <WholeNanoseconds D>
  static Deadline no_sooner_than(D timeout) noexcept {
    return after(timeout).is_none() ? none() : no_sooner_than(timeout, clock_now());
  }
  /// `now`: clock_now() when the time began, just now. A timeout is less than a century.
  template <WholeNanoseconds D>
  static Deadline no_sooner_than(D timeout, std::int64_t now) noexcept {
    constexpr std::int64_t kLongestTick = 10'000'000;  // 100 Hz
    const std::int64_t nanoseconds = nanoseconds_of(timeout);
    if (nanoseconds < 1'000'000'000) [[unlikely]]
      return exactly_after(nanoseconds);
    return Deadline(now + nanoseconds + kLongestTick);
  }
  /// Expires `timeout` after `now`, a recent value of clock_now().
  template <WholeNanoseconds D>
  static Deadline after(D timeout, std::int64_t now) noexcept {
    return Deadline(now + nanoseconds_of(timeout));
  }
  /// The clock that deadlines are measured on: coarse monotonic nanoseconds.
  [[gnu::always_inline]] static std::int64_t clock_now() noexcept {
    timespec t{};
    clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
    return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
  }

  /// The same without the ticks, for when a time began that is shorter than a second: 20 ns.
  [[gnu::noinline]] static std::int64_t exact_now() noexcept {
    timespec t{};
    clock_gettime(CLOCK_MONOTONIC, &t);
    return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
  }

  constexpr bool is_none() const noexcept { return expires_at_ == kNever; }
  constexpr bool is_now() const noexcept { return expires_at_ == 0; }
  /// True once the time has come.
  bool expired() const noexcept { return expires_at_ != kNever && (expires_at_ == 0 || clock_now() >= expires_at_); }
  /// Time left as a Duration, zero when expired; Duration::max() for none(). Of deadline.hpp.
  auto remaining() const noexcept;
  /// Time left in whole milliseconds for poll-like calls: -1 for none(), rounded up so that a wait never ends early.
  int poll_timeout() const noexcept {
    if (is_none()) return -1;
    const auto milliseconds = (left() + 999'999) / 1'000'000;
    return milliseconds > INT_MAX ? INT_MAX : static_cast<int>(milliseconds);
  }
  /// The earlier of the two.
  friend constexpr Deadline earlier(Deadline a, Deadline b) noexcept { return a.expires_at_ < b.expires_at_ ? a : b; }
  friend constexpr bool operator==(Deadline, Deadline) noexcept = default;

 private:
  static constexpr std::int64_t kNever = INT64_MAX;
  explicit constexpr Deadline(std::int64_t expires_at) noexcept : expires_at_(expires_at) {}
  [[gnu::noinline, gnu::cold]] static Deadline exactly_after(std::int64_t nanoseconds) noexcept {
    if (nanoseconds < 1) return now();
    return Deadline(exact_now() + nanoseconds);
  }
  std::int64_t left() const noexcept {
    if (is_none()) return kNever;
    if (is_now()) return 0;
    const std::int64_t left = expires_at_ - clock_now();
    return left > 0 ? left : 0;
  }

  std::int64_t expires_at_;
};

}  // namespace corbel::base
