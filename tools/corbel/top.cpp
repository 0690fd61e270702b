// SPDX-License-Identifier: Apache-2.0
// corbel top: what running processes do.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "command.hpp"
#include "corbel/base/log.hpp"
#include "exposition.hpp"

namespace corbel::tool {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

struct TopArguments {
  std::vector<std::string> addresses;
  double interval = 1;
  long rounds = 0;
  std::size_t most = 30;
  std::string side;
  bool json = false;
};

/// One process, asked again and again.
struct Process {
  std::string address;
  std::optional<Figures> now = {};
  std::optional<Figures> before = {};
  std::string problem = {};
};

struct Row {
  const std::string* address;
  std::string side, operation;
  Figures::Operation interval;
  std::uint64_t total = 0;
};

class Top {
 public:
  explicit Top(const TopArguments& arguments) : arguments_(arguments) {
    for (const auto& address : arguments.addresses) processes_.push_back({address});
  }

  int run() {
    auto next = Clock::now();
    auto last = next;
    const auto interval =
        std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(arguments_.interval));
    ask();
    for (long round = 1;; ++round) {
      next += interval;
      std::this_thread::sleep_until(next);
      ask();
      const auto now = Clock::now();
      const double seconds = std::max(1e-3, std::chrono::duration<double>(now - last).count());
      last = now;
      arguments_.json ? print_json(seconds) : print(seconds);
      if (round == arguments_.rounds || !output_written()) break;  // the latter is said at the end
    }
    const bool any =
        std::any_of(processes_.begin(), processes_.end(), [](const Process& one) { return one.now.has_value(); });
    return any ? kDone : kNoAnswer;
  }

 private:
  void ask() {
    for (Process& process : processes_) {
      process.before = std::move(process.now);
      process.now.reset();
      process.problem.clear();
      try {
        process.now = read_figures(fetch_metrics(process.address, std::chrono::milliseconds(2000)));
      } catch (const std::exception& failure) {
        process.problem = failure.what();
      }
      if (process.now && process.before && process.now->start != process.before->start) process.before = Figures();
    }
  }

  /// What was called most comes first.
  std::vector<Row> rows() const {
    std::vector<Row> all;
    for (const Process& process : processes_) {
      if (!process.now || !process.before) continue;
      for (const auto& [key, figures] : process.now->operations) {
        if (!arguments_.side.empty() && key.first != arguments_.side) continue;
        const auto before = process.before->operations.find(key);
        const auto interval =
            difference(figures, before == process.before->operations.end() ? nullptr : &before->second);
        all.push_back({&process.address, key.first, key.second, interval, figures.calls()});
      }
    }
    std::stable_sort(all.begin(), all.end(), [](const Row& a, const Row& b) {
      return std::pair(a.interval.calls(), a.total) > std::pair(b.interval.calls(), b.total);
    });
    if (all.size() > arguments_.most) all.resize(arguments_.most);
    return all;
  }

  void print(double seconds) const {
    if (::isatty(STDOUT_FILENO) != 0) std::printf("\033[H\033[2J");
    for (const Process& process : processes_) {
      if (!process.now) {
        std::printf("%s: %s\n", process.address.c_str(), base::printable(process.problem).c_str());
        continue;
      }
      std::uint64_t under_way = 0;
      for (const auto& [side, count] : process.now->in_flight) under_way += count;
      const double up = std::max(0.0, static_cast<double>(std::time(nullptr)) - process.now->start);
      std::printf("%s: up %.0f s, %llu connections, %llu calls under way, %.1f MiB\n", process.address.c_str(), up,
                  static_cast<unsigned long long>(process.now->connections), static_cast<unsigned long long>(under_way),
                  static_cast<double>(process.now->resident) / (1 << 20));
    }
    std::printf("\n%-22s %-7s %-28s %10s %9s %10s %10s %10s %12s\n", "PROCESS", "SIDE", "OPERATION", "CALLS/S",
                "ERRORS/S", "MEAN us", "P50 us", "P99 us", "CALLS");
    for (const Row& row : rows()) {
      const auto calls = static_cast<double>(row.interval.calls());
      std::printf("%-22.22s %-7.7s %-28.28s %10.1f %9.1f %10.0f %10.0f %10.0f %12llu\n", row.address->c_str(),
                  base::printable(row.side).c_str(), base::printable(row.operation).c_str(), calls / seconds,
                  static_cast<double>(row.interval.errors) / seconds,
                  calls > 0 ? row.interval.seconds / calls * 1e6 : 0, quantile(row.interval, 0.5) * 1e6,
                  quantile(row.interval, 0.99) * 1e6, static_cast<unsigned long long>(row.total));
    }
    std::fflush(stdout);
  }

  void print_json(double seconds) const {
    Json json{{"seconds", seconds}, {"processes", Json::array()}, {"operations", Json::array()}};
    for (const Process& process : processes_) {
      Json one{{"address", process.address}};
      if (!process.now) {
        one["problem"] = process.problem;
      } else {
        one["connections"] = process.now->connections;
        one["in_flight"] = process.now->in_flight;
        one["resident"] = process.now->resident;
        one["start"] = process.now->start;
      }
      json["processes"].push_back(std::move(one));
    }
    for (const Row& row : rows()) {
      const auto calls = static_cast<double>(row.interval.calls());
      json["operations"].push_back({{"address", *row.address},
                                    {"side", row.side},
                                    {"operation", row.operation},
                                    {"calls", row.interval.calls()},
                                    {"errors", row.interval.errors},
                                    {"mean_us", calls > 0 ? row.interval.seconds / calls * 1e6 : 0},
                                    {"p50_us", quantile(row.interval, 0.5) * 1e6},
                                    {"p99_us", quantile(row.interval, 0.99) * 1e6},
                                    {"total", row.total}});
    }
    std::cout << json.dump(-1, ' ', false, Json::error_handler_t::replace) << std::endl;
  }

  const TopArguments& arguments_;
  std::vector<Process> processes_;
};

}  // namespace

void add_top(CLI::App& app, Run& run) {
  const auto arguments = std::make_shared<TopArguments>();
  CLI::App* const command =
      app.add_subcommand("top", "Show what running processes do: calls, errors, times, connections");
  command
      ->add_option("ADDRESS", arguments->addresses,
                   "HOST:PORT at which a process serves metrics (Corbel::metrics, corbel-named --metrics)")
      ->required();
  check_range(command->add_option("-i,--interval", arguments->interval, "Seconds"), 0.05, 3600.0)
      ->capture_default_str();
  command->add_option("-n,--rounds", arguments->rounds, "End after so many")
      ->check(CLI::Range(1L, 1'000'000'000L))
      ->type_name("N");
  command->add_option("--rows", arguments->most, "Operations, at most")->capture_default_str();
  command->add_option("--side", arguments->side, "server or client alone")->check(CLI::IsMember({"server", "client"}));
  command->add_flag("--json", arguments->json, "Print one JSON object a line");
  command->footer("Quantiles are as fine as the histogram's buckets. Example: corbel top localhost:9464 plant:9464");
  command->callback([arguments, &run] { run = [arguments] { return Top(*arguments).run(); }; });
}

}  // namespace corbel::tool
