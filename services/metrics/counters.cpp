// SPDX-License-Identifier: Apache-2.0
#include "counters.hpp"

#include <algorithm>
#include <cstdio>

namespace corbel::metrics {
namespace {

constexpr std::array<const char*, kOutcomes> kNames = {"ok", "user_exception", "system_exception", "elsewhere", "sent"};
/// Strangers may ask for what is not there: their words are not used as names.
constexpr std::string_view kUnknown = "(unknown)";
constexpr std::string_view kForwarded = "(forwarded)";
constexpr std::string_view kOther = "(other)";

std::string number(double value) {
  std::array<char, 32> text{};
  const int size = std::snprintf(text.data(), text.size(), "%.9g", value);
  return {text.data(), static_cast<std::size_t>(size)};
}

}  // namespace

std::string label(std::string_view text) {
  std::string out = "\"";
  for (const char c : text.substr(0, 200)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c >= ' ' && c <= '~' ? c : '?';
  }
  return out + '"';
}

void Counters::begin(std::uint64_t id) {
  Shard& own = shard(id);
  const std::lock_guard lock(own.mutex);
  own.begun[id] = {Clock::now(), false};
}

void Counters::found(std::uint64_t id) {
  Shard& own = shard(id);
  const std::lock_guard lock(own.mutex);
  if (const auto begun = own.begun.find(id); begun != own.begun.end()) begun->second.found = true;
}

void Counters::end(std::uint64_t id, std::string_view operation, Outcome outcome, std::string_view exception,
                   std::uint32_t minor) {
  const auto now = Clock::now();
  Begun begun{now, false};
  {
    Shard& own = shard(id);
    const std::lock_guard lock(own.mutex);
    if (const auto at = own.begun.find(id); at != own.begun.end()) {
      begun = at->second;
      own.begun.erase(at);
    }
  }
  const bool known = begun.found && exception != "CORBA::BAD_OPERATION";
  Series& counted = series(known ? operation : outcome == Outcome::elsewhere ? kForwarded : kUnknown);
  const auto took = std::chrono::duration_cast<std::chrono::nanoseconds>(now - begun.when).count();
  const double seconds = static_cast<double>(took) / 1e9;
  const auto bucket = std::lower_bound(kBounds.begin(), kBounds.end(), seconds) - kBounds.begin();
  counted.outcomes[static_cast<std::size_t>(outcome)].fetch_add(1, std::memory_order_relaxed);
  counted.buckets[static_cast<std::size_t>(bucket)].fetch_add(1, std::memory_order_relaxed);
  counted.nanoseconds.fetch_add(static_cast<std::uint64_t>(std::max<std::int64_t>(took, 0)), std::memory_order_relaxed);
  if (exception.empty()) return;
  const std::unique_lock lock(mutex_);
  auto at = exceptions_.find({std::string(exception), minor});
  if (at == exceptions_.end()) {
    const bool full = exceptions_.size() >= kMostExceptions;
    at = exceptions_.try_emplace({full ? std::string(kOther) : std::string(exception), full ? 0 : minor}, 0).first;
  }
  ++at->second;
}

Counters::Series& Counters::series(std::string_view operation) {
  {
    const std::shared_lock lock(mutex_);
    if (const auto known = series_.find(operation); known != series_.end()) return *known->second;
  }
  const std::unique_lock lock(mutex_);
  if (series_.size() >= kMostOperations && !series_.contains(operation)) operation = kOther;
  auto& found = series_[std::string(operation)];
  if (found == nullptr) found = std::make_unique<Series>();
  return *found;
}

void Counters::write_head(std::string& text) {
  text +=
      "# HELP corbel_requests_total Requests that have ended, by side, operation and how.\n"
      "# TYPE corbel_requests_total counter\n"
      "# HELP corbel_exceptions_total Exceptions in which requests ended, by side, name and minor code.\n"
      "# TYPE corbel_exceptions_total counter\n"
      "# HELP corbel_requests_in_flight Requests that have begun and not ended.\n"
      "# TYPE corbel_requests_in_flight gauge\n"
      "# HELP corbel_request_seconds How long requests took: on the server until the reply is given, on the client "
      "until it is there.\n"
      "# TYPE corbel_request_seconds histogram\n";
}

void Counters::write(std::string& text) const {
  std::size_t under_way = 0;
  for (auto& shard : const_cast<std::array<Shard, 16>&>(shards_)) {
    const std::lock_guard lock(shard.mutex);
    under_way += shard.begun.size();
  }
  const std::string side = std::string("side=\"") + side_ + "\"";
  text += "corbel_requests_in_flight{" + side + "} " + std::to_string(under_way) + "\n";
  const std::shared_lock lock(mutex_);
  for (const auto& [name, one] : series_) {
    const std::string labels = side + ",operation=" + label(name);
    for (std::size_t i = 0; i < kOutcomes; ++i) {
      const std::uint64_t count = one->outcomes[i].load(std::memory_order_relaxed);
      if (count > 0)
        text += "corbel_requests_total{" + labels + ",outcome=\"" + kNames[i] + "\"} " + std::to_string(count) + "\n";
    }
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < one->buckets.size(); ++i) {
      sum += one->buckets[i].load(std::memory_order_relaxed);
      text += "corbel_request_seconds_bucket{" + labels + ",le=\"" +
              (i < kBounds.size() ? number(kBounds[i]) : "+Inf") + "\"} " + std::to_string(sum) + "\n";
    }
    text += "corbel_request_seconds_sum{" + labels + "} " +
            number(static_cast<double>(one->nanoseconds.load(std::memory_order_relaxed)) / 1e9) + "\n";
    text += "corbel_request_seconds_count{" + labels + "} " + std::to_string(sum) + "\n";
  }
  for (const auto& [exception, count] : exceptions_) {
    std::array<char, 16> minor{};
    std::snprintf(minor.data(), minor.size(), "0x%x", exception.second);
    text += "corbel_exceptions_total{" + side + ",exception=" + label(exception.first) + ",minor=\"" + minor.data() +
            "\"} " + std::to_string(count) + "\n";
  }
}

}  // namespace corbel::metrics
