// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <utility>

#include "corbel/messaging/session.hpp"

namespace corbel::connection {

/// How much memory a kind of things may use in all. Thread-safe; takes no lock.
class Budget {
 public:
  explicit Budget(std::size_t limit) noexcept : limit_(limit) {}

  /// False, and nothing is taken, if that would exceed the limit. Who is alone, having taken `own` already, may exceed
  /// it.
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

/// The memory of all incoming messages of a server's connections. Thread-safe.
class InputMemory {
 public:
  /// `make_room`: sees to it that somebody gives some back; false if nobody can.
  InputMemory(std::size_t limit, std::function<bool()> make_room) : budget_(limit), make_room_(std::move(make_room)) {}

  /// `own`: what the caller has taken already.
  bool take(std::size_t octets, std::size_t own) {
    while (!budget_.take(octets, own)) {
      if (!make_room_()) return false;
    }
    return true;
  }
  void force(std::size_t octets) noexcept { budget_.force(octets); }
  void give(std::size_t octets) noexcept { budget_.give(octets); }
  std::size_t used() const noexcept { return budget_.used(); }

 private:
  Budget budget_;
  const std::function<bool()> make_room_;
};

/// What one connection has taken of that, for octets received and for messages in pieces. Thread-safe.
class InputAccount final : public messaging::Memory {
 public:
  /// `memory`: who pays, and outlives this; nullptr: nothing is counted.
  explicit InputAccount(InputMemory* memory) noexcept : memory_(memory) {}

  bool take(std::size_t octets) override {
    if (memory_ == nullptr) return true;
    const bool taken = octets == 0 || memory_->take(octets, paid());
    refused_.store(!taken, std::memory_order_relaxed);
    if (taken) paid_.fetch_add(octets, std::memory_order_relaxed);
    return taken;
  }
  /// Takes it whatever the limit is.
  void force(std::size_t octets) noexcept {
    if (memory_ == nullptr) return;
    memory_->force(octets);
    paid_.fetch_add(octets, std::memory_order_relaxed);
  }
  void give(std::size_t octets) noexcept override {
    if (memory_ == nullptr || octets == 0) return;
    paid_.fetch_sub(octets, std::memory_order_relaxed);
    memory_->give(octets);
  }
  std::size_t paid() const noexcept { return paid_.load(std::memory_order_relaxed); }
  /// True if what was last asked for was not there.
  bool refused() const noexcept { return refused_.load(std::memory_order_relaxed); }

 private:
  InputMemory* const memory_;
  std::atomic<std::size_t> paid_{0};
  std::atomic<bool> refused_{false};
};

}  // namespace corbel::connection
