// SPDX-License-Identifier: Apache-2.0
#include "admission.hpp"

#include <algorithm>

#include "endpoints.hpp"

namespace corbel::real_time {

Admission::Admission(const std::vector<Lane>& lanes, bool borrows, std::optional<Buffers> buffers)
    : borrows_(borrows), buffers_(buffers), lanes_(lanes.size()) {
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    priorities_.push_back(lanes[i].priority);
    lanes_[i].free = lanes[i].places;
  }
}

/// With the mutex: a free place for the lane, its own first, else the one that is of least importance.
std::optional<std::size_t> Admission::take(std::size_t lane) {
  const auto take_of = [&](std::size_t other) {
    if (lanes_[other].free == 0) return false;
    --lanes_[other].free;
    return true;
  };
  if (take_of(lane)) return lane;
  for (std::size_t lower = 0; borrows_ && lower < lane; ++lower) {
    if (take_of(lower)) return lower;
  }
  return std::nullopt;
}

Admission::PlacePtr Admission::enter(Priority priority, std::uint64_t octets) {
  const Priority of_lane = lane_for(priorities_, priority);
  const auto lane = static_cast<std::size_t>(std::ranges::lower_bound(priorities_, of_lane) - priorities_.begin());
  auto place = std::make_unique<Place>(shared_from_this());
  std::unique_lock lock(mutex_);
  // While anybody waits for a place that this lane could have, there is none.
  place->lane_ = take(lane);
  if (!place->lane_) {
    const bool full = buffers_ && (waiting_ >= buffers_->requests || octets > buffers_->octets ||
                                   waiting_octets_ > buffers_->octets - octets);
    if (full) return nullptr;
    Waiter waiter;
    lanes_[lane].waiters.push_back(&waiter);
    ++waiting_;
    waiting_octets_ += octets;
    waiter.ready.wait(lock, [&] { return waiter.given.has_value(); });
    --waiting_;
    waiting_octets_ -= octets;
    place->lane_ = waiter.given;
  }
  return place;
}

/// Goes to the most urgent of those that may have it.
void Admission::leave(std::size_t lane) {
  const std::lock_guard lock(mutex_);
  for (std::size_t to = borrows_ ? lanes_.size() : lane + 1; to-- > lane;) {
    std::deque<Waiter*>& waiters = lanes_[to].waiters;
    if (waiters.empty()) continue;
    Waiter* const first = waiters.front();
    waiters.pop_front();
    first->given = lane;
    first->ready.notify_one();  // with the mutex: it is gone once it may look
    return;
  }
  ++lanes_[lane].free;
}

std::size_t Admission::waiting() const {
  const std::lock_guard lock(mutex_);
  return waiting_;
}

}  // namespace corbel::real_time
