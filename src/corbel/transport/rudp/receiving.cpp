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
  if (beyond_end || octets_behind > edge() || (ends && end_ == kOpen && octets_behind < furthest) ||
      !has_place_for(range)) {
    return Arrival::refused;
  }
  const std::uint64_t before = next_;
  if (!data.empty() && !forgets()) {
    // What comes in order is always taken: only by that does anything go on.
    const std::size_t chunks = static_cast<std::size_t>((octets_behind - 1) / kChunk - position / kChunk) + 1;
    if (position > next_ && gaps_ != nullptr) {
      if (!gaps_->take(chunks * kChunk)) return Arrival::unpaid;
      paid_ += chunks * kChunk;
    }
    // What the reader has or may be given already stays as it is.
    const std::size_t skip = position < before ? static_cast<std::size_t>(before - position) : 0;
    store(position + skip, data.subspan(std::min(skip, data.size())));
  }
  remember(range);
  if (ends) end_ = octets_behind;
  if (paid_ != 0) pay(octets_apart());
  return next_ != before ? Arrival::in_order : Arrival::apart;
}

/// It joins others, or may be one more.
bool Receiving::has_place_for(const Range& range) const noexcept {
  return ranges_.size() < kMostRanges || range.begin <= next_ ||
         std::any_of(ranges_.begin(), ranges_.end(),
                     [&](const Range& each) { return each.end >= range.begin && each.begin <= range.end; });
}

/// Joins it with its neighbours.
void Receiving::remember(Range range) {
  if (range.begin <= next_) {
    next_ = range.end;
    auto joined = ranges_.begin();
    for (; joined != ranges_.end() && joined->begin <= next_; ++joined) next_ = std::max(next_, joined->end);
    ranges_.erase(ranges_.begin(), joined);
    return;
  }
  auto first = std::find_if(ranges_.begin(), ranges_.end(), [&](const Range& each) { return each.end >= range.begin; });
  auto last = first;
  for (; last != ranges_.end() && last->begin <= range.end; ++last) {
    range.begin = std::min(range.begin, last->begin);
    range.end = std::max(range.end, last->end);
  }
  if (first == last) {
    ranges_.insert(first, range);
  } else {
    *first = range;
    ranges_.erase(first + 1, last);
  }
}

void Receiving::store(std::uint64_t position, base::ConstByteSpan octets) {
  // The window may begin and end within a chunk.
  if (chunks_.empty()) chunks_.resize(capacity_ / kChunk + 2);
  while (!octets.empty()) {
    Chunk& chunk = chunk_of(position);
    if (chunk == nullptr) {
      chunk = spare_ != nullptr ? std::move(spare_) : std::make_unique_for_overwrite<base::Octet[]>(kChunk);
    }
    const auto at = static_cast<std::size_t>(position % kChunk);
    const std::size_t size = std::min(octets.size(), kChunk - at);
    base::copy_octets(chunk.get() + at, octets.data(), size);
    position += size;
    octets = octets.subspan(size);
  }
}

/// Those of the chunks that nothing but what came behind gaps is in.
std::size_t Receiving::octets_apart() const noexcept {
  std::uint64_t chunks = 0;
  std::uint64_t free = next_ / kChunk + 1;  // the first that has not been counted
  for (const Range& range : ranges_) {
    const std::uint64_t behind = (range.end - 1) / kChunk + 1;
    if (behind <= free) continue;
    chunks += behind - std::max(free, range.begin / kChunk);
    free = behind;
  }
  return static_cast<std::size_t>(chunks) * kChunk;
}

/// No more than so much from now on.
void Receiving::pay(std::size_t octets) noexcept {
  if (paid_ > octets) gaps_->give_back(paid_ - octets);
  paid_ = std::min(paid_, octets);
}

std::size_t Receiving::read(base::ByteSpan room) noexcept {
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(room.size(), readable_end() - read_));
  for (std::size_t done = 0; done < size;) {
    Chunk& chunk = chunk_of(read_);
    const auto at = static_cast<std::size_t>(read_ % kChunk);
    const std::size_t piece = std::min(size - done, kChunk - at);
    base::copy_octets(room.data() + done, chunk.get() + at, piece);
    done += piece;
    read_ += piece;
    if (at + piece < kChunk) continue;
    if (spare_ == nullptr) spare_ = std::move(chunk);
    chunk.reset();
  }
  return size;
}

std::size_t Receiving::held() const noexcept {
  const auto chunks = std::count_if(chunks_.begin(), chunks_.end(), [](const Chunk& each) { return each != nullptr; });
  return (static_cast<std::size_t>(chunks) + (spare_ != nullptr ? 1 : 0)) * kChunk;
}

void Receiving::refuse_more() noexcept {
  kept_ = std::min(kept_, octets_end());
  spare_.reset();
  for (Chunk& each : chunks_) {
    const auto at = static_cast<std::uint64_t>(&each - chunks_.data());
    const std::uint64_t first = read_ / kChunk;
    const std::uint64_t ahead = (at + chunks_.size() - first % chunks_.size()) % chunks_.size();
    if ((first + ahead) * kChunk >= kept_) each.reset();
  }
  pay(0);
}

void Receiving::discard() noexcept {
  refuse_more();
  read_ = kept_;
  chunks_.clear();
}

}  // namespace corbel::transport::rudp
