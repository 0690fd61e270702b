// SPDX-License-Identifier: Apache-2.0
#include "corbel/reactor/timer_queue.hpp"

#include <utility>

namespace corbel::reactor {

TimerId TimerQueue::schedule(TimePoint when, Callback callback) {
  if (free_slots_.empty()) {
    // There is room to take all of them back: take() must not fail.
    if (free_slots_.capacity() == slots_.size()) free_slots_.reserve(2 * slots_.size() + 8);
    slots_.emplace_back();
    free_slots_.push_back(static_cast<std::uint32_t>(slots_.size() - 1));
  }
  const std::uint32_t index = free_slots_.back();
  heap_.emplace_back();
  free_slots_.pop_back();
  slots_[index].callback = std::move(callback);
  sift_up(heap_.size() - 1, Entry{when, next_sequence_++, index});
  return {index, slots_[index].generation};
}

Callback TimerQueue::cancel(TimerId id) {
  if (!id || id.slot >= slots_.size() || slots_[id.slot].generation != id.generation) return {};
  return take(slots_[id.slot].position);
}

std::optional<TimePoint> TimerQueue::earliest() const noexcept {
  if (heap_.empty()) return std::nullopt;
  return heap_.front().when;
}

std::optional<Callback> TimerQueue::pop_due(TimePoint now, std::uint64_t before) {
  if (heap_.empty() || heap_.front().when > now || heap_.front().sequence >= before) return std::nullopt;
  return take(0);
}

void TimerQueue::place(std::size_t position, const Entry& entry) noexcept {
  heap_[position] = entry;
  slots_[entry.slot].position = static_cast<std::uint32_t>(position);
}

void TimerQueue::sift_up(std::size_t position, Entry entry) noexcept {
  while (position > 0) {
    const std::size_t parent = (position - 1) / 2;
    if (!before(entry, heap_[parent])) break;
    place(position, heap_[parent]);
    position = parent;
  }
  place(position, entry);
}

void TimerQueue::sift_down(std::size_t position, Entry entry) noexcept {
  for (;;) {
    std::size_t child = 2 * position + 1;
    if (child >= heap_.size()) break;
    if (child + 1 < heap_.size() && before(heap_[child + 1], heap_[child])) ++child;
    if (!before(heap_[child], entry)) break;
    place(position, heap_[child]);
    position = child;
  }
  place(position, entry);
}

Callback TimerQueue::take(std::size_t position) {
  const std::uint32_t index = heap_[position].slot;
  const Entry last = heap_.back();
  heap_.pop_back();
  if (position < heap_.size()) {
    if (position > 0 && before(last, heap_[(position - 1) / 2])) {
      sift_up(position, last);
    } else {
      sift_down(position, last);
    }
  }
  Slot& slot = slots_[index];
  if (++slot.generation == 0) slot.generation = 1;
  free_slots_.push_back(index);
  return std::exchange(slot.callback, {});
}

}  // namespace corbel::reactor
