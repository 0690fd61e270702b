// SPDX-License-Identifier: Apache-2.0
#include "corbel/messaging/frames/tally.hpp"

namespace corbel::messaging::frames {

bool Tally::count(std::uint32_t sequence, std::uint32_t stamp, std::uint32_t now) noexcept {
  if (!count_sequence(sequence)) {
    add(discarded_, 1);
    return false;
  }
  count_jitter(stamp, now);
  add(received_, 1);
  return true;
}

/// Numbers wrap: of two the one is later that is less than half the circle ahead.
bool Tally::count_sequence(std::uint32_t sequence) noexcept {
  if (!begun_) {
    begun_ = true;
    highest_ = sequence;
    seen_ = 1;
    return true;
  }
  const std::uint32_t ahead = sequence - highest_;
  if (ahead == 0) return false;
  if (ahead < 0x80000000U) {
    add(lost_, ahead - 1);  // until they come
    seen_ = ahead < 64 ? seen_ << ahead | 1 : 1;
    highest_ = sequence;
    return true;
  }
  const std::uint32_t behind = 0 - ahead;
  if (behind >= 64 || (seen_ >> behind & 1) != 0) return false;
  seen_ |= std::uint64_t{1} << behind;
  add(reordered_, 1);
  const std::uint64_t lost = lost_.load(std::memory_order_relaxed);
  if (lost != 0) lost_.store(lost - 1, std::memory_order_relaxed);  // not if it was sent before the first that came
  return true;
}

/// RFC 3550, 6.4.1 and A.8.
void Tally::count_jitter(std::uint32_t stamp, std::uint32_t now) noexcept {
  const std::uint32_t transit = now - stamp;
  if (received_.load(std::memory_order_relaxed) != 0) {
    const auto change = static_cast<std::int32_t>(transit - last_transit_);
    const std::uint64_t size = change < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(std::int64_t{change})
                                          : static_cast<std::uint64_t>(change);
    const std::uint64_t jitter = jitter_.load(std::memory_order_relaxed);
    jitter_.store(jitter + size - ((jitter + 8) >> 4), std::memory_order_relaxed);
  }
  last_transit_ = transit;
}

void Tally::report(base::FunctionRef<void(const Figure&)> visit) const {
  const auto tell = [&](std::string_view name, const Counter& counter, unsigned shift = 0) {
    visit({name, counter.load(std::memory_order_relaxed) >> shift});
  };
  tell("received", received_);
  tell("lost", lost_);
  tell("reordered", reordered_);
  tell("discarded", discarded_);
  tell("unresolved", unresolved_);
  tell("jitter_us", jitter_, 4);
}

}  // namespace corbel::messaging::frames
