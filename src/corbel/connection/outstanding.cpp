// SPDX-License-Identifier: Apache-2.0
#include "corbel/connection/outstanding.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace corbel::connection {

void Outstanding::add(UnderWay& request) noexcept {
  if (count_ >= buckets_.size()) grow();
  order_.push(request);
  link(request);
  ++count_;
  if (request.kind() == UnderWay::Kind::asynchronous) ++asynchronous_;
}

UnderWay* Outstanding::take(messaging::Token token) noexcept {
  UnderWay** const place = place_of(token);
  if (place == nullptr) return nullptr;
  UnderWay* const found = *place;
  *place = found->next_in_bucket_;
  order_.remove(*found);
  --count_;
  if (found->kind() == UnderWay::Kind::asynchronous) --asynchronous_;
  return found;
}

UnderWayList Outstanding::take_all() noexcept {
  std::fill(buckets_.begin(), buckets_.end(), nullptr);
  count_ = asynchronous_ = 0;
  return std::exchange(order_, {});
}

UnderWay** Outstanding::place_of(messaging::Token token) noexcept {
  if (count_ == 0) return nullptr;
  for (UnderWay** place = &bucket(token); *place != nullptr; place = &(*place)->next_in_bucket_) {
    if ((*place)->token == token) return place;
  }
  return nullptr;
}

void Outstanding::link(UnderWay& request) noexcept {
  UnderWay*& head = bucket(request.token);
  request.next_in_bucket_ = std::exchange(head, &request);
}

void Outstanding::grow() noexcept try {
  std::vector<UnderWay*> more(buckets_.size() * 4, nullptr);
  many_ = std::move(more);
  buckets_ = many_;
  for (UnderWay* each = order_.first(); each != nullptr; each = UnderWayList::after(*each)) link(*each);
} catch (const std::bad_alloc&) {
  // Without memory the chains in the buckets that there are get longer.
}

}  // namespace corbel::connection
