// SPDX-License-Identifier: Apache-2.0
#include "corbel/connection/oneway_queue.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace corbel::connection {

using policy::OnewayOverflow;

void OnewayQueue::Run::append(std::span<const cdr::Segment> message, std::size_t size) {
  if (begin != 0 && begin >= octets.size() / 2) {  // what has been dropped
    octets.erase(octets.begin(), octets.begin() + static_cast<std::ptrdiff_t>(std::exchange(begin, 0)));
    sizes.erase(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(std::exchange(first, 0)));
  }
  sizes.push_back(static_cast<std::uint32_t>(size));
  try {
    for (const cdr::Segment& segment : message) {
      const auto* data = static_cast<const base::Octet*>(segment.data);
      octets.insert(octets.end(), data, data + segment.size);
    }
  } catch (...) {
    std::size_t whole = begin;
    sizes.pop_back();
    for (std::size_t i = first; i < sizes.size(); ++i) whole += sizes[i];
    octets.resize(whole);
    throw;
  }
}

void OnewayQueue::Run::pop_front() noexcept {
  begin += sizes[first++];
  if (empty()) clear();
}

void OnewayQueue::Run::clear() noexcept {
  if (octets.capacity() > kMostKept) base::Bytes().swap(octets);
  if (sizes.capacity() > kMostKept / sizeof(sizes[0])) std::vector<std::uint32_t>().swap(sizes);
  octets.clear();
  sizes.clear();
  begin = first = 0;
}

OnewayQueue::Pushed OnewayQueue::push(std::span<const cdr::Segment> message, Why why) {
  std::size_t size = 0;
  for (const cdr::Segment& segment : message) size += segment.size;
  const std::lock_guard lock(mutex_);
  bool replaced = false;
  if (!has_room(size)) [[unlikely]] {
    if (settings_.overflow == OnewayOverflow::wait || why == Why::kept) return Pushed::full;
    // No message is dropped for one that finds no room even then.
    const std::size_t begun = octets() - std::min(octets(), waiting_.size());
    const bool hopeless = begun > settings_.limit || size > settings_.limit - begun;
    if (settings_.overflow == OnewayOverflow::newest || hopeless) {
      drop({1, size});
      return Pushed::dropped;
    }
    for (replaced = true; !has_room(size); waiting_.pop_front()) {
      const Count oldest{1, waiting_.sizes[waiting_.first]};
      subtract(oldest);
      drop(oldest);
    }
  }
  waiting_.append(message, size);
  add(size);
  if (why == Why::kept) {
    ++untold_;
  } else {
    counters_.queued.fetch_add(1, std::memory_order_relaxed);
    tell_counters();
  }
  return replaced ? Pushed::replaced : Pushed::queued;
}

void OnewayQueue::push_begun(base::ConstByteSpan rest) {
  const cdr::Segment segment{rest.data(), rest.size()};
  // One octet in front stands for what has left.
  leaving_.clear();
  leaving_.append({&segment, 1}, rest.size() + 1);
  gone_ = 1;
  const std::lock_guard lock(mutex_);
  add(rest.size());
  tell_counters();
  counters_.queued.fetch_add(1, std::memory_order_relaxed);
}

base::ConstByteSpan OnewayQueue::front() {
  if (leaving_.empty()) {
    leaving_.clear();
    gone_ = 0;
    const std::lock_guard lock(mutex_);
    std::swap(leaving_, waiting_);
    if (leaving_.empty()) return {};
  }
  const base::ConstByteSpan all = base::ConstByteSpan(leaving_.octets).subspan(leaving_.begin);
  return whole_ ? all.first(leaving_.sizes[leaving_.first] - gone_) : all;
}

void OnewayQueue::pop(std::size_t octets) {
  Count left{0, octets};
  for (std::size_t rest = octets; rest != 0;) {
    const std::size_t of_first = leaving_.sizes[leaving_.first] - gone_;
    const std::size_t taken = std::min(rest, of_first);
    rest -= taken;
    leaving_.begin += taken;
    gone_ += taken;
    if (taken != of_first) break;
    ++left.messages;
    ++leaving_.first;
    gone_ = 0;
  }
  if (leaving_.empty()) leaving_.clear();
  const std::lock_guard lock(mutex_);
  subtract(left);
}

void OnewayQueue::put_back() noexcept try {
  if (leaving_.empty() || !drops_oldest()) return;
  const std::size_t kept = gone_ == 0 ? 0 : leaving_.sizes[leaving_.first] - gone_;
  if (kept == leaving_.size()) return;
  const std::lock_guard lock(mutex_);
  if (kept == 0 && waiting_.empty()) return std::swap(leaving_, waiting_);
  Run all;
  const base::ConstByteSpan whole = base::ConstByteSpan(leaving_.octets).subspan(leaving_.begin + kept);
  all.octets.reserve(whole.size() + waiting_.size());
  all.octets.assign(whole.begin(), whole.end());
  all.octets.insert(all.octets.end(), waiting_.octets.begin() + static_cast<std::ptrdiff_t>(waiting_.begin),
                    waiting_.octets.end());
  const auto first_whole = static_cast<std::ptrdiff_t>(leaving_.first + (kept != 0 ? 1 : 0));
  all.sizes.assign(leaving_.sizes.begin() + first_whole, leaving_.sizes.end());
  all.sizes.insert(all.sizes.end(), waiting_.sizes.begin() + static_cast<std::ptrdiff_t>(waiting_.first),
                   waiting_.sizes.end());
  leaving_.octets.resize(leaving_.begin + kept);
  leaving_.sizes.resize(static_cast<std::size_t>(first_whole));
  std::swap(waiting_, all);
} catch (const std::bad_alloc&) {  // then it stays
}

OnewayQueue::Count OnewayQueue::clear() noexcept {
  const std::lock_guard lock(mutex_);
  const Count all{messages_.load(std::memory_order_relaxed), octets_.load(std::memory_order_relaxed)};
  if (all.octets != 0) drop(all);
  subtract(all);
  waiting_.clear();
  return all;
}

OnewayQueue::Count OnewayQueue::take_dropped() noexcept {
  const std::lock_guard lock(mutex_);
  return std::exchange(dropped_, {});
}

/// With the mutex, as the next three.
void OnewayQueue::drop(Count what) noexcept {
  counters_.dropped.fetch_add(what.messages, std::memory_order_relaxed);
  counters_.dropped_octets.fetch_add(what.octets, std::memory_order_relaxed);
  dropped_.messages += what.messages;
  dropped_.octets += what.octets;
}

void OnewayQueue::add(std::size_t octets) noexcept {
  messages_.store(messages() + 1, std::memory_order_relaxed);
  octets_.store(this->octets() + octets, std::memory_order_release);
}

void OnewayQueue::subtract(Count what) noexcept {
  const std::size_t octets = std::min(what.octets, this->octets());
  messages_.store(messages() - std::min(what.messages, messages()), std::memory_order_relaxed);
  octets_.store(this->octets() - octets, std::memory_order_release);
  tell_counters();
}

/// The difference wraps around where there are fewer.
void OnewayQueue::tell_counters() noexcept {
  const std::size_t now = octets();
  counters_.waiting_octets.fetch_add(now - std::exchange(told_octets_, now), std::memory_order_relaxed);
  if (untold_ != 0) counters_.kept.fetch_add(std::exchange(untold_, 0), std::memory_order_relaxed);
}

void OnewayQueue::tell() noexcept {
  const std::lock_guard lock(mutex_);
  tell_counters();
}

}  // namespace corbel::connection
