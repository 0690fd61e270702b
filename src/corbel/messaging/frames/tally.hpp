// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "corbel/messaging/session.hpp"

namespace corbel::messaging::frames {

/// What came of frames. Written by the thread that reads; any thread may look.
struct Counts {
  using Counter = std::atomic<std::uint64_t>;
  /// There is one writer.
  static void add(Counter& counter, std::uint64_t value = 1) noexcept {
    counter.store(counter.load(std::memory_order_relaxed) + value, std::memory_order_relaxed);
  }
  static std::uint64_t get(const Counter& counter) noexcept { return counter.load(std::memory_order_relaxed); }
  void report(base::FunctionRef<void(const Figure&)> visit) const;

  Counter received{0};
  Counter lost{0};
  Counter incomplete{0};  ///< of those: some of the pieces came
  Counter reordered{0};
  Counter duplicates{0};
  Counter late{0};        ///< too late to tell whether they have come before, or far ahead of all others
  Counter unresolved{0};  ///< the index was never told
  Counter refused{0};     ///< there are too many senders
  Counter jitter{0};      ///< sixteenths of a microsecond
};

/// Follows the frames of one sender: what was lost, came in another order, or irregularly. For the reader.
class Tally {
 public:
  /// `lossy`: frames may be forged, and a single one that is far ahead of all others proves nothing.
  Tally(Counts& counts, bool lossy) noexcept : counts_(counts), lossy_(lossy) {}

  /// A frame came when the clock showed `now` (microseconds). False if it has come before, or so late that this cannot
  /// be told where frames may come twice: it is not to be served.
  [[gnu::always_inline]] bool count(std::uint32_t sequence, std::uint32_t stamp, std::uint32_t now) noexcept {
    if (begun_ && sequence == highest_ + 1) [[likely]] {
      highest_ = sequence;
      seen_ = seen_ << 1 | 1;
    } else if (!count_sequence(sequence)) {
      return false;
    }
    count_jitter(stamp, now);
    ++received_;
    Counts::add(counts_.received);
    return true;
  }
  /// True if the frame would not be served.
  bool has_come(std::uint32_t sequence) const noexcept;
  std::uint32_t highest() const noexcept { return highest_; }
  /// Of 256 frames sent since this was asked last, how many did not come (RFC 3550, A.3).
  std::uint32_t fraction_lost() noexcept;

 private:
  bool count_sequence(std::uint32_t sequence) noexcept;
  bool is_far_ahead(std::uint32_t sequence) noexcept;
  /// RFC 3550, 6.4.1 and A.8.
  [[gnu::always_inline]] void count_jitter(std::uint32_t stamp, std::uint32_t now) noexcept {
    const std::uint32_t transit = now - stamp;
    if (timed_) {
      const auto change = static_cast<std::int32_t>(transit - last_transit_);
      const std::uint64_t size = change < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(std::int64_t{change})
                                            : static_cast<std::uint64_t>(change);
      jitter_ += size - ((jitter_ + 8) >> 4);
    }
    timed_ = true;
    last_transit_ = transit;
    counts_.jitter.store(jitter_, std::memory_order_relaxed);
  }

  Counts& counts_;
  const bool lossy_;
  bool begun_ = false;
  bool timed_ = false;
  std::uint32_t highest_ = 0;
  std::uint32_t after_jump_ = 0;  // what has to come next to prove that a frame far ahead was none of a stranger's
  std::uint64_t seen_ = 0;        // bit n: highest_ - n has come
  std::uint32_t last_transit_ = 0;
  std::uint64_t jitter_ = 0;  // sixteenths of a microsecond
  std::uint32_t received_ = 0;
  std::uint32_t received_before_ = 0;  // when fraction_lost() was asked last
  std::uint32_t highest_before_ = 0;
};

}  // namespace corbel::messaging::frames
