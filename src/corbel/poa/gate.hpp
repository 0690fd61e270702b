// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace corbel::poa {

/// Counts the requests that went to an object without the mutex of its POA: one atomic instruction to enter, one to
/// leave. Open only while there is nothing to be asked: the object, the POA and its manager are active, and no thread
/// waits for requests to end. Whoever changes that closes it first, with the mutex, and takes over the count; those who
/// are inside then find on leaving that they have to leave with the mutex. A gate that is opened again has another
/// ticket, so that those who entered before are not taken for others. Thread-safe.
class Gate {
 public:
  /// False if it is not open under this ticket.
  bool enter(std::uint64_t ticket) noexcept {
    std::uint64_t word = ticket << kCountBits;  // most often nobody is inside
    while (!word_.compare_exchange_weak(word, word + 1, std::memory_order_acquire, std::memory_order_relaxed)) {
      if (word >> kCountBits != ticket || (word & kMost) == kMost) return false;
    }
    return true;
  }
  /// False if it was closed meanwhile: whoever did that has counted the request as one that leaves with the mutex.
  bool leave(std::uint64_t ticket) noexcept {
    std::uint64_t word = (ticket << kCountBits) + 1;
    while (!word_.compare_exchange_weak(word, word - 1, std::memory_order_release, std::memory_order_relaxed)) {
      if (word >> kCountBits != ticket) return false;
    }
    return true;
  }

  // --- with the POA's mutex ---

  /// 0 if it is closed.
  std::uint64_t ticket() const noexcept { return word_.load(std::memory_order_relaxed) >> kCountBits; }
  /// `ticket`: not 0, and no gate of the POA has had it.
  void open(std::uint64_t ticket) noexcept { word_.store(ticket << kCountBits, std::memory_order_release); }
  /// How many are inside. What they have done so far is seen when they have left.
  std::uint32_t close() noexcept {
    return static_cast<std::uint32_t>(word_.exchange(0, std::memory_order_acquire) & kMost);
  }

 private:
  static constexpr unsigned kCountBits = 24;
  static constexpr std::uint64_t kMost = (std::uint64_t{1} << kCountBits) - 1;

  std::atomic<std::uint64_t> word_{0};  // the ticket above the count
};

}  // namespace corbel::poa
