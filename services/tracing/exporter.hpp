// SPDX-License-Identifier: Apache-2.0
// Finished spans on their way to the collector.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "context.hpp"
#include "corbel_tracing.hpp"

namespace corbel::tracing {

enum class Kind : std::uint8_t { internal = 1, server = 2, client = 3 };  // as OTLP numbers them

struct SpanData {
  std::string name;
  Kind kind = Kind::internal;
  ContextPtr context;
  std::optional<SpanId> parent;
  std::chrono::system_clock::time_point begin;
  std::chrono::nanoseconds lasted{};
  std::vector<std::pair<std::string, std::string>> attributes;
  std::optional<std::string> error;
};

/// Sends spans from a thread of its own, many at a time. Thread-safe. In a child of fork(), which has no such thread,
/// spans are dropped.
class Exporter {
 public:
  /// With what the environment says of it. Throws std::invalid_argument.
  explicit Exporter(Settings settings);
  ~Exporter();
  Exporter(const Exporter&) = delete;
  Exporter& operator=(const Exporter&) = delete;

  void put(SpanData span) noexcept;
  bool flush(std::chrono::milliseconds most);
  /// Sends what waits, for two seconds at most, and nothing after that.
  void end();
  Figures figures() const;

 private:
  using Clock = std::chrono::steady_clock;
  class Http;

  void run();
  bool is_here() const noexcept;
  std::string to_json(const std::deque<SpanData>& spans) const;
  void settle(std::deque<SpanData>& spans, bool taken, bool again);

  const Settings settings_;
  const pid_t process_;
  mutable std::mutex mutex_;  // guards what follows, up to the thread
  std::condition_variable wanted_;
  std::condition_variable changed_;
  std::deque<SpanData> waiting_;
  std::size_t leaving_ = 0;  // taken out of waiting_, and not answered for
  Figures figures_;
  std::uint64_t attempts_ = 0;
  std::uint64_t failures_ = 0;  // in a row
  bool flushes_ = false;
  std::optional<Clock::time_point> end_;  // when the thread has to have ended
  std::thread thread_;
};

}  // namespace corbel::tracing
