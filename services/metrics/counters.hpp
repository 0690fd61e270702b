// SPDX-License-Identifier: Apache-2.0
// What is counted of calls, and its text.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace corbel::metrics {

enum class Outcome : std::uint8_t { ok, user_exception, system_exception, elsewhere, sent };
inline constexpr std::size_t kOutcomes = 5;

/// Calls on one side, "server" or "client". Thread-safe. Whatever strangers send, there are at most kMostOperations
/// names and kMostExceptions kinds of exceptions; the rest counts together.
class Counters {
 public:
  static constexpr std::size_t kMostOperations = 1000;
  static constexpr std::size_t kMostExceptions = 256;
  using Clock = std::chrono::steady_clock;

  explicit Counters(const char* side) : side_(side) {}

  /// A request has come or is about to go; `id` is no other's meanwhile.
  void begin(std::uint64_t id);
  /// Its operation is known to exist, as far as can be said before it runs.
  void found(std::uint64_t id);
  /// It has ended. `exception` is "CORBA::TRANSIENT" or a repository id, for the outcomes that have one.
  void end(std::uint64_t id, std::string_view operation, Outcome outcome, std::string_view exception = {},
           std::uint32_t minor = 0);
  void write(std::string& text) const;
  /// The lines that say what the figures are, once for all sides.
  static void write_head(std::string& text);

 private:
  /// Seconds up to which a bucket counts: a step of 10^(1/3) from 10 us to 10 s.
  static constexpr std::array<double, 19> kBounds = {1e-5,   2.5e-5, 5e-5, 1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3, 5e-3, 1e-2,
                                                     2.5e-2, 5e-2,   0.1,  0.25, 0.5,    1,    2.5,  5,      10};

  struct Series {
    std::array<std::atomic<std::uint64_t>, kOutcomes> outcomes{};
    std::array<std::atomic<std::uint64_t>, kBounds.size() + 1> buckets{};
    std::atomic<std::uint64_t> nanoseconds{0};
  };
  struct Begun {
    Clock::time_point when;
    bool found = false;
  };
  struct Shard {
    std::mutex mutex;
    std::unordered_map<std::uint64_t, Begun> begun;
  };

  Shard& shard(std::uint64_t id) { return shards_[id % shards_.size()]; }
  Series& series(std::string_view operation);

  const char* const side_;
  std::array<Shard, 16> shards_;
  mutable std::shared_mutex mutex_;  // guards what follows, not what it points to
  std::map<std::string, std::unique_ptr<Series>, std::less<>> series_;
  std::map<std::pair<std::string, std::uint32_t>, std::uint64_t> exceptions_;
};

/// As a label's value: printable ASCII, quoted.
std::string label(std::string_view text);

}  // namespace corbel::metrics
