// SPDX-License-Identifier: Apache-2.0
// What the demonstration says about its figures.
#include <iostream>

#include "common/table.hpp"
#include "demo/demonstration.hpp"

namespace demo {
namespace {

using Samples = std::vector<double> Achieved::*;

struct Metric {
  const char* name;
  const char* unit;
  Samples samples;
};
constexpr Metric kMetrics[] = {{"upload_throughput", "MiB/s", &Achieved::upload},
                               {"download_throughput", "MiB/s", &Achieved::download},
                               {"latency_p50", "us", &Achieved::ping_p50},
                               {"latency_p99", "us", &Achieved::ping_p99}};

bool is_control(const std::vector<Achieved>& achieved, const Achieved& one) {
  return &achieved[one.control] == &one;
}
bool is_plain(const Achieved& one) {
  return one.protocol == kBlocks || one.protocol == kStream;
}

}  // namespace

void print_table(const std::vector<Achieved>& achieved) {
  bench::Table table({"protocol", "transport", "upload MiB/s", "x C", "download MiB/s", "x C", "call p50 us", "x C",
                      "p99 us", "x C", "SHA-256"},
                     2);
  for (const Achieved& one : achieved) {
    const bool control = is_control(achieved, one);
    if (one.protocol == kStream && &one != &achieved.front()) table.add_rule();
    std::vector<std::string> cells{one.protocol, one.transport};
    for (const Metric& metric : kMetrics) {
      const double value = bench::summarise(one.*metric.samples).median;
      const double base = bench::summarise(achieved[one.control].*metric.samples).median;
      cells.push_back(bench::number(value, metric.unit[0] == 'u' ? 1 : 0));
      cells.push_back(control ? "" : bench::number(value / base, 2));
    }
    cells.emplace_back(one.failures == 0 ? "equal" : "DIFFERENT");
    table.add(cells);
  }
  table.print(std::cout);
}

std::vector<bench::Result> results_of(const std::vector<Achieved>& achieved) {
  std::vector<bench::Result> results;
  for (const Achieved& one : achieved) {
    const bool control = is_control(achieved, one);
    bench::Case of{{"orb", is_plain(one) ? "raw" : "corbel"}, {"protocol", one.protocol}, {"transport", one.transport}};
    if (!control) of["control"] = achieved[one.control].protocol + " over " + achieved[one.control].transport;
    for (const Metric& metric : kMetrics) {
      bench::Result result{"demo", of, metric.name, metric.unit, bench::summarise(one.*metric.samples)};
      if (!control) result.control = bench::summarise(achieved[one.control].*metric.samples).median;
      results.push_back(std::move(result));
    }
  }
  return results;
}

}  // namespace demo
