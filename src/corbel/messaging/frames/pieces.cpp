// SPDX-License-Identifier: Apache-2.0
#include "corbel/messaging/frames/pieces.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "corbel/messaging/frames/layout.hpp"

namespace corbel::messaging::frames {

using base::Code;
using base::Stage;

namespace {

constexpr std::size_t kLargestUnit = 0xffff * kPieceUnit;
constexpr std::size_t kFirstRoom = 64U << 10;

/// Goes through a list of segments, so many octets at a time.
class Cursor {
 public:
  explicit Cursor(std::span<const cdr::Segment> segments) noexcept : left_(segments) {}
  void take(std::size_t size, std::vector<cdr::Segment>& into) {
    while (size != 0) {
      const cdr::Segment& first = left_.front();
      const std::size_t part = std::min(size, first.size - at_);
      if (part != 0) into.push_back({static_cast<const base::Octet*>(first.data) + at_, part});
      at_ += part;
      size -= part;
      if (at_ != first.size) continue;
      left_ = left_.subspan(1);
      at_ = 0;
    }
  }

 private:
  std::span<const cdr::Segment> left_;
  std::size_t at_ = 0;
};

}  // namespace

bool Pieces::comes_before(const Aside& aside, std::uint32_t number) noexcept {
  return aside.number < number;
}

bool Piece::makes_sense() const noexcept {
  if (total <= kHeaderSize || unit == 0 || number >= kMostPieces || count() > kMostPieces || number >= count()) {
    return false;
  }
  const std::uint32_t from = number * unit;
  return data.size() == std::min(unit, total - from);
}

base::Status cut_frame(std::span<const cdr::Segment> frame, std::span<base::Octet> head, std::size_t most,
                       base::FunctionRef<base::Status(std::span<const cdr::Segment>)> send) {
  const base::Error too_large = base::error(Stage::encode, Code::too_large);
  std::size_t total = 0;
  for (const cdr::Segment& segment : frame) total += segment.size;
  if (most < head.size() + kPieceUnit || total > 0xffffffffU) return too_large;
  const std::size_t unit = std::min(most - head.size(), kLargestUnit) / kPieceUnit * kPieceUnit;
  const std::size_t count = (total + unit - 1) / unit;
  if (count > kMostPieces) return too_large;
  const auto put = [&](std::size_t at, auto value) { std::memcpy(head.data() + at, &value, sizeof value); };
  const std::size_t at = head.size() - kPieceSize;
  put(at, static_cast<std::uint32_t>(total));
  put(at + 6, static_cast<std::uint16_t>(unit / kPieceUnit));
  std::vector<cdr::Segment> piece;
  piece.reserve(frame.size() + 1);
  Cursor cursor(frame);
  for (std::size_t number = 0; number < count; ++number) {
    const std::size_t size = std::min(unit, total - number * unit);
    put(4, static_cast<std::uint32_t>(head.size() + size));
    put(at + 4, static_cast<std::uint16_t>(number));
    piece.assign(1, {head.data(), head.size()});
    cursor.take(size, piece);
    CORBEL_CHECK(send(piece));
  }
  return {};
}

base::Result<bool> Pieces::add(const Piece& piece, Joined& joined) {
  auto open = find_or_open(piece);
  open->heard = piece.came;
  if (open->total != piece.total || open->unit != piece.unit) return base::error(Stage::receive, Code::malformed);
  const auto place = std::lower_bound(open->aside.begin(), open->aside.end(), piece.number, comes_before);
  const bool has = place != open->aside.end() && place->number == piece.number;
  if (has || piece.number < open->next) return false;
  if (!keep(piece)) return false;
  open = find(piece.sequence);
  if (open->next != piece.count()) return false;
  // The reader pays for this frame now, and the memory of the one before is kept for the next. What was paid for more
  // than that was not to be had.
  repay(spare_.capacity());
  repay(open->paid - std::min(open->paid, open->octets.capacity()));
  octets_ -= open->octets.capacity();
  spare_ = std::exchange(joined.octets, std::move(open->octets));
  octets_ += spare_.capacity();
  joined.joints.clear();
  open_.erase(open);
  return true;
}

Pieces::Place Pieces::find(std::uint32_t sequence) noexcept {
  return std::find_if(open_.begin(), open_.end(), [&](const Open& open) { return open.sequence == sequence; });
}

Pieces::Place Pieces::find_or_open(const Piece& piece) {
  const auto found = find(piece.sequence);
  if (found != open_.end()) return found;
  if (open_.size() >= kMostOpen) give_up(open_.begin());
  open_.reserve(kMostOpen);
  Open open{piece.sequence,
            piece.total,
            piece.unit,
            ++born_,
            piece.came,
            0,
            spare_.capacity(),
            std::exchange(spare_, {}),
            {}};
  open.octets.clear();
  open_.push_back(std::move(open));
  return open_.end() - 1;
}

/// True if octets of a frame have been paid for, if need be at the expense of older frames; gives the frame up if not.
/// It may have moved then. While a buffer grows there are two.
bool Pieces::pay(std::uint32_t sequence, std::size_t octets) {
  for (;;) {
    if (octets_ + octets <= 2 * most_octets_ && (memory_ == nullptr || memory_->take(octets))) {
      octets_ += octets;
      find(sequence)->paid += octets;
      return true;
    }
    const auto other =
        std::find_if(open_.begin(), open_.end(), [&](const Open& open) { return open.sequence != sequence; });
    if (other != open_.end()) {
      give_up(other);
    } else if (spare_.capacity() != 0) {
      repay(spare_.capacity());
      spare_ = {};
    } else {
      give_up(find(sequence));
      return false;
    }
  }
}

void Pieces::repay(std::size_t octets) noexcept {
  if (memory_ != nullptr) memory_->give(octets);
  octets_ -= octets;
}

/// False if there was no memory: the frame has been given up.
bool Pieces::keep(const Piece& piece) {
  if (piece.number != find(piece.sequence)->next) {
    if (!pay(piece.sequence, piece.data.size())) return false;
    auto& aside = find(piece.sequence)->aside;
    const auto place = std::lower_bound(aside.begin(), aside.end(), piece.number, comes_before);
    aside.insert(place, {piece.number, base::Bytes(piece.data.begin(), piece.data.end())});
    return true;
  }
  if (!append(piece.sequence, piece.data)) return false;
  std::size_t next = 0;
  std::size_t octets = 0;
  for (auto open = find(piece.sequence); next < open->aside.size() && open->aside[next].number == open->next;
       open = find(piece.sequence)) {
    const base::ConstByteSpan data = open->aside[next++].data;
    if (!append(piece.sequence, data)) return false;
    octets += data.size();
  }
  const auto open = find(piece.sequence);
  open->aside.erase(open->aside.begin(), open->aside.begin() + static_cast<std::ptrdiff_t>(next));
  repay(octets);
  open->paid -= octets;
  return true;
}

/// The buffer grows with what comes, not with what was announced. False as keep().
bool Pieces::append(std::uint32_t sequence, base::ConstByteSpan data) {
  auto open = find(sequence);
  const std::size_t size = open->octets.size() + data.size();
  if (const std::size_t before = open->octets.capacity(); size > before) {
    const std::size_t room = std::min<std::size_t>(open->total, std::max(kFirstRoom, 2 * size));
    if (!pay(sequence, room)) return false;
    open = find(sequence);
    open->octets.reserve(room);
    repay(before);
    open->paid -= before;
  }
  open->octets.insert(open->octets.end(), data.begin(), data.end());
  ++open->next;
  return true;
}

void Pieces::give_up(Place open) noexcept {
  Counts::add(counts_.incomplete);
  repay(open->paid);
  open_.erase(open);
}

void Pieces::give_up_old(const Tally& tally, std::int64_t silent) noexcept {
  for (auto open = open_.begin(); open != open_.end();) {
    if (open->heard >= silent && !tally.has_come(open->sequence)) {
      ++open;
      continue;
    }
    const auto at = open - open_.begin();
    give_up(open);
    open = open_.begin() + at;
  }
}

void Pieces::clear() noexcept {
  Counts::add(counts_.incomplete, open_.size());
  repay(octets_);
  open_.clear();
  spare_ = {};
}

}  // namespace corbel::messaging::frames
