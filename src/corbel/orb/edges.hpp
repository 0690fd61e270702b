// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace corbel::orb {

/// What the calls of an ORB have to look at besides their own references, in one word: flags of what is installed, and
/// a count of changes of the ORB's policies. A call that finds the word that its reference remembers takes the short
/// way. Thread-safe.
class Edges {
 public:
  /// Flags. The rest of the word counts changes.
  static constexpr std::uint64_t kTrace = 1;           ///< a line of the log per call
  static constexpr std::uint64_t kThreadPolicies = 2;  ///< some thread has policies of its own
  static constexpr std::uint64_t kFlags = 0xff;
  static constexpr std::uint64_t kChange = kFlags + 1;
  /// No word: for references whose calls always go the long way.
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  std::uint64_t word() const noexcept { return word_.load(std::memory_order_acquire); }
  /// What a reference may remember of a word: itself, or kNever if something is installed.
  static constexpr std::uint64_t memorable(std::uint64_t word) noexcept { return (word & kFlags) == 0 ? word : kNever; }

  void set(std::uint64_t flag, bool on) noexcept {
    on ? word_.fetch_or(flag, std::memory_order_acq_rel) : word_.fetch_and(~flag, std::memory_order_acq_rel);
  }
  /// The ORB's policies are others now.
  void change() noexcept { word_.fetch_add(kChange, std::memory_order_acq_rel); }

 private:
  std::atomic<std::uint64_t> word_{0};
};

}  // namespace corbel::orb
