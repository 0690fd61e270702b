// SPDX-License-Identifier: Apache-2.0
#include "corbel/messaging/frames/tally.hpp"

namespace corbel::messaging::frames {
namespace {

constexpr std::uint32_t kMostAhead = 3000;  // RFC 3550, A.1: MAX_DROPOUT
constexpr std::uint32_t kHalfCircle = 0x80000000U;

}  // namespace

bool Tally::has_come(std::uint32_t sequence) const noexcept {
  const std::uint32_t behind = highest_ - sequence;
  if (!begun_ || behind >= kHalfCircle) return false;
  return behind >= 64 ? lossy_ : (seen_ >> behind & 1) != 0;
}

/// Numbers wrap: of two numbers the one that is less than half the circle ahead is the later.
bool Tally::count_sequence(std::uint32_t sequence) noexcept {
  if (!begun_) {
    begun_ = true;
    highest_ = sequence;
    highest_before_ = sequence - 1;
    seen_ = 1;
    return true;
  }
  const std::uint32_t ahead = sequence - highest_;
  if (ahead < kHalfCircle && ahead != 0) {
    if (ahead > kMostAhead && lossy_ && is_far_ahead(sequence)) {
      Counts::add(counts_.late);
      return false;
    }
    Counts::add(counts_.lost, ahead - 1);  // until they come
    seen_ = ahead < 64 ? seen_ << ahead | 1 : 1;
    highest_ = sequence;
    return true;
  }
  const std::uint32_t behind = 0 - ahead;
  // A carrier that loses nothing repeats nothing either: a frame that took long to be written is as good as the others.
  const bool old = behind >= 64;
  if (old ? lossy_ : (seen_ >> behind & 1) != 0) {
    Counts::add(old ? counts_.late : counts_.duplicates);
    return false;
  }
  if (!old) seen_ |= std::uint64_t{1} << behind;
  Counts::add(counts_.reordered);
  const std::uint64_t lost = Counts::get(counts_.lost);
  if (lost != 0) counts_.lost.store(lost - 1, std::memory_order_relaxed);  // not if it came before the first
  return true;
}

/// RFC 3550, A.1: true until another frame follows it in order.
bool Tally::is_far_ahead(std::uint32_t sequence) noexcept {
  const bool follows = sequence == after_jump_ && after_jump_ != 0;
  after_jump_ = sequence + 1;
  return !follows;
}

std::uint32_t Tally::fraction_lost() noexcept {
  const std::uint32_t expected = highest_ - highest_before_;
  const std::uint32_t came = received_ - received_before_;
  highest_before_ = highest_;
  received_before_ = received_;
  if (expected == 0 || came >= expected || expected >= kHalfCircle) return 0;
  return static_cast<std::uint32_t>((std::uint64_t{expected - came} << 8) / expected);
}

void Counts::report(base::FunctionRef<void(const Figure&)> visit) const {
  visit({"received", get(received)});
  visit({"lost", get(lost)});
  visit({"incomplete", get(incomplete)});
  visit({"reordered", get(reordered)});
  visit({"duplicates", get(duplicates)});
  visit({"late", get(late)});
  visit({"unresolved", get(unresolved)});
  visit({"refused", get(refused)});
  visit({"jitter_us", get(jitter) >> 4});
}

}  // namespace corbel::messaging::frames
