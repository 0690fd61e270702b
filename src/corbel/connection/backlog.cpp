// SPDX-License-Identifier: Apache-2.0
#include "corbel/connection/backlog.hpp"

#include <algorithm>
#include <new>

namespace corbel::connection {

base::Status Backlog::append(std::span<const cdr::Segment> data, std::size_t skip, Budget& budget) noexcept try {
  const std::size_t more = total_size(data) - skip;
  if (!budget.take(more)) return base::error(base::Stage::send, base::Code::too_large);
  budget_ = &budget;
  paid_ += more;
  // A backlog that never gets empty must still let go of what has been sent.
  if (begin_ != 0 && begin_ >= size()) {
    octets_.erase(octets_.begin(), octets_.begin() + static_cast<std::ptrdiff_t>(begin_));
    begin_ = 0;
  }
  octets_.reserve(std::max(octets_.size() + more, octets_.capacity()));
  for (const cdr::Segment& segment : data) {
    const std::size_t skipped = std::min(skip, segment.size);
    skip -= skipped;
    const auto* octets = static_cast<const base::Octet*>(segment.data);
    octets_.insert(octets_.end(), octets + skipped, octets + segment.size);
  }
  if (keeps_messages_) sizes_.push_back(more);
  return {};
} catch (const std::bad_alloc&) {
  clear();  // the connection ends
  return base::error(base::Stage::send, base::Code::out_of_resources);
}

void Backlog::taken(std::size_t count) noexcept {
  begin_ += count;
  if (!sizes_.empty()) sizes_.erase(sizes_.begin());
  if (empty()) return clear();
  paid_ -= count;
  budget_->give(count);
}

void Backlog::clear() noexcept {
  octets_ = {};
  sizes_ = {};
  begin_ = 0;
  if (budget_ != nullptr) budget_->give(paid_);
  paid_ = 0;
}

}  // namespace corbel::connection
