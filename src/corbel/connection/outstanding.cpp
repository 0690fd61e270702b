// SPDX-License-Identifier: Apache-2.0
#include "corbel/connection/outstanding.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace corbel::connection {

UnderWayList Outstanding::take_all() noexcept {
  std::fill(buckets_.begin(), buckets_.end(), nullptr);
  count_ = asynchronous_ = 0;
  return std::exchange(order_, {});
}

void Outstanding::grow() noexcept try {
  const std::size_t more = std::max(buckets_.size() * 4, kFirstBuckets);
  many_ = std::make_unique<UnderWay*[]>(more);
  buckets_ = {many_.get(), more};
  for (UnderWay* each = order_.first(); each != nullptr; each = UnderWayList::after(*each)) link(*each);
} catch (const std::bad_alloc&) {
  // Without memory the chains in the buckets that there are get longer.
}

}  // namespace corbel::connection
