// SPDX-License-Identifier: Apache-2.0
// Suite ttcp: user data streamed in buffers of various sizes through oneway calls, up to a last two-way call that
// returns when all has arrived. The raw sockets send the same octets.
#include <algorithm>
#include <cmath>
#include <iostream>

#include "common/cpus.hpp"
#include "common/progress.hpp"
#include "common/table.hpp"
#include "common/temporary.hpp"
#include "suites/mechanism.hpp"
#include "suites/suite.hpp"

namespace bench {
namespace {

constexpr double kMostOctets = 512.0 * 1024 * 1024;

class Run {
 public:
  Run(const Settings& settings, Report& report)
      : settings_(settings), report_(report), mechanisms_(find_mechanisms(report.machine, !settings.quick)) {}

  void run() {
    Progress progress(4 * buffers().size() * repetitions() * mechanisms_.size());
    for (const char* const transport : {"tcp", "unix"}) measure_transport(transport, progress);
  }

  void print() const {
    std::vector<std::string> heads{"transport", "type", "buffer", "raw Mbit/s"};
    for (std::size_t i = 1; i < mechanisms_.size(); ++i) {
      heads.push_back(mechanisms_[i].label());
      heads.emplace_back("/ raw");
    }
    Table table(heads, 2);
    for (std::size_t i = 0; i < report_.results.size(); i += mechanisms_.size()) {
      const Result* const row = &report_.results[i];
      if (i > 0 && row->of.at("type") != row[-1].of.at("type")) table.add_rule();
      std::vector<std::string> cells{row->of.at("transport"), row->of.at("type"), row->of.at("buffer")};
      for (std::size_t k = 0; k < mechanisms_.size(); ++k) {
        cells.push_back(number(row[k].value.median));
        if (row[k].control) cells.push_back(number(row[k].value.median / *row[k].control, 2));
      }
      table.add(cells);
    }
    std::cout << "\nStreaming user data, Mbit/s, medians of " << repetitions() << " interleaved repetitions, "
              << (allowed_cpus().size() > 1 ? "client and server each on a processor of their own"
                                            : "client and server on one processor")
              << "\n\n";
    table.print(std::cout);
  }

 private:
  std::size_t repetitions() const { return static_cast<std::size_t>(settings_.repetitions(7, 5)); }

  std::vector<int> buffers() const {
    if (settings_.quick) return {8192, 32768, 131072};
    return {1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072};
  }

  void measure_transport(const std::string& transport, Progress& progress) {
    const TemporaryFolder folder;
    const std::vector<int> cpus = allowed_cpus();
    Placement placement;
    placement.client.cpu = cpus.front();
    placement.server.cpu = cpus.back();
    std::vector<Pair> pairs;
    for (const Mechanism& mechanism : mechanisms_) {
      pairs.emplace_back(mechanism, transport, folder.path() + "/socket" + std::to_string(pairs.size()), placement);
    }
    for (const char* const type : {"octet", "struct"}) {
      for (const int buffer : buffers()) measure(pairs, transport, type, buffer, progress);
    }
    for (Pair& pair : pairs) pair.end();
  }

  /// How many buffers take the raw sockets about `seconds`.
  static long suitable_count(Pair& raw, const std::string& stream, double seconds) {
    raw.command(stream + "1000");
    const std::vector<double> trial = raw.command(stream + "2000");
    const double octets = std::min(trial.at(1) / trial.at(0) * 1e9 * seconds, kMostOctets);
    return std::max(20L, std::lround(octets / (trial.at(1) / 2000)));
  }

  void measure(std::vector<Pair>& pairs, const std::string& transport, const std::string& type, int buffer,
               Progress& progress) {
    const std::string stream = "stream " + type + " " + std::to_string(buffer) + " ";
    const long count = suitable_count(pairs[0], stream, settings_.quick ? 0.05 : 0.12);
    for (Pair& pair : pairs) pair.command(stream + std::to_string(std::max(10L, count / 10)));
    std::vector<std::vector<double>> samples(pairs.size());
    for (std::size_t repetition = 0; repetition < repetitions(); ++repetition) {
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        progress.step(mechanisms_[i].label() + " over " + transport + ", " + type + " in buffers of " +
                      std::to_string(buffer));
        const std::vector<double> answer = pairs[i].command(stream + std::to_string(count));
        samples[i].push_back(answer.at(1) * 8000 / answer.at(0));  // octets per ns -> Mbit/s
      }
    }
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      Result result{"ttcp", mechanisms_[i].case_on(transport), "throughput", "Mbit/s", summarise(samples[i])};
      result.of["type"] = type == "octet" ? "octet" : "BinStruct";
      result.of["buffer"] = std::to_string(buffer);
      if (i > 0) {
        result.of["control"] = "raw";
        result.control = summarise(samples[0]).median;
      }
      report_.results.push_back(std::move(result));
    }
  }

  const Settings& settings_;
  Report& report_;
  std::vector<Mechanism> mechanisms_;
};

}  // namespace

int run_ttcp(const Settings& settings, Report& report) {
  Run run(settings, report);
  run.run();
  run.print();
  return 0;
}

}  // namespace bench
