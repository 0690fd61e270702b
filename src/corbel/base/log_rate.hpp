// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "corbel/base/log.hpp"

namespace corbel::base {

/// Lets so many records of each event pass in a second and counts the others, so that no peer can fill a disk by
/// repeating what is logged. Not thread-safe.
class LogRate {
 public:
  /// What was left out of an event.
  struct LeftOut {
    std::string_view event;
    LogModule module = LogModule::orb;
    std::uint64_t records = 0;
  };
  static constexpr std::size_t kEvents = 128;
  using Summary = std::array<LeftOut, kEvents>;

  explicit LogRate(std::uint32_t rate) noexcept : rate_(rate) {}

  /// True if this record may pass. `event` lives for ever; events with the same address are the same.
  bool admit(LogModule module, std::string_view event, std::int64_t second) noexcept {
    if (rate_ == 0) return true;
    Slot& slot = find(module, event);
    if (slot.second != second) {
      slot.second = second;
      slot.passed = 0;
    }
    if (slot.passed < rate_) {
      ++slot.passed;
      return true;
    }
    ++slot.left_out.records;
    return false;
  }

  /// What was left out before `second` and has not been told; how many entries of `summary` were filled. Seldom more
  /// than a comparison.
  std::size_t take_left_out(std::int64_t second, Summary& summary) noexcept {
    if (second == looked_) return 0;
    looked_ = second;
    std::size_t count = 0;
    for (Slot& slot : slots_) {
      if (slot.left_out.records == 0 || slot.second == second) continue;
      summary[count++] = slot.left_out;
      slot.left_out.records = 0;
    }
    return count;
  }

 private:
  struct Slot {
    LeftOut left_out;
    std::int64_t second = -1;
    std::uint32_t passed = 0;
  };

  Slot& find(LogModule module, std::string_view event) noexcept {
    const std::size_t start = reinterpret_cast<std::uintptr_t>(event.data()) / 8 + static_cast<std::size_t>(module);
    for (std::size_t i = 0; i < kEvents; ++i) {
      Slot& slot = slots_[(start + i) % kEvents];
      if (slot.left_out.event.data() == nullptr) {
        slot.left_out.event = event;
        slot.left_out.module = module;
      }
      if (slot.left_out.event.data() == event.data() && slot.left_out.module == module) return slot;
    }
    return slots_[start % kEvents];  // more events than there are: two share their limit
  }

  const std::uint32_t rate_;
  std::int64_t looked_ = -1;
  std::array<Slot, kEvents> slots_{};
};

}  // namespace corbel::base
