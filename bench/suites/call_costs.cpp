// SPDX-License-Identifier: Apache-2.0
#include "suites/call_costs.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>

#include "common/cpus.hpp"
#include "common/progress.hpp"
#include "common/table.hpp"
#include "common/temporary.hpp"
#include "suites/counting.hpp"
#include "suites/suite.hpp"

namespace bench {
namespace {

class CallCosts {
 public:
  CallCosts(std::string suite, const std::vector<KindOfCall>& kinds, const Settings& settings)
      : suite_(std::move(suite)), kinds_(kinds), settings_(settings), samples_(kinds.size()) {}

  void measure() {
    const bool counts = program_exists("valgrind");
    const auto repetitions = static_cast<std::size_t>(settings_.repetitions(7, 2));
    announce_duration(settings_, static_cast<double>(kinds_.size()) * (6 + 0.3 * static_cast<double>(repetitions)));
    Progress progress(kinds_.size() * (repetitions + 1));
    for (std::size_t repetition = 0; repetition < repetitions; ++repetition) {
      for (std::size_t i = 0; i < kinds_.size(); ++i) {
        progress.step(kinds_[i].name + " by " + kinds_[i].mechanism.label());
        time(i);
      }
    }
    for (std::size_t i = 0; i < kinds_.size(); ++i) {
      progress.step("counting " + kinds_[i].name + " by " + kinds_[i].mechanism.label());
      count(i, counts && kinds_[i].traced);
    }
  }

  void add_to(Report& report) const {
    for (std::size_t i = 0; i < kinds_.size(); ++i) {
      for (const auto& [key, values] : samples_[i]) {
        Result result{suite_, case_of(i), key.first, unit_of(key.first), summarise(values)};
        if (!key.second.empty()) result.of["side"] = key.second;
        if (const std::size_t other = control_of(i); other != i && samples_[other].contains(key)) {
          const double control = summarise(samples_[other].at(key)).median;
          if (control > 0) {
            result.of["control"] = kinds_[other].mechanism.orb;
            result.control = control;
          }
        }
        report.results.push_back(std::move(result));
      }
    }
  }

  void print() const {
    Table table({"call", "by", "us", "instructions, client", "server", "allocations, client", "server"}, 2);
    for (std::size_t i = 0; i < kinds_.size(); ++i) {
      table.add({kinds_[i].name, kinds_[i].mechanism.label(), number(median(i, "time_per_call", ""), 3),
                 grouped(median(i, "instructions_per_call", "client")),
                 grouped(median(i, "instructions_per_call", "server")),
                 number(median(i, "allocations_per_call", "client"), 1),
                 number(median(i, "allocations_per_call", "server"), 1)});
    }
    std::cout << "\nSuite " << suite_ << ": what a call costs\n\n";
    table.print(std::cout);
  }

 private:
  using Key = std::pair<std::string, std::string>;  ///< metric and side

  static std::string unit_of(const std::string& metric) {
    if (metric == "time_per_call") return "us";
    return metric.substr(0, metric.find('_'));
  }
  Case case_of(std::size_t i) const {
    Case of = kinds_[i].mechanism.case_on(kinds_[i].transport);
    if (is_inside(kinds_[i].transport)) of["protocol"] = "none";
    of["operation"] = kinds_[i].name;
    return of;
  }
  /// The call of that name by the first other ORB; itself if there is none.
  std::size_t control_of(std::size_t i) const {
    for (std::size_t k = 0; k < kinds_.size(); ++k) {
      if (kinds_[k].name == kinds_[i].name && kinds_[k].mechanism.orb != kinds_[i].mechanism.orb) return k;
    }
    return i;
  }
  double median(std::size_t i, const std::string& metric, const std::string& side) const {
    const auto found = samples_[i].find({metric, side});
    return found == samples_[i].end() ? NAN : summarise(found->second).median;
  }

