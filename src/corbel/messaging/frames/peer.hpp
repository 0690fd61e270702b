// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

#include "corbel/messaging/frames/layout.hpp"
#include "corbel/messaging/frames/names.hpp"
#include "corbel/messaging/session.hpp"

/// What the two ends of a stream tell each other of it: RTCP's part (RFC 3550, 6.4).
namespace corbel::messaging::frames {

/// A moment as two clocks of a sender show it: the one its time stamps are of, and its wall clock.
struct Moment {
  bool known = false;
  std::uint32_t stamp = 0;  // microseconds
  std::int64_t wall = 0;    // nanoseconds since 1970

  /// When the wall clock was that a stamp tells, if it is not far from this one.
  std::optional<std::chrono::system_clock::time_point> of(std::uint32_t other) const noexcept {
    if (!known) return std::nullopt;
    const std::chrono::nanoseconds apart = std::chrono::microseconds(static_cast<std::int32_t>(other - stamp));
    return std::chrono::system_clock::time_point(
        std::chrono::duration_cast<std::chrono::system_clock::duration>(std::chrono::nanoseconds(wall) + apart));
  }
};

/// When a sender asks, and when it looks whether reports have come. For the writer, but for what is atomic.
class Asking {
 public:
  /// Something is to be done. `untold`: the peer is not known to know the last frame's names.
  bool is_due(std::int64_t now, bool untold) const noexcept {
    return now >= next_ || (untold && now >= asked_at_ + kSoon);
  }
  /// True if it is to ask now, by the number that follows.
  bool ask(std::int64_t now) noexcept;
  std::uint32_t number() const noexcept { return number_.load(std::memory_order_relaxed); }
  /// Any thread: the report with the number has come.
  void answered(std::uint32_t number) noexcept { answered_.store(number, std::memory_order_relaxed); }
  void untold() noexcept { untold_ = true; }

 private:
  static constexpr std::int64_t kOften = 200'000'000;  // nanoseconds
  static constexpr std::int64_t kSoon = 10'000'000;
  static constexpr std::int64_t kLook = 1'000'000;

  std::atomic<std::uint32_t> number_{0};
  std::atomic<std::uint32_t> answered_{0};
  std::int64_t next_ = INT64_MIN;
  std::int64_t asked_at_ = INT64_MIN / 2;
  bool untold_ = false;
};

/// What a report will say. Written by the thread that reads, read by a thread that writes just afterwards; if others
/// come in between it is a mixture of two, and no less useful to its receiver.
struct Answer {
  using Number = std::atomic<std::uint32_t>;
  Number source{0};
  Number highest{0};
  Number question{0};
  Number question_stamp{0};
  std::atomic<std::int64_t> came{0};  ///< when the question did
  Number fraction{0};
  KnownIndices known;
};

/// What reports have told. Written by the thread that reads; any thread may look.
struct PeerFigures {
  using Number = std::atomic<std::uint64_t>;
  Number reports{0};
  Number received{0};
  Number lost{0};
  Number fraction{0};  ///< of 256
  Number unresolved{0};
  Number jitter{0};      ///< microseconds
  Number round_trip{0};  ///< microseconds
  void report(base::FunctionRef<void(const Figure&)> visit) const;
};

}  // namespace corbel::messaging::frames
