// SPDX-License-Identifier: Apache-2.0
#include "corbel/messaging/frames/arrival.hpp"

#include "corbel/messaging/frames/stamps.hpp"

namespace corbel::messaging::frames {
namespace {

constexpr std::int64_t kNow = INT64_MIN;

struct OfThread {
  Arrival arrival;
  bool has_arrival = false;
  std::int64_t captured = kNow;  // nanoseconds
};
[[gnu::tls_model("initial-exec")]] constinit thread_local OfThread t_here;

}  // namespace

void note_arrival(const Arrival& arrival) noexcept {
  t_here.arrival = arrival;
  t_here.has_arrival = true;
}

const Arrival* last_arrival() noexcept {
  return t_here.has_arrival ? &t_here.arrival : nullptr;
}

std::uint32_t stamp_at(std::int64_t now) noexcept {
  return static_cast<std::uint32_t>((t_here.captured == kNow ? now : t_here.captured) / 1000);
}

Captured::Captured(std::chrono::steady_clock::time_point when) noexcept : before_(t_here.captured) {
  t_here.captured = std::chrono::nanoseconds(when.time_since_epoch()).count();
}

Captured::~Captured() {
  t_here.captured = before_;
}

}  // namespace corbel::messaging::frames
