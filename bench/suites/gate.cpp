// SPDX-License-Identifier: Apache-2.0
// Suite gate: what calls cost in this build beside another one of Corbel, counted in the same run; more fails.
#include <algorithm>
#include <iostream>
#include <limits>

#include "common/progress.hpp"
#include "common/statistics.hpp"
#include "common/table.hpp"
#include "suites/counting.hpp"
#include "suites/suite.hpp"

namespace bench {
namespace {

// Which thread reads how many replies at once, and whether a side of shared memory sleeps, is up to the scheduler.
constexpr double kManyThreads = 0.25;
constexpr double kSleepsOrNot = 0.05;

struct GateCase {
  const char* protocol;
  const char* transport;
  const char* needs;  ///< the command that both must know; null: all do
  Workload workload;
  bool traced;        ///< its system calls are the same in every run
  double varies = 0;  ///< by what part of them the instructions of two runs of the same may differ
};

const std::vector<GateCase>& gate_cases() {
  static const std::vector<GateCase> kCases = {
      {"giop", "tcp", nullptr, {.server_environment = kPatientServer}, true},
      {"giop", "unix", nullptr, {.server_environment = kPatientServer}, true},
      {"giop_lite", "tcp", nullptr, {.server_environment = kPatientServer}, true},
      {"giop", "tcp", "cube", {"cube struct", 300, 1300, kPatientServer}, false},
      {"giop", "tcp", "cube", {"cube longs-small", 300, 1300, kPatientServer}, false},
      {"giop", "unix", "twoway", {"stream twoway octet 65536", 50, 250, kPatientServer}, false},
      {"giop", "unix", "twoway", {"stream twoway struct 65536", 50, 250, kPatientServer}, false},
      {"giop", "collocated", nullptr, {}, true},
      {"giop", "collocated", "cube", {"cube struct"}, false},
      {"giop", "tcp", "async", {"async futures 10", 300, 1300, kPatientServer}, false, kManyThreads},
      {"giop", "tcp", "async", {"async handlers 10", 300, 1300, kPatientServer}, false, kManyThreads},
      {"giop", "shm", nullptr, {.server_environment = kPatientServer}, false, kSleepsOrNot},
  };
  return kCases;
}

/// What one side costs: the least of several counts, since what happens by the clock can only add to it.
struct Spent {
  static constexpr double kNone = std::numeric_limits<double>::max();
  double instructions = kNone;
  double copies = kNone;
  double system_calls = kNone;
  double allocations = kNone;
};

/// The instructions of what copies memory.
double copying(const Costs& costs) {
  double whole = 0;
  for (const auto& [name, cost] : costs) {
    if (name.find("memcpy") != std::string::npos || name.find("memmove") != std::string::npos) whole += cost;
  }
  return whole;
}

void spend(const Mechanism& mechanism, const GateCase& one, std::vector<Spent>& sides) {
  const auto less = [](double& least, double count) { least = std::min(least, count); };
  const auto instructions = count_instructions(mechanism, one.transport, one.workload);
  const auto allocations = count_allocations(mechanism, one.transport, one.workload);
  for (std::size_t i = 0; i < kSides.size(); ++i) {
    less(sides[i].instructions, sum(instructions[i]));
    less(sides[i].copies, std::max(copying(instructions[i]), 0.0));
    less(sides[i].allocations, allocations[i]);
  }
  if (!one.traced || !can_trace()) return;
  const auto calls = count_system_calls(mechanism, one.transport, one.workload);
  for (std::size_t i = 0; i < kSides.size(); ++i) less(sides[i].system_calls, sum(calls[i].calls));
}

class Gate {
 public:
  Gate() : table_({"case", "side", "metric", "before", "now", "growth", ""}, 3, true) {}

  /// `slack`: what two counts of the same may differ by.
  void compare(const std::string& name, const std::string& side, const char* metric, double before, double now,
               double slack) {
    if (before == Spent::kNone || now == Spent::kNone) return;
    const bool grew = has_grown(before, now, slack);
    held_ = held_ && !grew;
    const bool fraction = before < 100 && now < 100;
    const auto text = [&](double count) { return fraction ? number(count, 2) : grouped(count); };
    table_.add({name, side, metric, text(before), text(now),
                before > 0 ? number((now / before - 1) * 100, 1) + " %" : "", grew ? "GREW" : ""});
  }
  bool held() const noexcept { return held_; }
  void print() const { table_.print(std::cout); }

 private:
  Table table_;
  bool held_ = true;
};

const Mechanism* speaking(const std::vector<Mechanism>& all, const GateCase& one) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const Mechanism& mechanism) {
    return mechanism.protocol == one.protocol && mechanism.over(one.transport) &&
           (one.needs == nullptr || mechanism.can(one.needs));
  });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

int run_gate(const Settings& settings, Report&) {
  if (!program_exists("valgrind")) throw std::runtime_error("valgrind is not installed");
  const std::vector<Mechanism> before = corbel_in(settings.base);
  const std::vector<Mechanism> now = corbel_in(beside("."));
  const int repetitions = settings.repetitions(3, 1);
  Progress progress(gate_cases().size() * 2U * static_cast<std::size_t>(repetitions));
  Gate gate;
  for (const GateCase& one : gate_cases()) {
    const Mechanism* const old = speaking(before, one);
    const Mechanism* const own = speaking(now, one);
    if (old == nullptr || own == nullptr) continue;
    const std::string name = own->label() + " " + one.transport + ", " + one.workload.command;
    std::vector<Spent> spent[2] = {std::vector<Spent>(kSides.size()), std::vector<Spent>(kSides.size())};
    for (int i = 0; i < repetitions; ++i) {
      progress.step("counting " + name + " before");
      spend(*old, one, spent[0]);
      progress.step("counting " + name + " now");
      spend(*own, one, spent[1]);
    }
    for (std::size_t i = 0; i < (is_inside(one.transport) ? 1 : kSides.size()); ++i) {
      const Spent& was = spent[0][i];
      const Spent& is = spent[1][i];
      gate.compare(name, kSides[i], "instructions", was.instructions, is.instructions,
                   2 + one.varies * was.instructions);
      gate.compare(name, kSides[i], "of these copying", was.copies, is.copies, 1024);
      gate.compare(name, kSides[i], "system calls", was.system_calls, is.system_calls, 0.02);
      gate.compare(name, kSides[i], "allocations", was.allocations, is.allocations, 0.02);
    }
  }
  std::cout << "\nPer call, the least of " << repetitions << "; more than 2 % more fails\n\n";
  gate.print();
  std::cout << (gate.held() ? "\nNothing grew.\n" : "\nIt GREW.\n");
  return gate.held() ? 0 : 1;
}

}  // namespace bench
