// SPDX-License-Identifier: Apache-2.0
#include "corbel/connection/oneway_queue.hpp"

#include <algorithm>

namespace corbel::connection {

using policy::OnewayOverflow;

OnewayQueue::Pushed OnewayQueue::push(base::ConstByteSpan message) {
  const std::lock_guard lock(mutex_);
  const auto fits = [&] {
    const std::size_t used = octets_.load(std::memory_order_relaxed);
    return used <= settings_.limit && message.size() <= settings_.limit - used;
  };
  bool replaced = false;
  if (!fits()) {
    if (settings_.overflow == OnewayOverflow::wait) return Pushed::full;
    // Nothing goes for one that finds no room even so.
    std::size_t droppable = 0;
    for (const base::Bytes& one : waiting_) droppable += one.size();
    const std::size_t begun = octets_.load(std::memory_order_relaxed) - droppable;
    const bool hopeless = begun > settings_.limit || message.size() > settings_.limit - begun;
    if (settings_.overflow == OnewayOverflow::newest || hopeless) {
      drop(1, message.size());
      return Pushed::dropped;
    }
    for (replaced = true; !fits(); waiting_.pop_front()) {
      const std::size_t size = waiting_.front().size();
      subtract(size);
      drop(1, size);
    }
  }
  waiting_.emplace_back(message.begin(), message.end());
  add(message.size());
  counters_.queued.fetch_add(1, std::memory_order_relaxed);
  return replaced ? Pushed::replaced : Pushed::queued;
}

void OnewayQueue::push_begun(base::ConstByteSpan rest) {
  leaving_.assign(rest.begin(), rest.end());
  left_ = 0;
  const std::lock_guard lock(mutex_);
  add(rest.size());
  counters_.queued.fetch_add(1, std::memory_order_relaxed);
}

base::ConstByteSpan OnewayQueue::front() {
  if (left_ == leaving_.size()) {
    leaving_.clear();
    left_ = 0;
    const std::lock_guard lock(mutex_);
    if (waiting_.empty()) return {};
    leaving_ = std::move(waiting_.front());
    waiting_.pop_front();
  }
  return base::ConstByteSpan(leaving_).subspan(left_);
}

void OnewayQueue::pop(std::size_t octets) {
  left_ += octets;
  const std::lock_guard lock(mutex_);
  subtract(std::min(octets, octets_.load(std::memory_order_relaxed)));
}

void OnewayQueue::clear() noexcept {
  const std::lock_guard lock(mutex_);
  const std::size_t octets = octets_.load(std::memory_order_relaxed);
  std::size_t waiting = 0;
  for (const base::Bytes& one : waiting_) waiting += one.size();
  if (octets != 0) drop(waiting_.size() + (octets > waiting ? 1 : 0), octets);
  subtract(octets);
  waiting_.clear();
}

/// With the mutex, as the next two.
void OnewayQueue::drop(std::size_t messages, std::size_t octets) noexcept {
  counters_.dropped.fetch_add(messages, std::memory_order_relaxed);
  counters_.dropped_octets.fetch_add(octets, std::memory_order_relaxed);
}

void OnewayQueue::add(std::size_t octets) noexcept {
  octets_.fetch_add(octets, std::memory_order_release);
  counters_.waiting_octets.fetch_add(octets, std::memory_order_relaxed);
}

void OnewayQueue::subtract(std::size_t octets) noexcept {
  octets_.fetch_sub(octets, std::memory_order_release);
  counters_.waiting_octets.fetch_sub(octets, std::memory_order_relaxed);
}

}  // namespace corbel::connection
