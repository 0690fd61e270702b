// SPDX-License-Identifier: Apache-2.0
#include "corbel/messaging/frames/peer.hpp"

#include <algorithm>
#include <utility>

namespace corbel::messaging::frames {

bool Asking::ask(std::int64_t now) noexcept {
  const std::int64_t wait = std::exchange(untold_, false) ? kSoon : kOften;
  if (now < asked_at_ + wait) {
    const bool waits = answered_.load(std::memory_order_relaxed) != number();
    next_ = waits ? std::min(now + kLook, asked_at_ + kOften) : asked_at_ + kOften;
    return false;
  }
  asked_at_ = now;
  next_ = now + kLook;
  number_.store(number() + 1, std::memory_order_relaxed);
  return true;
}

void PeerFigures::report(base::FunctionRef<void(const Figure&)> visit) const {
  const auto tell = [&](std::string_view name, const Number& number) {
    visit({name, number.load(std::memory_order_relaxed)});
  };
  tell("reports", reports);
  tell("peer_received", received);
  tell("peer_lost", lost);
  tell("peer_lost_of_256", fraction);
  tell("peer_unresolved", unresolved);
  tell("peer_jitter_us", jitter);
  tell("round_trip_us", round_trip);
}

}  // namespace corbel::messaging::frames
