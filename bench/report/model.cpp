// SPDX-License-Identifier: Apache-2.0
#include "report/model.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>

#include "report/reader.hpp"

namespace bench {
namespace {

constexpr double kSmallest = 1024;

/// Octets where the throughput, between measured sizes in proportion, first reaches `half` (Mbit/s); `points` are
/// octets and microseconds, ascending.
void find_half(const std::vector<Point>& points, double half, NetworkParameters& found) {
  const auto rate = [](const Point& point) { return 8 * point.x / point.y; };
  if (rate(points.front()) >= half) {
    // A smaller message takes at most as long as the smallest measured one.
    found.n_half = half * points.front().y / 8;
    found.n_half_at_most = true;
    return;
  }
  for (std::size_t i = 1; i < points.size(); ++i) {
    const Point& a = points[i - 1];
    const Point& b = points[i];
    if (rate(b) < half) continue;
    const double slope = (b.y - a.y) / (b.x - a.x);  // 8 x = half (a.y + slope (x - a.x))
    found.n_half = half * (a.y - slope * a.x) / (8 - half * slope);
    return;
  }
  found.n_half = std::numeric_limits<double>::infinity();
}

/// The median of the round trip of so many octets over the same network, best at the placement of the streams.
std::optional<double> round_trip(const std::vector<Result>& results, const Case& stream, const std::string& payload) {
  std::optional<double> found;
  for (const Result& result : results) {
    if (result.metric != "latency_p50" || value_of(result.of, "payload", "0") != payload) continue;
    if (value_of(result.of, "loop", "closed") != "closed") continue;
    const auto agrees = [&](const char* key) { return value_of(result.of, key) == value_of(stream, key); };
    if (!agrees("orb") || !agrees("protocol") || !agrees("transport") || !agrees("network")) continue;
    if (!found || value_of(result.of, "placement") == value_of(stream, "placement", "two cpus")) {
      found = result.value.median;
    }
  }
  return found;
}

/// As the report has it: of sockets the round trip of 8 octets over UDP, where that was measured; of ORBs, and of
/// sockets otherwise, a void call over what the stream went over.
std::optional<double> start_up(const std::vector<Result>& results, Case stream) {
  const std::optional<double> call = round_trip(results, stream, "0");
  const std::string orb = value_of(stream, "orb");
  const std::string transport = value_of(stream, "transport");
  if ((orb != "raw" && orb != "wrappers") || (transport != "tcp" && transport != "udp")) return call;
  stream["transport"] = "udp";
  const std::optional<double> trip = round_trip(results, stream, "8");
  return trip ? trip : call;
}

}  // namespace

std::vector<NetworkParameters> network_parameters(const std::vector<Result>& results, std::vector<Case>* unfit) {
  std::vector<Case> order;
  std::map<Case, std::map<double, double>> streams;  // by case: octets -> microseconds
  for (const Result& result : results) {
    if (result.metric != "throughput" || !result.of.contains("buffer") || result.value.median <= 0) continue;
    const double octets = std::strtod(result.of.at("buffer").c_str(), nullptr);
    if (octets < kSmallest) continue;
    const Case of = without(result.of, {"buffer", "control"});
    if (!streams.contains(of)) order.push_back(of);
    streams[of][octets] = octets * 8 / result.value.median;
  }
  std::vector<NetworkParameters> rows;
  for (const Case& of : order) {
    std::vector<Point> points;
    for (const auto& [octets, time] : streams[of]) points.push_back({octets, time});
    if (points.size() < 3) continue;
    NetworkParameters row;
    row.of = of;
    row.line = fit_line(points);
    if (row.line.b1 <= 0) {
      if (unfit != nullptr) unfit->push_back(of);
      continue;
    }
    row.r_max = 8 / row.line.b1;
    row.r_max_range.low = 8 / row.line.b1_range.high;
    row.r_max_range.high =
        row.line.b1_range.low > 0 ? 8 / row.line.b1_range.low : std::numeric_limits<double>::infinity();
    find_half(points, row.r_max / 2, row);
    row.t_0 = start_up(results, of);
    row.smallest = points.front().x;
    row.largest = points.back().x;
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace bench
