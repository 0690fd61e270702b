// SPDX-License-Identifier: Apache-2.0
// Suite latency: percentiles of the two-way void call, both processes on one processor and on two.
#include <iostream>

#include "common/cpus.hpp"
#include "common/progress.hpp"
#include "common/table.hpp"
#include "common/temporary.hpp"
#include "suites/mechanism.hpp"
#include "suites/suite.hpp"

namespace bench {
namespace {

constexpr const char* kMetrics[] = {"latency_p50", "latency_p99", "latency_p999"};

struct Spot {
  std::string name;  ///< the `placement` of a case
  int client;
  int server;
};

std::vector<Spot> spots() {
  const std::vector<int> cpus = allowed_cpus();
  std::vector<Spot> spots{{"one cpu", cpus[0], cpus[0]}};
  if (cpus.size() > 1) spots.push_back({"two cpus", cpus[0], cpus[1]});
  return spots;
}

class Run {
 public:
  Run(const Settings& settings, Report& report)
      : settings_(settings), report_(report), mechanisms_(find_mechanisms(report.machine)) {}

  void run() {
    const auto places = spots();
    const int repetitions = settings_.repetitions(9, 5);
    Progress progress(2 * places.size() * static_cast<std::size_t>(repetitions) * mechanisms_.size());
    for (const char* const transport : {"tcp", "unix"}) {
      for (const Spot& spot : places) measure(transport, spot, repetitions, progress);
    }
  }

  void print() const {
    std::vector<std::string> heads{"transport", "placement", "mechanism", "p50 us",
                                   "p99 us",    "p99.9 us",  "p50 / raw", "p99 / raw"};
    Table table(heads, 3);
    std::string last;
    for (std::size_t i = 0; i < report_.results.size(); i += 3) {
      const Result* const r = &report_.results[i];
      const std::string group = r->of.at("transport") + r->of.at("placement");
      if (!last.empty() && group != last) table.add_rule();
      last = group;
      const auto ratio = [](const Result& one) {
        return one.control ? number(one.value.median / *one.control, 2) : "";
      };
      const std::string& protocol = r->of.at("protocol");
      table.add({r->of.at("transport"), r->of.at("placement"),
                 r->of.at("orb") + (protocol == "giop_lite" ? " giop_lite" : ""), number(r[0].value.median, 1),
                 number(r[1].value.median, 1), number(r[2].value.median, 1), ratio(r[0]), ratio(r[1])});
    }
    std::cout << "\nTwo-way void call, medians of " << settings_.repetitions(9, 5) << " interleaved repetitions\n\n";
    table.print(std::cout);
  }

 private:
  void measure(const std::string& transport, const Spot& spot, int repetitions, Progress& progress) {
    const TemporaryFolder folder;
    const std::string count = settings_.quick ? "2000" : "10000";
    Placement placement;
    placement.client.cpu = spot.client;
    placement.server.cpu = spot.server;
    std::vector<Pair> pairs;
    for (const Mechanism& mechanism : mechanisms_) {
      pairs.emplace_back(mechanism, transport, folder.path() + "/socket" + std::to_string(pairs.size()), placement);
      pairs.back().command("ping " + count);
    }
    std::vector<std::vector<std::vector<double>>> samples(pairs.size(), std::vector<std::vector<double>>(3));
    for (int repetition = 0; repetition < repetitions; ++repetition) {
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        progress.step(mechanisms_[i].label() + " over " + transport + ", " + spot.name);
        pairs[i].command("ping 200");
        const std::vector<double> nanoseconds = pairs[i].command("latency " + count);
        for (std::size_t k = 0; k < 3; ++k) samples[i][k].push_back(nanoseconds.at(k) / 1000);
      }
    }
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      for (std::size_t k = 0; k < 3; ++k) add(mechanisms_[i], transport, spot, k, samples[i][k], samples[0][k]);
    }
    for (Pair& pair : pairs) pair.end();
  }

  void add(const Mechanism& mechanism, const std::string& transport, const Spot& spot, std::size_t metric,
           const std::vector<double>& samples, const std::vector<double>& control) {
    Result result{"latency", mechanism.case_on(transport), kMetrics[metric], "us", summarise(samples)};
    result.of["placement"] = spot.name;
    if (&samples != &control) {
      result.of["control"] = "raw";
      result.control = summarise(control).median;
    }
    report_.results.push_back(std::move(result));
  }

  const Settings& settings_;
  Report& report_;
  std::vector<Mechanism> mechanisms_;
};

}  // namespace

int run_latency(const Settings& settings, Report& report) {
  Run run(settings, report);
  run.run();
  run.print();
  return 0;
}

}  // namespace bench
