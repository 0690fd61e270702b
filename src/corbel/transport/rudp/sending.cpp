// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/rudp/sending.hpp"

#include <algorithm>
#include <utility>

namespace corbel::transport::rudp {
namespace {

constexpr Time kMargin = std::chrono::milliseconds(2);
constexpr std::size_t kLeastWindow = 2;
constexpr std::uint64_t kOvertaken = 3;  // by so many, a segment is lost

}  // namespace

void RoundTrip::measured(Time took) noexcept {
  took = std::max(took, Time(1));
  least_ = std::min(least_, took);
  if (!known_) {
    known_ = true;
    mean_ = took;
    deviation_ = took / 2;
    return;
  }
  const Time off = took > mean_ ? took - mean_ : mean_ - took;
  deviation_ += (off - deviation_) / 4;
  mean_ += (took - mean_) / 8;
}

Time RoundTrip::patience(unsigned failures) const noexcept {
  const Time once = std::min(kMost, known_ ? std::max(kLeast, mean_ + 4 * deviation_) : kFirst);
  return std::clamp(once * (1 << std::min(failures, 10U)), once, std::max(once, std::min(most_, kMost)));
}

void Sending::begin(std::size_t most_data, std::uint64_t edge) noexcept {
  most_data_ = most_data;
  edge_ = edge;
}

std::size_t Sending::put(base::ConstByteSpan octets) {
  const std::size_t size = std::min(octets.size(), room());
  if (size == 0) return 0;
  if (octets_ == nullptr) octets_ = std::make_unique_for_overwrite<base::Octet[]>(capacity_);
  const auto at = static_cast<std::size_t>(end_ % capacity_);
  const std::size_t before_wrap = std::min(size, capacity_ - at);
  base::copy_octets(octets_.get() + at, octets.data(), before_wrap);
  base::copy_octets(octets_.get(), octets.data() + before_wrap, size - before_wrap);
  end_ += size;
  return size;
}

void Sending::drop() noexcept {
  closed_ = dropped_ = true;
  sent_.clear();
  flying_ = lost_ = apart_ = 0;
  probe_ = false;
  octets_.reset();
}

void Sending::copy(const Piece& piece, base::Octet* to) const noexcept {
  const auto at = static_cast<std::size_t>(piece.begin % capacity_);
  const std::size_t before_wrap = std::min(piece.size, capacity_ - at);
  base::copy_octets(to, octets_.get() + at, before_wrap);
  base::copy_octets(to + before_wrap, octets_.get(), piece.size - before_wrap);
}

// --- what to send ---

bool Sending::next(Time now, Piece& piece) {
  if (dropped_ || most_data_ == 0) return false;
  return repeat(now, piece) || send_new(now, piece);
}

void Sending::sent_now(Sent& segment, Time now) noexcept {
  segment.at = last_sent_ = now;
  segment.order = order_++;
}

Sending::Piece Sending::piece_of(const Sent& segment) const noexcept {
  const bool ends = segment.end > end_;
  return {segment.begin, static_cast<std::size_t>(segment.end - segment.begin) - (ends ? 1 : 0), ends, segment.again};
}

bool Sending::repeat(Time now, Piece& piece) {
  auto found = sent_.end();
  if (lost_ != 0 && flying_ >= window_) limited_ = true;
  if (lost_ != 0 && flying_ < window_) {
    found = std::find_if(sent_.begin(), sent_.end(), [](const Sent& each) { return each.fate == Fate::lost; });
    --lost_;
    if (flying_++ == 0) waiting_since_ = now;
  } else if (std::exchange(probe_, false)) {
    const auto last =
        std::find_if(sent_.rbegin(), sent_.rend(), [](const Sent& each) { return each.fate == Fate::flying; });
    if (last == sent_.rend()) return false;
    found = std::prev(last.base());
  } else {
    return false;
  }
  found->fate = Fate::flying;
  found->again = true;
  ++repeated_;
  sent_now(*found, now);
  piece = piece_of(*found);
  return true;
}

bool Sending::send_new(Time now, Piece& piece) {
  if (next_ >= all() || sent_.size() >= kMostSegments) return false;
  if (flying_ >= window_) {
    limited_ = true;
    return false;
  }
  const std::uint64_t left = end_ - std::min(next_, end_);
  const std::uint64_t taken = edge_ > next_ ? edge_ - next_ : 0;
  const auto size = static_cast<std::size_t>(std::min({left, taken, std::uint64_t{most_data_}}));
  const bool ends = closed_ && size == left;  // which takes no room of the reader's
  if (size == 0 && !ends) {
    if (sent_.empty() && held_up_since_ == kNever) held_up_since_ = now;
    return false;
  }
  // What is cut short by the reader's room alone waits for more of it, while something is under way.
  if (!ends && size < left && size < most_data_ && !sent_.empty()) return false;
  if (sent_.empty()) progress_ = now;
  if (flying_ == 0) waiting_since_ = now;
  held_up_since_ = kNever;
  sent_.push_back({next_, next_ + size + (ends ? 1 : 0), 0, now});
  ++flying_;
  next_ = sent_.back().end;
  sent_now(sent_.back(), now);
  piece = piece_of(sent_.back());
  return true;
}

// --- what has arrived ---

bool Sending::heard(Time now, std::uint64_t acknowledged, std::span<const Range> ranges, std::uint64_t edge) {
  if (dropped_) return true;
  if (acknowledged > next_ || (!ranges.empty() && ranges.back().end > next_)) return false;
  if (edge > edge_) {
    edge_ = edge;
    held_up_since_ = kNever;
    asked_ = 0;
  }
  if (acknowledged < first_) return true;  // it was overtaken
  std::size_t fresh = 0;
  while (!sent_.empty() && sent_.front().end <= acknowledged) {
    const Sent& each = sent_.front();
    if (each.fate == Fate::arrived) {
      --apart_;
    } else {
      ++fresh;
      arrived(each, now);
    }
    sent_.pop_front();
  }
  first_ = std::min(acknowledged, end_);
  auto at = sent_.begin();
  for (const Range& range : ranges) {
    at = std::find_if(at, sent_.end(), [&](const Sent& each) { return each.begin >= range.begin; });
    for (; at != sent_.end() && at->end <= range.end; ++at) {
      if (at->fate == Fate::arrived) continue;
      ++fresh;
      ++apart_;
      arrived(*at, now);
      at->fate = Fate::arrived;
    }
  }
  if (fresh == 0) return true;
  failures_ = 0;
  probed_ = probe_ = false;
  progress_ = waiting_since_ = now;
  grow(fresh);
  find_lost();
  return true;
}

void Sending::arrived(const Sent& segment, Time now) noexcept {
  if (segment.fate == Fate::lost) {
    --lost_;
  } else {
    --flying_;
  }
  const Time took = now - segment.at;
  // Of one that was sent twice nobody knows which arrived; if it was soon, then the first.
  if (!segment.again) {
    round_trip_.measured(took);
  } else if (!round_trip_.is_known() || took < round_trip_.least()) {
    return;
  }
  latest_ = std::max(latest_, segment.order + 1);
}

void Sending::grow(std::size_t segments) noexcept {
  if (!std::exchange(limited_, false) || (first_ < recovered_ && window_ >= threshold_)) return;
  if (window_ < threshold_) {
    window_ += segments;
  } else {
    grown_ += segments;
    if (grown_ >= window_) {
      grown_ = 0;
      ++window_;
    }
  }
  window_ = std::min(window_, kMostSegments);
}

/// Towards the end of a burst there are not three more that could overtake.
void Sending::find_lost() noexcept {
  if (sent_.empty() || (apart_ == 0 && sent_.front().order + kOvertaken >= latest_)) return;
  const std::uint64_t enough = next_ < end_ ? kOvertaken : std::clamp<std::uint64_t>(apart_, 1, kOvertaken);
  bool found = false;
  for (Sent& each : sent_) {
    if (each.fate != Fate::flying || each.order + enough >= latest_) continue;
    each.fate = Fate::lost;
    --flying_;
    ++lost_;
    found = true;
  }
  if (found && first_ >= recovered_) congested();
}

void Sending::congested() noexcept {
  threshold_ = window_ = std::max(window_ / 2, kLeastWindow);
  grown_ = 0;
  recovered_ = next_;
}

// --- time ---

Time Sending::due() const noexcept {
  if (dropped_) return kNever;
  if (flying_ != 0) {
    const Time last_resort = waiting_since_ + round_trip_.patience(failures_);
    if (probed_ || !round_trip_.is_known()) return last_resort;
    return std::min(last_resort, std::max(last_sent_, waiting_since_) + 2 * round_trip_.mean() + kPutOff + kMargin);
  }
  if (held_up_since_ == kNever) return kNever;
  return held_up_since_ + round_trip_.patience(asked_);
}

bool Sending::expire(Time now) {
  if (due() > now) return false;
  if (flying_ == 0) {
    held_up_since_ = now;
    asked_ = std::min(asked_ + 1, 5U);
    return true;
  }
  if (waiting_since_ + round_trip_.patience(failures_) <= now) {
    all_lost();
    waiting_since_ = now;
  } else {
    probed_ = probe_ = true;
  }
  return false;
}

void Sending::all_lost() noexcept {
  for (Sent& each : sent_) {
    if (each.fate != Fate::flying) continue;
    each.fate = Fate::lost;
    ++lost_;
  }
  flying_ = 0;
  if (failures_ == 0) threshold_ = std::max(window_ / 2, kLeastWindow);
  window_ = 1;
  grown_ = 0;
  recovered_ = next_;
  ++failures_;
  probed_ = true;
  probe_ = false;
}

}  // namespace corbel::transport::rudp
