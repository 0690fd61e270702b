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
  static constexpr std::uint64_t kClientHooks = 4;     ///< CallHooks that want to see what is sent
  static constexpr std::uint64_t kClientFlags = 0xf;
  static constexpr std::uint64_t kServerTrace = 0x10;  ///< a line of the log per request
  static constexpr std::uint64_t kServerHooks = 0x20;  ///< CallHooks that want to see what comes
  static constexpr std::uint64_t kBothWays = 0x40;     ///< connections over which both sides ask
  static constexpr std::uint64_t kGroups = 0x80;       ///< groups are listened to
  static constexpr std::uint64_t kServerFlags = 0xf0;
  static constexpr std::uint64_t kHooks = kClientHooks | kServerHooks;
  static constexpr std::uint64_t kChange = 0x100;
  /// No word: for references whose calls always go the long way.
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  std::uint64_t word() const noexcept { return word_.load(std::memory_order_acquire); }
  /// What a reference may remember of a word: itself, or kNever if something is installed that concerns its calls.
  static constexpr std::uint64_t memorable(std::uint64_t word) noexcept {
    return (word & kClientFlags) == 0 ? word : kNever;
  }
  /// The same for a reference whose calls stay in the process.
  static constexpr std::uint64_t memorable_here(std::uint64_t word) noexcept {
    return (word & kServerHooks) == 0 ? memorable(word) : kNever;
  }
  /// What requests that come have to look at. Afterwards their thread has the policies that it had.
  static constexpr std::uint64_t at_server(std::uint64_t word) noexcept {
    return word & (kServerFlags | kThreadPolicies);
  }

  void set(std::uint64_t flag, bool on) noexcept {
    on ? word_.fetch_or(flag, std::memory_order_acq_rel) : word_.fetch_and(~flag, std::memory_order_acq_rel);
  }
  /// The ORB's policies have changed.
  void change() noexcept { word_.fetch_add(kChange, std::memory_order_acq_rel); }

 private:
  std::atomic<std::uint64_t> word_{0};
};

}  // namespace corbel::orb
