// SPDX-License-Identifier: Apache-2.0
// Suite servers: what whole servers with a hundred operations spend to find one (tables 4 to 10 of the SIGCOMM paper of
// 1996): linear search, hashing and direct index, omniORB and RPC beside, and adapters nested deeper and deeper.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>

#include "common/progress.hpp"
#include "common/table.hpp"
#include "common/temporary.hpp"
#include "report/published.hpp"
#include "report/reader.hpp"
#include "suites/counting.hpp"
#include "suites/profile_shares.hpp"
#include "suites/steps.hpp"
#include "suites/suite.hpp"

namespace bench {
namespace {

constexpr const char* kTransport = "tcp";
constexpr const char* kUsual = "Corbel, hashing";
constexpr int kRound = 100;  ///< calls of one of the paper's iterations

struct Contestant {
  const char* program;
  const char* scheme;
  const char* orb;  ///< what --only names
};
constexpr Contestant kContestants[] = {{"hundred-linear", "Corbel, linear search", "corbel"},
                                       {"hundred-hashed", "Corbel, hashing", "corbel"},
                                       {"hundred-indexed", "Corbel, direct index", "corbel"},
                                       {"hundred-omniorb", "omniORB", "omniORB"},
                                       {"hundred-rpc", "RPC, switch", "ONC-RPC"}};

struct Subject {
  Mechanism mechanism;
  std::string scheme;
};

class Run {
 public:
  Run(const Settings& settings, Report& report)
      : settings_(settings), report_(report), valgrind_(program_exists("valgrind")) {
    for (const Contestant& one : kContestants) {
      const bool wanted = settings.only.empty() ||
                          std::any_of(settings.only.begin(), settings.only.end(),
                                      [&](const std::string& name) { return std::string(one.orb).starts_with(name); });
      const std::vector<Mechanism> found = wanted ? find_peer(one.program) : std::vector<Mechanism>();
      if (!found.empty()) subjects_.push_back({found.front(), one.scheme});
    }
  }

  void measure() {
    const std::vector<std::string> orders =
        settings_.quick ? std::vector<std::string>{"last"} : std::vector<std::string>{"first", "last", "each"};
    const std::size_t counted = valgrind_ ? subjects_.size() * (orders.size() + 1) + depths().size() * 2 : 0;
    const auto repetitions = static_cast<std::size_t>(settings_.repetitions(3, 1));
    announce_duration(settings_, 6.0 * static_cast<double>(counted) + 150);
    Progress progress(counted + 2 * repetitions * iterations().size());
    for (const Subject& subject : subjects_) {
      if (!valgrind_) break;
      for (const std::string& order : orders) count(subject, order, "twoway", progress);
      if (!settings_.quick || subject.scheme == kUsual) count(subject, "last", "oneway", progress);
    }
    for (const Subject& subject : subjects_) {
      if (!valgrind_ || (subject.scheme != kUsual && (settings_.quick || subject.scheme != "omniORB"))) continue;
      for (const int depth : depths()) count_depth(subject, depth, progress);
    }
    for (const char* const mode : {"twoway", "oneway"}) {
      for (const int rounds : iterations()) time_rounds(mode, rounds, repetitions, progress);
    }
    progress.finish();
  }

  void print() const {
    print_steps();
    print_depths();
    print_times();
    print_gains();
    if (!valgrind_) std::cout << "No instructions: valgrind is not installed.\n";
  }

 private:
  std::vector<int> depths() const {
    return settings_.quick ? std::vector<int>{4} : std::vector<int>{1, 2, 4, 8, 16, 32, 64};
  }
  std::vector<int> iterations() const {
    return settings_.quick ? std::vector<int>{1, 10} : std::vector<int>{1, 100, 500, 1000};
  }

  Workload workload(const std::string& order, const std::string& mode) const {
    Workload calls;
    calls.command = "operation " + order + " " + mode;
    calls.few = kRound;
    calls.many = kRound * (settings_.quick ? 4 : 11);
    calls.server_environment = kPatientServer;
    return calls;
  }

