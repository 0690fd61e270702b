// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace corbel::connection {

/// When a connection was last used, and whether it may still be, by calls that are about to begin. Times are those of
/// Deadline::clock_now(). Thread-safe.
class Usage {
 public:
  /// Nothing is to begin any more.
  void end() noexcept { over_.store(true, std::memory_order_relaxed); }
  bool is_over() const noexcept { return over_.load(std::memory_order_relaxed); }
  void use(std::int64_t now) noexcept { last_.store(now, std::memory_order_relaxed); }
  std::int64_t last() const noexcept { return last_.load(std::memory_order_relaxed); }
  /// Whoever holds it may have no other one in its place (NO_RECONNECT). That stays: nobody counts who does.
  void bind_for_good() noexcept {
    if (!for_good()) for_good_.store(true, std::memory_order_relaxed);
  }
  bool for_good() const noexcept { return for_good_.load(std::memory_order_relaxed); }
  /// Uses it. False if that was not done for so long that the peer may have gone meanwhile.
  [[gnu::always_inline]] bool goes_on(std::int64_t now) noexcept {
    const std::int64_t before = last();
    use(now);
    if (before == 0 || now - before <= kAskAfter) [[likely]]
      return true;
    return false;
  }

 private:
  static constexpr std::int64_t kAskAfter = 1'000'000'000;

  std::atomic<bool> over_{false};
  std::atomic<bool> for_good_{false};
  std::atomic<std::int64_t> last_{0};
};

}  // namespace corbel::connection
