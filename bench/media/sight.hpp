// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

#include "media/content.hpp"
#include "media/meter.hpp"

namespace media {

using Wall = std::chrono::system_clock::time_point;

/// What a stream looks like from where it arrives. Thread-safe.
class Sight {
 public:
  struct Seen {
    std::uint64_t pictures = 0;
    std::uint64_t sounds = 0;
    std::uint64_t octets = 0;
    std::uint64_t wrong = 0;
    std::uint64_t in_step = 0;
    std::uint64_t out_of_step = 0;
    double jitter = 0;  ///< microseconds
    Cost cost;
  };

  explicit Sight(const Content& content) : content_(content) {}
  void begin() {
    const std::lock_guard lock(mutex_);
    seen_ = {};
    moments_.clear();
    transit_.reset();
    before_ = cost_so_far();
  }
  std::uint64_t arrived() {
    const std::lock_guard lock(mutex_);
    return seen_.pictures + seen_.sounds;
  }
  /// A frame came. `captured`: when its sender says that was, if it said so.
  void picture(std::uint32_t number, const Octets& octets, std::optional<Wall> captured) {
    const bool right = content_.is_picture(number, octets);
    const std::lock_guard lock(mutex_);
    ++seen_.pictures;
    note(number, octets.size(), right, captured);
  }
  void sound(std::uint32_t number, const Octets& octets, std::optional<Wall> captured) {
    const bool right = content_.is_sound(number, octets);
    const std::lock_guard lock(mutex_);
    ++seen_.sounds;
    note(number, octets.size(), right, captured);
  }
  Seen end() {
    const std::lock_guard lock(mutex_);
    const Cost now = cost_so_far();
    Seen seen = seen_;
    seen.cost = {now.processor_us - before_.processor_us, now.instructions - before_.instructions,
                 now.copied - before_.copied};
    return seen;
  }

 private:
  static constexpr std::chrono::milliseconds kStep{8};  // half of what lies between two pictures

  /// A picture and the sound with its number were captured at the same moment, and have to say so. The jitter is RFC
  /// 3550's, as the protocol counts it too.
  void note(std::uint32_t number, std::size_t octets, bool right, std::optional<Wall> captured) {
    seen_.octets += octets;
    if (!right) ++seen_.wrong;
    if (!captured) return;
    const double transit =
        std::chrono::duration<double, std::micro>(std::chrono::system_clock::now() - *captured).count();
    if (transit_) seen_.jitter += (std::abs(transit - *transit_) - seen_.jitter) / 16;
    transit_ = transit;
    const auto [other, first] = moments_.emplace(number, *captured);
    if (first) return;
    const auto apart = std::chrono::abs(other->second - *captured);
    ++(apart <= kStep ? seen_.in_step : seen_.out_of_step);
    moments_.erase(other);
  }

  const Content& content_;
  std::mutex mutex_;
  Seen seen_;
  std::map<std::uint32_t, Wall> moments_;  // of frames whose other half has not come
  std::optional<double> transit_;
  Cost before_;
};

}  // namespace media
