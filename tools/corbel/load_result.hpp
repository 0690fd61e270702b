// SPDX-License-Identifier: Apache-2.0
// What `corbel bench` has measured.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "histogram.hpp"

namespace corbel::tool {

/// Calls that ended within a time.
struct Tally {
  Histogram latency;  ///< nanoseconds
  std::map<std::string, std::uint64_t> errors{};

  void add(const Tally& other) {
    latency.add(other.latency);
    for (const auto& [name, count] : other.errors) errors[name] += count;
  }
  std::uint64_t failed() const {
    std::uint64_t count = 0;
    for (const auto& each : errors) count += each.second;
    return count;
  }
};

/// Tallies of equal times, one after the other. Never more than a few hundred: when there are that many, each two that
/// follow each other become one.
class Timeline {
 public:
  static constexpr std::size_t kMost = 240;

  explicit Timeline(double width) : width_(width) {}
  /// Seconds of each of them.
  double width() const noexcept { return width_; }
  const std::vector<Tally>& slots() const noexcept { return slots_; }

  void add(Tally&& tally) {
    if (slots_.size() == kMost) {
      for (std::size_t i = 0; i < kMost; i += 2) {
        slots_[i].add(slots_[i + 1]);
        if (i != 0) slots_[i / 2] = std::move(slots_[i]);
      }
      slots_.resize(kMost / 2);
      width_ *= 2;
    }
    slots_.push_back(std::move(tally));
  }

 private:
  double width_;
  std::vector<Tally> slots_;
};

struct LoadResult {
  std::string operation{};
  std::string reference{};
  int clients = 0;
  double rate_wanted = 0;  ///< calls per second of the open loop; 0: closed
  double seconds = 0;
  std::uint64_t unmade = 0;  ///< calls that were due and had not begun when the time was over
  bool interrupted = false;
  Tally all{};
  Timeline timeline{0.1};

  double rate() const { return seconds > 0 ? static_cast<double>(all.latency.count()) / seconds : 0; }
  const char* loop() const { return rate_wanted > 0 ? "open" : "closed"; }
};

inline constexpr std::pair<const char*, double> kQuantiles[] = {
    {"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p99.9", 0.999}, {"p99.99", 0.9999}};

inline double microseconds(double nanoseconds) {
  return nanoseconds / 1000;
}
inline double microseconds(std::uint64_t nanoseconds) {
  return static_cast<double>(nanoseconds) / 1000;
}

/// A page that stands alone: figures, latency by quantile, and rate and latency as time passed.
std::string to_html(const LoadResult& result);

}  // namespace corbel::tool
