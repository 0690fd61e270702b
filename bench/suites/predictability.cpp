// SPDX-License-Identifier: Apache-2.0
// Suite predictability: a client of high priority calls at fixed times while more and more of low priority saturate the
// server, whose threads are all in one pool, or one of them in a lane for what is urgent (the figure of TAO's papers on
// real-time ORBs).
#include <iostream>
#include <sstream>
#include <stdexcept>

#include "common/child.hpp"
#include "common/progress.hpp"
#include "common/table.hpp"
#include "suites/mechanism.hpp"
#include "suites/suite.hpp"

namespace bench {
namespace {

constexpr const char* kSuite = "predictability";
constexpr int kClients[] = {0, 1, 5, 10, 25, 50};
constexpr std::chrono::seconds kPatience(120);
constexpr std::chrono::seconds kToEnd(10);

struct Metric {
  const char* name;
  const char* unit;
};
constexpr Metric kOfHigh[] = {{"latency_p50", "us"}, {"latency_p99", "us"}, {"latency_max", "us"}, {"jitter", "us"}};
constexpr Metric kOfLow = {"low_calls", "1/s"};

std::vector<double> numbers_in(const std::string& line, std::size_t count) {
  std::istringstream words(line);
  std::vector<double> numbers(count);
  for (double& one : numbers) words >> one;
  if (!words) throw std::runtime_error("corbel-bench-predictability said '" + line + "'");
  return numbers;
}

/// A server with its clients, of both kinds.
class Stage {
 public:
  Stage(const std::string& threads, const std::string& scheduling)
      : server_({program(), "server", threads, scheduling}, kOptions),
        high_(server_.read_line(kPatience)),
        low_(server_.read_line(kPatience)),
        load_({program(), "load", low_}, kOptions),
        measure_({program(), "measure", high_, scheduling}, kOptions) {}
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;
  ~Stage() {
    for (Child* const each : {&measure_, &load_, &server_}) each->end(kToEnd);
  }

  /// The metrics of both kinds, in order.
  std::vector<double> run(int clients, const std::string& calls) {
    load_.write_line(std::to_string(clients));
    (void)load_.read_line(kPatience);
    measure_.write_line(calls);
    std::vector<double> metrics = numbers_in(measure_.read_line(kPatience), std::size(kOfHigh));
    for (double& one : metrics) one /= 1000;
    load_.write_line("0");
    const std::vector<double> low = numbers_in(load_.read_line(kPatience), 2);
    metrics.push_back(low[1] > 0 ? low[0] / low[1] : 0);
    return metrics;
  }

  static std::string program() { return beside("corbel-bench-predictability"); }

 private:
  static inline const ChildOptions kOptions{.ends_with_input = true};
  Child server_;
  const std::string high_;
  const std::string low_;
  Child load_;
  Child measure_;
};

struct Row {
  Case of;
  std::vector<std::vector<double>> samples;  ///< by metric
};

void print(const std::vector<Row>& rows, const std::string& note) {
  Table table({"server's threads", "low clients", "p50 us", "p99", "max", "jitter", "low calls/s"}, 2);
  std::string last;
  for (const Row& row : rows) {
    if (!last.empty() && row.of.at("scheme") != last) table.add_rule();
    last = row.of.at("scheme");
    std::vector<std::string> cells{last, row.of.at("clients")};
    for (const auto& samples : row.samples) cells.push_back(number(summarise(samples).median, 0));
    table.add(cells);
  }
  std::cout << "\nTwo-way calls of a client of high priority, one each millisecond, while others of low priority "
               "saturate the server.\nJitter is the standard deviation. "
            << note << "\n\n";
  table.print(std::cout);
}

}  // namespace

int run_predictability(const Settings& settings, Report& report) {
  announce_duration(settings, 300);
  const std::string said = output_of({Stage::program(), "scheduling"}, kPatience);
  const bool permitted = said.starts_with("SCHED_FIFO");
  if (!permitted && !said.starts_with("SCHED_OTHER")) throw std::runtime_error(Stage::program() + " does not run");
  const std::string scheduling = permitted ? "SCHED_FIFO" : "SCHED_OTHER";
  const std::string calls = settings.choose("2000 10000", "500 2500", "200 1000");  // and milliseconds
  const int repetitions = settings.repetitions(5, 2);
  std::vector<Row> rows;
  Progress progress(2 * std::size(kClients) * static_cast<std::size_t>(repetitions));
  const auto measure = [&] {
    Stage one("one", scheduling);
    Stage lanes("lanes", scheduling);
    const std::pair<const char*, Stage*> schemes[] = {{"one pool", &one}, {"lanes", &lanes}};
    for (const auto& [scheme, stage] : schemes) {
      for (const int clients : kClients) {
        rows.push_back({{{"scheme", scheme}, {"clients", std::to_string(clients)}, {"scheduling", scheduling}},
                        std::vector<std::vector<double>>(std::size(kOfHigh) + 1)});
      }
    }
    for (int repetition = 0; repetition < repetitions; ++repetition) {
      std::size_t row = 0;
      for (const auto& [scheme, stage] : schemes) {
        for (const int clients : kClients) {
          progress.step(std::string(scheme) + ", " + std::to_string(clients) + " low clients");
          const std::vector<double> metrics = stage->run(clients, calls);
          for (std::size_t i = 0; i < metrics.size(); ++i) rows[row].samples[i].push_back(metrics[i]);
          ++row;
        }
      }
    }
  };
  measure_and_keep(measure, [&] {
    progress.finish();
    std::erase_if(rows, [](const Row& row) { return row.samples.front().empty(); });
    for (const Row& row : rows) {
      for (std::size_t i = 0; i < row.samples.size(); ++i) {
        const Metric& metric = i < std::size(kOfHigh) ? kOfHigh[i] : kOfLow;
        report.results.push_back({kSuite, row.of, metric.name, metric.unit, summarise(row.samples[i])});
      }
    }
    print(rows, permitted
                    ? "What is urgent runs with SCHED_FIFO."
                    : "NOTE: no SCHED_FIFO, so the system takes all for equal: " + said.substr(0, said.find('\n')));
  });
  return 0;
}

}  // namespace bench
