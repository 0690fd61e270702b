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

bool Admission::is_full(std::uint64_t octets) const noexcept {
  return buffers_ &&
         (waiting_ >= buffers_->requests || octets > buffers_->octets || waiting_octets_ > buffers_->octets - octets);
}

Admission::PlacePtr Admission::enter(Priority priority, std::uint64_t octets, Patience* patience) {
  const Priority of_lane = lane_for(priorities_, priority);
  const auto lane = static_cast<std::size_t>(std::ranges::lower_bound(priorities_, of_lane) - priorities_.begin());
  auto place = std::make_unique<Place>(shared_from_this());
  std::unique_lock lock(mutex_);
  // While anybody waits for a place that this lane could have, there is none.
  place->lane_ = take(lane);
  if (place->lane_) return place;
  // Those whose clients have gone keep nobody out.
  for (std::size_t each = 0; is_full(octets) && each < lanes_.size(); ++each) {
    for (Waiter* waiter = lanes_[each].first; waiter != nullptr;) {
      Waiter* const next = waiter->behind;
      (void)end_if_over(*waiter);
      waiter = next;
    }
  }
  if (is_full(octets)) return nullptr;
  Waiter waiter{lane, priority, octets, patience};
  place->lane_ = wait(lock, waiter, patience == nullptr ? base::Deadline::none() : patience->begin());
  return place->lane_ ? std::move(place) : nullptr;
}

/// With the lock, which it leaves while it waits. Nothing if the time is over.
std::optional<std::size_t> Admission::wait(std::unique_lock<std::mutex>& lock, Waiter& waiter, base::Deadline until) {
  list(waiter);
  while (waiter.listed) {
    if (until.is_none()) {
      waiter.ready.wait(lock);
    } else if (until.expired()) {
      unlist(waiter);
    } else {
      waiter.ready.wait_for(lock, until.remaining());
    }
  }
  return waiter.given;
}

/// With the mutex, as the next two.
void Admission::list(Waiter& waiter) noexcept {
  State& state = lanes_[waiter.lane];
  waiter.before = state.last;
  while (waiter.before != nullptr && waiter.before->priority < waiter.priority) waiter.before = waiter.before->before;
  Waiter*& to_it = waiter.before == nullptr ? state.first : waiter.before->behind;
  waiter.behind = std::exchange(to_it, &waiter);
  (waiter.behind == nullptr ? state.last : waiter.behind->before) = &waiter;
  waiter.listed = true;
  ++waiting_;
  waiting_octets_ += waiter.octets;
}

void Admission::unlist(Waiter& waiter) noexcept {
  State& state = lanes_[waiter.lane];
  (waiter.before == nullptr ? state.first : waiter.before->behind) = waiter.behind;
  (waiter.behind == nullptr ? state.last : waiter.behind->before) = waiter.before;
  waiter.listed = false;
  --waiting_;
  waiting_octets_ -= waiter.octets;
}

/// True, and it waits no more, if nobody waits for it.
bool Admission::end_if_over(Waiter& waiter) noexcept {
  if (waiter.patience == nullptr || !waiter.patience->is_over()) return false;
  unlist(waiter);
  waiter.ready.notify_one();
  return true;
}

/// Goes to the most urgent of those that may have it.
void Admission::leave(std::size_t lane) {
  const std::lock_guard lock(mutex_);
  for (std::size_t to = borrows_ ? lanes_.size() : lane + 1; to-- > lane;) {
    while (Waiter* const first = lanes_[to].first) {
      if (end_if_over(*first)) continue;
      unlist(*first);
      first->given = lane;
      first->ready.notify_one();  // with the mutex: it is gone once it may look
      return;
    }
  }
  ++lanes_[lane].free;
}

std::size_t Admission::waiting() const {
  const std::lock_guard lock(mutex_);
  return waiting_;
}

}  // namespace corbel::real_time
