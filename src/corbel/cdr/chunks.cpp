// SPDX-License-Identifier: Apache-2.0
// Reading what comes in chunks. While chunks are read, end_ is the end of the open one (or the cursor, if none is open
// yet) and limit_ that of the message.
#include <algorithm>

#include "corbel/cdr/decoder.hpp"
#include "corbel/cdr/value_tables.hpp"
#include "corbel/cdr/value_tags.hpp"

namespace corbel::cdr {

void Decoder::begin_chunks() noexcept {
  (void)join_rest();
  if (!ok()) return;
  chunks_ = Chunks::open;
  end_ = cursor_;
}

bool Decoder::enter_chunk(std::int32_t length) noexcept {
  if (!ok()) return false;
  if (length <= 0 || static_cast<std::uint32_t>(length) >= tag::kValue ||
      static_cast<std::size_t>(length) > remaining()) {
    fail(base::Code::malformed);
    return false;
  }
  chunks_ = Chunks::open;
  end_ = cursor_ + length;
  return true;
}

void Decoder::leave_chunks() noexcept {
  if (!ok() || chunks_ == Chunks::none) return;
  chunks_ = Chunks::none;
  cursor_ = end_;
  end_ = limit_;
}

void Decoder::end_chunks() noexcept {
  if (!ok()) return;
  chunks_ = Chunks::ended;
  end_ = cursor_;
}

bool Decoder::next_chunk() noexcept {
  // What is left of a chunk can only be padding: no primitive is split.
  if (!ok() || chunks_ == Chunks::ended || in_segment() >= 8) {
    fail(base::Code::malformed);
    return false;
  }
  leave_chunks();
  return enter_chunk(get<std::int32_t>());
}

base::ConstByteSpan Decoder::take_beyond(std::size_t size) noexcept {
  if (chunks_ == Chunks::none) {
    const base::ConstByteSpan octets(cursor_, size);
    cursor_ += size;
    pass_joints();
    return octets;
  }
  // A run that goes on in further chunks is put together in memory that lives as long as the message's tables.
  auto* tables = ValueTables::of(*this);
  if (tables == nullptr || !charge(size)) {
    fail(base::Code::malformed);
    return {};
  }
  base::Bytes& joined = tables->joined.emplace_back();
  joined.reserve(size);
  while (joined.size() < size) {
    if (in_segment() == 0 && !next_chunk()) return {};
    const std::size_t piece = std::min(in_segment(), size - joined.size());
    joined.insert(joined.end(), cursor_, cursor_ + piece);
    cursor_ += piece;
  }
  return joined;
}

Decoder Decoder::at(std::size_t position) const noexcept {
  Decoder other = *this;
  other.chunks_ = Chunks::none;
  other.end_ = limit_;
  if (!is_joined()) {
    other.cursor_ = origin_ + position;
    return other;
  }
  other.origin_ = start_;
  other.cursor_ = start_ + position;
  if (ok()) other.enter_joints({joints_.data() - joints_passed_, joints_.size() + joints_passed_});
  return other;
}

}  // namespace corbel::cdr