  void add(Case of, const char* metric, const char* unit, const std::vector<double>& samples) {
    report_.results.push_back({"servers", std::move(of), metric, unit, summarise(samples)});
  }

  void count(const Subject& subject, const std::string& order, const std::string& mode, Progress& progress) {
    progress.step(subject.scheme + ", " + order + ", " + mode);
    survives(subject.mechanism, [&] {
      const Case of{{"scheme", subject.scheme}, {"order", order}, {"mode", mode}};
      const auto sides = count_instructions(subject.mechanism, kTransport, workload(order, mode));
      add_steps(of, sides.at(1));
    });
  }

  void add_steps(const Case& of, const Costs& functions) {
    std::map<std::string, double> steps;
    for (const auto& [name, cost] : functions) steps[step_of(short_function(name))] += cost;
    for (const std::string& step : kSteps) {
      Case part = of;
      part["step"] = step;
      add(part, "instructions", "instructions", {steps[step]});
    }
    add(of, "instructions_per_call", "instructions", {sum(functions)});
  }

  void count_depth(const Subject& subject, int depth, Progress& progress) {
    progress.step(subject.scheme + ", adapters " + std::to_string(depth) + " deep");
    survives(subject.mechanism, [&] {
      Workload calls = workload("last", "twoway");
      calls.server_environment.push_back("CORBEL_BENCH_DEPTH=" + std::to_string(depth));
      const auto sides = count_instructions(subject.mechanism, kTransport, calls);
      const Case of{{"scheme", subject.scheme}, {"depth", std::to_string(depth)}};
      add(of, "instructions_by_depth", "instructions", {sum(sides.at(1))});
    });
  }

  /// All in turns, so that they meet the same machine.
  void time_rounds(const std::string& mode, int rounds, std::size_t repetitions, Progress& progress) {
    const TemporaryFolder folder;
    std::vector<std::unique_ptr<Pair>> pairs;
    std::vector<std::vector<double>> samples(subjects_.size());
    for (const Subject& subject : subjects_) {
      pairs.push_back(std::make_unique<Pair>(subject.mechanism, kTransport, folder.path() + "/socket"));
      pairs.back()->command("operation last " + mode + " " + std::to_string(kRound));
    }
    const std::string command = "operation last " + mode + " " + std::to_string(rounds * kRound);
    for (std::size_t repetition = 0; repetition < repetitions; ++repetition) {
      progress.step(std::to_string(rounds) + " times 100 calls, " + mode);
      for (std::size_t i = 0; i < pairs.size(); ++i) samples[i].push_back(pairs[i]->command(command).at(0) / 1e6);
    }
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      pairs[i]->end();
      add({{"scheme", subjects_[i].scheme}, {"mode", mode}, {"iterations", std::to_string(rounds)}}, "time", "ms",
          samples[i]);
    }
  }

  double value(const char* metric, const Case& of) const { return value_in(of, metric); }
  double value_in(const Case& of, const std::string& metric) const {
    for (const Result& result : report_.results) {
      if (result.metric == metric && result.of == of) return result.value.median;
    }
    return NAN;
  }

  void print_steps() const {
    std::vector<std::string> heads{"server", "order", "mode"};
    heads.insert(heads.end(), kSteps.begin(), kSteps.end());
    heads.emplace_back("all");
    Table table(heads, 3);
    bool any = false;
    for (const Result& result : report_.results) {
      if (result.metric != "instructions_per_call") continue;
      any = true;
      std::vector<std::string> cells{result.of.at("scheme"), result.of.at("order"), result.of.at("mode")};
      for (const std::string& step : kSteps) {
        Case part = result.of;
        part["step"] = step;
        cells.push_back(number(value("instructions", part), 0));
      }
      cells.push_back(number(result.value.median, 0));
      table.add(cells);
    }
    if (!any) return;
    std::cout << "\nInstructions of the server for a call to one of 100 operations, by step, over tcp. System: the C "
                 "library and what has no name\n\n";
    table.print(std::cout);
  }

