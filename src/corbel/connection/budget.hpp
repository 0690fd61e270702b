// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>

namespace corbel::connection {

/// How much memory a kind of things may use in all. Thread-safe; takes no lock.
class Budget {
 public:
  explicit Budget(std::size_t limit) noexcept : limit_(limit) {}

  /// False, and nothing is taken, if that would exceed the limit. A user that is alone, having taken `own` already, may
  /// exceed it.
  bool take(std::size_t octets, std::size_t own = 0) noexcept {
    std::size_t before = used();
    do {
      if (!fits(before, octets, own)) return false;
    } while (!used_.compare_exchange_weak(before, before + octets, std::memory_order_relaxed));
    return true;
  }
  /// True if there is room for as much at present.
  bool has_room(std::size_t octets, std::size_t own) const noexcept { return fits(used(), octets, own); }
  /// Takes it whatever the limit is.
  void force(std::size_t octets) noexcept { used_.fetch_add(octets, std::memory_order_relaxed); }
  void give(std::size_t octets) noexcept { used_.fetch_sub(octets, std::memory_order_relaxed); }
  std::size_t used() const noexcept { return used_.load(std::memory_order_relaxed); }

 private:
  bool fits(std::size_t before, std::size_t octets, std::size_t own) const noexcept {
    return before == own || (octets <= limit_ && before <= limit_ - octets);
  }

  const std::size_t limit_;
  std::atomic<std::size_t> used_{0};
};

}  // namespace corbel::connection