  /// Each time in processes of its own, on one processor: so none is warmer than another.
  void time(std::size_t i) {
    const KindOfCall& kind = kinds_[i];
    const TemporaryFolder folder;
    Placement placement;
    placement.client.cpu = placement.server.cpu = allowed_cpus().front();
    Pair pair(kind.mechanism, kind.transport, folder.path() + "/socket", placement);
    constexpr double kTrial = 50;
    pair.command(kind.command + " 50");
    const double trial = pair.command(kind.command + " 50").at(0) / kTrial;
    const double calls = std::round(std::clamp(settings_.choose(200e6, 100e6, 10e6) / trial, 20.0, 5e6));
    const double nanoseconds = pair.command(kind.command + " " + std::to_string(std::lround(calls))).at(0);
    samples_[i][{"time_per_call", ""}].push_back(nanoseconds / calls / 1000);
    pair.end();
  }

  void count(std::size_t i, bool instructions) {
    const KindOfCall& kind = kinds_[i];
    const Workload workload{kind.command, kind.few, kind.many, {}};
    const std::size_t sides = is_inside(kind.transport) ? 1 : kSides.size();
    const std::vector<double> allocations = count_allocations(kind.mechanism, kind.transport, workload);
    const std::vector<Costs> costs =
        instructions ? count_instructions(kind.mechanism, kind.transport, workload) : std::vector<Costs>();
    for (std::size_t side = 0; side < sides; ++side) {
      samples_[i][{"allocations_per_call", kSides[side]}].push_back(allocations[side]);
      if (instructions) samples_[i][{"instructions_per_call", kSides[side]}].push_back(sum(costs[side]));
    }
  }

  std::string suite_;
  const std::vector<KindOfCall>& kinds_;
  const Settings& settings_;
  std::vector<std::map<Key, std::vector<double>>> samples_;  ///< by kind
};

}  // namespace

void measure_call_costs(const std::string& suite, const std::vector<KindOfCall>& kinds, const Settings& settings,
                        Report& report) {
  CallCosts costs(suite, kinds, settings);
  measure_and_keep([&] { costs.measure(); },
                   [&] {
                     costs.add_to(report);
                     costs.print();
                   });
}

namespace {

bool is_wanted(const Mechanism& one, const Settings& settings) {
  return settings.only.empty() ||
         std::ranges::any_of(settings.only, [&](const std::string& name) { return one.orb.starts_with(name); });
}

}  // namespace

/// Large results, strings, sequences of strings, nested structs, Anys, valuetypes and calls with futures.
int run_values(const Settings& settings, Report& report) {
  const char* const programs[] = {"values-corbel", "values-omniorb"};
  std::vector<KindOfCall> kinds;
  for (const char* const what : {"octets", "string", "strings", "nested", "any", "valuetype", "future"}) {
    for (const char* const program : programs) {
      for (const Mechanism& one : find_peer(program)) {
        if (!one.can(what) || one.protocol != "giop" || !is_wanted(one, settings)) continue;
        const bool small = std::string(what) == "string" || std::string(what) == "any";
        const bool huge = std::string(what) == "octets";
        kinds.push_back(
            {one, "tcp", what, std::string("value ") + what, huge ? 3 : 30, huge ? 13 : 130, small || !settings.quick});
      }
    }
  }
  if (kinds.empty()) throw std::runtime_error("corbel-bench-values-corbel must lie beside " + own_path());
  measure_call_costs("values", kinds, settings, report);
  return 0;
}

/// Calls within one process, which no message carries.
int run_collocated(const Settings& settings, Report& report) {
  std::vector<Mechanism> found;
  for (const Mechanism& one : find_all_mechanisms(report.machine, settings.only)) {
    if (one.over("collocated") && one.protocol == "giop") found.push_back(one);
  }
  std::vector<KindOfCall> kinds;
  for (const auto& [name, command] : {std::pair("void", "ping"), std::pair("struct", "cube struct")}) {
    for (const Mechanism& one : found) kinds.push_back({one, "collocated", name, command, 1000, 11000});
  }
  measure_call_costs("collocated", kinds, settings, report);
  return 0;
}

}  // namespace bench
