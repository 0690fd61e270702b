// SPDX-License-Identifier: Apache-2.0
#include "whitebox/profile.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>

#include "common/statistics.hpp"

namespace bench {
namespace {

struct Event {
  double microseconds;
  std::string layer;
};
using Thread = std::vector<Event>;

std::vector<Thread> read_threads(const std::string& path) {
  std::ifstream file(path);
  std::vector<Thread> threads;
  double ticks_per_microsecond = 1;
  for (std::string line; std::getline(file, line);) {
    const std::size_t blank = line.find(' ');
    if (line == "thread") {
      threads.emplace_back();
    } else if (line.starts_with("ticks_per_second ")) {
      ticks_per_microsecond = std::strtod(line.c_str() + blank, nullptr) / 1e6;
    } else if (blank != std::string::npos && !threads.empty()) {
      const double ticks = static_cast<double>(std::strtoull(line.c_str(), nullptr, 10));
      threads.back().push_back({ticks / ticks_per_microsecond, line.substr(blank + 1)});
    }
  }
  return threads;
}

/// Layers in the order of a call, each with what every call spent there.
struct Samples {
  std::vector<std::string> order;
  std::map<std::string, std::vector<double>> by_layer;
};

Samples cut_into_calls(const Thread& events, const std::string& first, double probe_cost) {
  Samples samples;
  std::map<std::string, double> call;
  std::vector<std::string> order;
  bool inside = false;
  for (std::size_t i = events.size() / 4; i + 1 < events.size(); ++i) {
    const std::string& layer = events[i].layer;
    if (layer == first) {
      for (const std::string& name : order) samples.by_layer[name].push_back(call[name]);
      if (order.size() > samples.order.size()) samples.order = order;
      call.clear();
      order.clear();
      inside = true;
    }
    if (!inside) continue;
    if (!call.contains(layer)) order.push_back(layer);
    call[layer] += std::max(0.0, events[i + 1].microseconds - events[i].microseconds - probe_cost);
  }
  return samples;
}

}  // namespace

std::vector<LayerTime> read_profile(const std::string& path, const std::string& first, double probe_cost) {
  const std::vector<Thread> threads = read_threads(path);
  const auto entries = [&](const Thread& thread) {
    return std::count_if(thread.begin(), thread.end(), [&](const Event& event) { return event.layer == first; });
  };
  const auto busiest = std::max_element(threads.begin(), threads.end(),
                                        [&](const Thread& a, const Thread& b) { return entries(a) < entries(b); });
  std::vector<LayerTime> times;
  if (busiest == threads.end()) return times;
  const Samples samples = cut_into_calls(*busiest, first, probe_cost);
  for (const std::string& layer : samples.order) {
    times.push_back({layer, summarise(samples.by_layer.at(layer)).median});
  }
  return times;
}

double probe_cost(const std::string& path) {
  std::vector<double> distances;
  for (const Thread& thread : read_threads(path)) {
    for (std::size_t i = 1; i < thread.size(); ++i) {
      if (thread[i].layer != "calibration" || thread[i - 1].layer != "calibration") continue;
      distances.push_back(thread[i].microseconds - thread[i - 1].microseconds);
    }
  }
  return distances.empty() ? 0 : summarise(std::move(distances)).median;
}

}  // namespace bench