  void print_depths() const {
    std::vector<std::string> heads{"server"};
    for (const int depth : depths()) heads.push_back(std::to_string(depth));
    Table table(heads, 1);
    bool any = false;
    for (const Subject& subject : subjects_) {
      std::vector<std::string> cells{subject.scheme};
      for (const int depth : depths()) {
        const double found =
            value("instructions_by_depth", {{"scheme", subject.scheme}, {"depth", std::to_string(depth)}});
        cells.push_back(number(found, 0));
        any = any || std::isfinite(found);
      }
      if (cells[1] != "-") table.add(cells);
    }
    if (!any) return;
    std::cout << "\nThe same with the servant's adapter so many levels below the root adapter\n\n";
    table.print(std::cout);
  }

  void print_times() const {
    std::vector<std::string> heads{"server", "mode"};
    for (const int rounds : iterations()) heads.push_back(std::to_string(rounds));
    Table table(heads, 2);
    for (const char* const mode : {"twoway", "oneway"}) {
      for (const Subject& subject : subjects_) {
        std::vector<std::string> cells{subject.scheme, mode};
        for (const int rounds : iterations()) cells.push_back(number(time_of(subject.scheme, mode, rounds), 1));
        table.add(cells);
      }
      if (std::string(mode) == "twoway") table.add_rule();
    }
    std::cout
        << "\nThe client's time for so many times 100 calls of the last operation, ms; oneway calls until the last "
           "is done\n\n";
    table.print(std::cout);
  }

  double time_of(const std::string& scheme, const std::string& mode, int rounds) const {
    return value("time", {{"scheme", scheme}, {"mode", mode}, {"iterations", std::to_string(rounds)}});
  }

  double gain_in_instructions(const char* scheme, const char* step) const {
    const auto cost = [&](const char* of) {
      Case wanted{{"scheme", of}, {"order", "last"}, {"mode", "twoway"}};
      if (step == nullptr) return value("instructions_per_call", wanted);
      wanted["step"] = step;
      return value("instructions", wanted);
    };
    return 100 * (1 - cost(scheme) / cost("Corbel, linear search"));
  }
  double gain_in_time(const char* scheme, const char* mode) const {
    const int rounds = iterations().back();
    return 100 * (1 - time_of(scheme, mode, rounds) / time_of("Corbel, linear search", mode, rounds));
  }

  void print_gains() const {
    const double linear = kDemux1996[0].milliseconds;
    Table table({"gain over linear search, per cent", "1996", "direct index", "hashing"}, 1);
    const auto row = [&](const char* what, const std::string& published, double indexed, double hashed) {
      table.add({what, published, number(indexed, 1), number(hashed, 1)});
    };
    const std::string there = number(100 * (1 - kDemux1996[1].milliseconds / linear), 0) + " (index), " +
                              number(100 * (1 - kDemux1996[2].milliseconds / linear), 0) + " (hashing, other ORB)";
    row("server, lookup alone (instructions)", "", gain_in_instructions("Corbel, direct index", "lookup"),
        gain_in_instructions("Corbel, hashing", "lookup"));
    row("server, demultiplexing (time there); all (instructions here)", there,
        gain_in_instructions("Corbel, direct index", nullptr), gain_in_instructions("Corbel, hashing", nullptr));
    row("client's time, two-way", number(kGains1996[0].percent.back(), 1),
        gain_in_time("Corbel, direct index", "twoway"), gain_in_time("Corbel, hashing", "twoway"));
    row("client's time, oneway", number(kGains1996[2].percent.back(), 1),
        gain_in_time("Corbel, direct index", "oneway"), gain_in_time("Corbel, hashing", "oneway"));
    std::cout << '\n';
    table.print(std::cout);
  }

  const Settings& settings_;
  Report& report_;
  bool valgrind_;
  std::vector<Subject> subjects_ = {};
};

}  // namespace

int run_servers(const Settings& settings, Report& report) {
  Run run(settings, report);
  measure_and_keep([&] { run.measure(); }, [&] { run.print(); });
  return 0;
}

}  // namespace bench
