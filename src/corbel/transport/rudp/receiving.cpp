// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/rudp/receiving.hpp"

#include <algorithm>

namespace corbel::transport::rudp {

Receiving::Arrival Receiving::take(std::uint64_t position, base::ConstByteSpan data, bool ends) {
  const std::uint64_t octets_behind = position + data.size();
  const Range range{position, octets_behind + (ends ? 1 : 0)};
  if (range.end <= next_ || range.begin == range.end) return Arrival::again;
  const bool beyond_end = end_ != kOpen && (octets_behind > end_ || (ends && octets_behind != end_));
  // Nor may the end come before what has come already.
  const std::uint64_t furthest = ranges_.empty() ? next_ : ranges_.back().end;
  if (beyond_end || octets_behind > edge() || (ends && end_ == kOpen && octets_behind < furthest)) {
    return Arrival::refused;
  }
  const std::uint64_t before = next_;
  if (!remember(range)) return Arrival::refused;
  if (ends) end_ = octets_behind;
  if (!data.empty() && !forgets()) {
    if (octets_ == nullptr) octets_ = std::make_unique_for_overwrite<base::Octet[]>(capacity_);
    // What the reader has or may be given already stays as it is.
    const std::size_t skip = position < before ? static_cast<std::size_t>(before - position) : 0;
    const base::ConstByteSpan fresh = data.subspan(std::min(skip, data.size()));
    const auto at = static_cast<std::size_t>((position + skip) % capacity_);
    const std::size_t before_wrap = std::min(fresh.size(), capacity_ - at);
    base::copy_octets(octets_.get() + at, fresh.data(), before_wrap);
    base::copy_octets(octets_.get(), fresh.data() + before_wrap, fresh.size() - before_wrap);
  }
  return next_ != before ? Arrival::in_order : Arrival::apart;
}

/// Joins it with its neighbours. False, and nothing changes, if there would be too many.
bool Receiving::remember(Range range) {
  if (range.begin <= next_) {
    next_ = range.end;
    auto joined = ranges_.begin();
    for (; joined != ranges_.end() && joined->begin <= next_; ++joined) next_ = std::max(next_, joined->end);
    ranges_.erase(ranges_.begin(), joined);
    return true;
  }
  auto first = std::find_if(ranges_.begin(), ranges_.end(), [&](const Range& each) { return each.end >= range.begin; });
  auto last = first;
  for (; last != ranges_.end() && last->begin <= range.end; ++last) {
    range.begin = std::min(range.begin, last->begin);
    range.end = std::max(range.end, last->end);
  }
  if (first == last) {
    if (ranges_.size() == kMostRanges) return false;
    ranges_.insert(first, range);
  } else {
    *first = range;
    ranges_.erase(first + 1, last);
  }
  return true;
}

std::size_t Receiving::read(base::ByteSpan room) noexcept {
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(room.size(), readable_end() - read_));
  const auto at = static_cast<std::size_t>(read_ % capacity_);
  const std::size_t before_wrap = std::min(size, capacity_ - at);
  if (size == 0) return 0;
  base::copy_octets(room.data(), octets_.get() + at, before_wrap);
  base::copy_octets(room.data() + before_wrap, octets_.get(), size - before_wrap);
  read_ += size;
  return size;
}

void Receiving::discard() noexcept {
  refuse_more();
  read_ = kept_;
  octets_.reset();
}

}  // namespace corbel::transport::rudp
