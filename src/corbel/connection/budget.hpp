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
      if (before != own && (octets > limit_ || before > limit_ - octets)) return false;
    } while (!used_.compare_exchange_weak(before, before + octets, std::memory_order_relaxed));
    return true;
  }
  /// Takes it whatever the limit is.
  void force(std::size_t octets) noexcept { used_.fetch_add(octets, std::memory_order_relaxed); }
  void give(std::size_t octets) noexcept { used_.fetch_sub(octets, std::memory_order_relaxed); }
  std::size_t used() const noexcept { return used_.load(std::memory_order_relaxed); }

 private:
  const std::size_t limit_;
  std::atomic<std::size_t> used_{0};
};

}  // namespace corbel::connection
