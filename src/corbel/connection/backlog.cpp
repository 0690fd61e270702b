// SPDX-License-Identifier: Apache-2.0
#include "corbel/connection/backlog.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace corbel::connection {

base::Status Backlog::append(std::span<const cdr::Segment> data, std::size_t skip, Budget& budget) noexcept try {
  const std::size_t more = total_size(data) - skip;
  if (more == 0) return {};
  std::unique_ptr<Waiting> first(empty() ? new Waiting{budget, {}, 0, 0, {}} : nullptr);  // before anything is paid
  if (!budget.take(more)) return base::error(base::Stage::send, base::Code::too_large);
  if (first != nullptr) waiting_ = std::move(first);
  auto& [_, octets, begin, paid, sizes] = *waiting_;
  paid += more;
  // A backlog that never gets empty must still let go of what has been sent.
  if (begin != 0 && begin >= size()) {
    octets.erase(octets.begin(), octets.begin() + static_cast<std::ptrdiff_t>(begin));
    begin = 0;
  }
  octets.reserve(std::max(octets.size() + more, octets.capacity()));
  for (const cdr::Segment& segment : data) {
    const std::size_t skipped = std::min(skip, segment.size);
    skip -= skipped;
    const auto* from = static_cast<const base::Octet*>(segment.data);
    octets.insert(octets.end(), from + skipped, from + segment.size);
  }
  if (keeps_messages_) sizes.push_back(more);
  return {};
} catch (const std::bad_alloc&) {
  clear();  // the connection ends
  return base::error(base::Stage::send, base::Code::out_of_resources);
}

void Backlog::taken(std::size_t count) noexcept {
  waiting_->begin += count;
  auto& sizes = waiting_->sizes;
  if (!sizes.empty()) sizes.erase(sizes.begin());
  if (size() == 0) return clear();
  waiting_->paid -= count;
  waiting_->budget.give(count);
}

void Backlog::clear() noexcept {
  if (empty()) return;
  waiting_->budget.give(waiting_->paid);
  waiting_.reset();
}

}  // namespace corbel::connection
