// SPDX-License-Identifier: Apache-2.0
#include "corbel/messaging/frames/arrival.hpp"

#include "corbel/messaging/frames/stamps.hpp"

namespace corbel::messaging::frames {
namespace {

thread_local Arrival t_arrival;
thread_local bool t_has_arrival = false;
constexpr std::int64_t kNow = INT64_MIN;
thread_local std::int64_t t_captured = kNow;  // nanoseconds

}  // namespace

void note_arrival(const Arrival& arrival) noexcept {
  t_arrival = arrival;
  t_has_arrival = true;
}

const Arrival* last_arrival() noexcept {
  return t_has_arrival ? &t_arrival : nullptr;
}

std::uint32_t stamp_at(std::int64_t now) noexcept {
  return static_cast<std::uint32_t>((t_captured == kNow ? now : t_captured) / 1000);
}

Captured::Captured(std::chrono::steady_clock::time_point when) noexcept : before_(t_captured) {
  t_captured = std::chrono::nanoseconds(when.time_since_epoch()).count();
}

Captured::~Captured() {
  t_captured = before_;
}

}  // namespace corbel::messaging::frames
