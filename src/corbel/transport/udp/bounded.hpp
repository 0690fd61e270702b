// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <utility>

namespace corbel::transport::udp {

/// Datagrams put aside, within limits: what is too much is lost, as from a full queue of the system's. Not thread-safe.
template <class Item>
class Bounded {
 public:
  static constexpr std::size_t kMostOctets = 1U << 20;

  /// `most`: datagrams.
  explicit Bounded(std::size_t most) : most_(most) {}
  /// `octets`: how many it has.
  void add(Item item, std::size_t octets) {
    if (items_.size() >= most_ || octets > kMostOctets - octets_) return;
    octets_ += octets;
    items_.push_back(std::move(item));
  }
  bool empty() const noexcept { return items_.empty(); }
  /// All of them, in order. None is left, unless there is no memory (std::bad_alloc): an empty queue takes some, too.
  std::deque<Item> take() {
    std::deque<Item> all;
    all.swap(items_);
    octets_ = 0;
    return all;
  }

 private:
  const std::size_t most_;
  std::size_t octets_ = 0;
  std::deque<Item> items_;
};

}  // namespace corbel::transport::udp
