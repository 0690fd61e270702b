// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "corbel/orb/presence.hpp"

namespace corbel::poa {

/// Knows which requests went to an object without the mutex of its POA: their threads note it (orb::Presence), or, if
/// they cannot, count it with one atomic instruction to enter and one to leave. Open only while there is nothing to be
/// asked: the object, the POA and its manager are active, and no thread waits for requests to end. Whoever changes that
/// closes it first, with the mutex, and takes over those who are inside; they find on leaving that they have to leave
/// with the mutex. A gate that is opened again has another ticket, so that those who entered before are not taken for
/// others. Thread-safe; outlives all who call it.
class Gate {
 public:
  /// How somebody is inside.
  class Pass {
   public:
    /// False if the gate was not open under the ticket.
    explicit operator bool() const noexcept { return note_ != nullptr; }
    /// True of a request that has not got in, but has been counted as one that leaves with the mutex: the gate was
    /// closed between its note and its look at the gate.
    bool was_counted() const noexcept { return was_counted_; }

   private:
    friend class Gate;
    explicit Pass(orb::Presence* note, bool was_counted = false) noexcept : note_(note), was_counted_(was_counted) {}
    orb::Presence* note_;  // counted_: none
    bool was_counted_;
  };

  /// `ticket`: one that the gate has had.
  Pass enter(std::uint64_t ticket) noexcept {
    if (!is_open(ticket)) [[unlikely]]
      return Pass(nullptr);
    orb::Presence* const note = orb::Presence::begin(this);
    if (note == nullptr) [[unlikely]]
      return Pass(count(ticket) ? &counted_ : nullptr);
    if (is_open(ticket)) [[likely]]
      return Pass(note);
    // It does not go in although it may count: the object behind may be another one than that of its ticket by now.
    return Pass(nullptr, note->end());
  }
  /// False if it was closed meanwhile: whoever did that has counted the request as one that leaves with the mutex.
  bool leave(std::uint64_t ticket, Pass pass) noexcept {
    if (pass.note_ == &counted_) [[unlikely]]
      return discount(ticket);
    return !pass.note_->end();
  }

  // --- with the POA's mutex ---

  /// 0 if it is closed.
  std::uint64_t ticket() const noexcept { return word_.load(std::memory_order_relaxed) >> kCountBits; }
  /// `ticket`: not 0, and no gate of the POA has had it.
  void open(std::uint64_t ticket) noexcept { word_.store(ticket << kCountBits, std::memory_order_release); }
  /// How many that are counted are inside. The others are to be taken over. What they have done so far is seen when
  /// they have left.
  std::uint32_t close() noexcept {
    return static_cast<std::uint32_t>(word_.exchange(0, std::memory_order_seq_cst) & kMost);
  }

 private:
  static constexpr unsigned kCountBits = 24;
  static constexpr std::uint64_t kMost = (std::uint64_t{1} << kCountBits) - 1;

  bool is_open(std::uint64_t ticket) const noexcept {
    const std::uint64_t word = word_.load(std::memory_order_acquire);
    return word == ticket << kCountBits || word >> kCountBits == ticket;  // most often none is counted
  }
  [[gnu::noinline]] bool count(std::uint64_t ticket) noexcept {
    std::uint64_t word = ticket << kCountBits;
    while (!word_.compare_exchange_weak(word, word + 1, std::memory_order_acquire, std::memory_order_relaxed)) {
      if (word >> kCountBits != ticket || (word & kMost) == kMost) return false;
    }
    return true;
  }
  [[gnu::noinline]] bool discount(std::uint64_t ticket) noexcept {
    std::uint64_t word = (ticket << kCountBits) + 1;
    while (!word_.compare_exchange_weak(word, word - 1, std::memory_order_release, std::memory_order_relaxed)) {
      if (word >> kCountBits != ticket) return false;
    }
    return true;
  }

  static inline orb::Presence counted_;  // stands for those of whom there is no note
  std::atomic<std::uint64_t> word_{0};   // the ticket above the count
};

}  // namespace corbel::poa
