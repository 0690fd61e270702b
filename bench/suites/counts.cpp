// SPDX-License-Identifier: Apache-2.0
// Suite counts: instructions, system calls, allocations and octets of one warm two-way void call.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>

#include "common/progress.hpp"
#include "common/table.hpp"
#include "suites/counting.hpp"
#include "suites/suite.hpp"

namespace bench {
namespace {

const std::vector<std::string> kCompared = {"wrappers", "corbel", "omniORB"};

/// Samples of one mechanism, transport and side, by metric.
struct Sampled {
  Case of;
  std::map<std::string, std::vector<double>> metrics = {};
  Costs functions = {};     ///< of the last repetition
  Costs system_calls = {};  ///< of the last repetition
};

struct Units {
  const char* metric;
  const char* unit;
};
constexpr Units kMetrics[] = {{"instructions_per_call", "instructions"},
                              {"syscalls_per_call", "calls"},
                              {"allocations_per_call", "allocations"},
                              {"bytes_per_call", "bytes"}};

/// The first line that a program says about itself.
std::string version_of(const std::string& program) {
  const std::string text = output_of({program, "--version"}, std::chrono::seconds(10));
  return text.substr(0, text.find('\n'));
}

class Run {
 public:
  Run(const Settings& settings, Report& report)
      : settings_(settings),
        report_(report),
        mechanisms_(find_all_mechanisms(report.machine, settings.only.empty() ? kCompared : settings.only)),
        transports_(settings.quick ? std::vector<std::string>{"tcp"}
                                   : std::vector<std::string>{"tcp", "unix", "shm", "udp", "rudp", "packet"}),
        valgrind_(program_exists("valgrind")),
        strace_(can_trace()) {
    if (valgrind_) report.machine.versions["valgrind"] = version_of("valgrind");
    if (strace_) report.machine.versions["strace"] = version_of("strace");
  }

  void measure() {
    const int repetitions = settings_.brief && settings_.repeat == 0 ? 1 : settings_.repetitions(3, 1);  // all alike
    const auto asynchronous = valgrind_ ? std::count_if(mechanisms_.begin(), mechanisms_.end(),
                                                        [](const Mechanism& one) { return one.can("async"); })
                                        : 0;
    const int varying = settings_.repetitions(3, 1);
    Progress progress(static_cast<std::size_t>(repetitions) * transports_.size() * mechanisms_.size() +
                      std::size(kHow) * static_cast<std::size_t>(varying) * static_cast<std::size_t>(asynchronous));
    for (int repetition = 0; repetition < repetitions; ++repetition) {
      for (const std::string& transport : transports_) {
        for (const Mechanism& mechanism : mechanisms_) {
          progress.step("counting " + mechanism.label() + " over " + transport);
          if (mechanism.over(transport)) sample(mechanism, transport);
        }
      }
    }
    for (int repetition = 0; asynchronous != 0 && repetition < varying; ++repetition) sample_asynchronous(progress);
  }

  void report() {
    const std::string omniorb = first_omniorb();
    for (const Sampled& sampled : samples_) {
      for (const Units& unit : kMetrics) {
        const auto found = sampled.metrics.find(unit.metric);
        if (found == sampled.metrics.end()) continue;
        Result result{"counts", sampled.of, unit.metric, unit.unit, summarise(found->second)};
        const Sampled* const control = find(omniorb, sampled.of);
        if (control != nullptr && control != &sampled) {
          result.of["control"] = omniorb;
          result.control = summarise(control->metrics.at(unit.metric)).median;
        }
        report_.results.push_back(std::move(result));
      }
    }
    for (const auto& [of, counts] : asynchronous_) {
      report_.results.push_back({"counts", of, "instructions_per_call", "instructions", summarise(counts)});
    }
  }

  void print() const {
    for (const std::string& transport : transports_) print_transport(transport);
    if (!asynchronous_.empty()) print_asynchronous();
    if (!valgrind_) std::cout << "No instructions: valgrind is not installed.\n";
    if (!strace_) std::cout << "No system calls and octets: strace is not installed, or may not trace here.\n";
  }

  void print_profiles() const {
    for (const Sampled& sampled : samples_) {
      if (settings_.profile > 0 && sampled.of.at("orb") == "corbel") print_profile(sampled);
    }
  }

 private:
  Sampled& samples_of(const Mechanism& mechanism, const std::string& transport, const std::string& side) {
    Case of = mechanism.case_on(transport);
    of["side"] = side;
    for (Sampled& sampled : samples_) {
      if (sampled.of == of) return sampled;
    }
    return samples_.emplace_back(Sampled{of});
  }

  void sample(const Mechanism& mechanism, const std::string& transport) {
    const auto instructions = valgrind_ ? count_instructions(mechanism, transport) : std::vector<Costs>();
    const auto system_calls = strace_ ? count_system_calls(mechanism, transport) : std::vector<SystemCalls>();
    const auto allocations = count_allocations(mechanism, transport);
    for (std::size_t i = 0; i < kSides.size(); ++i) {
      Sampled& sampled = samples_of(mechanism, transport, kSides[i]);
      if (valgrind_) {
        sampled.metrics["instructions_per_call"].push_back(sum(instructions[i]));
        sampled.functions = instructions[i];
      }
      if (strace_) {
        sampled.metrics["syscalls_per_call"].push_back(sum(system_calls[i].calls));
        sampled.metrics["bytes_per_call"].push_back(system_calls[i].octets);
        sampled.system_calls = system_calls[i].calls;
      }
      sampled.metrics["allocations_per_call"].push_back(allocations[i]);
    }
  }

  /// How many replies are read at once is up to the scheduler: these counts vary, unlike the others.
  void sample_asynchronous(Progress& progress) {
    const std::string transport = "tcp";
    for (const Mechanism& mechanism : mechanisms_) {
      for (const char* const how : kHow) {
        if (!mechanism.can("async")) continue;
        progress.step("counting asynchronous calls of " + mechanism.label());
        Case of = mechanism.case_on(transport);
        of["side"] = kSides[0];
        of["call"] = std::string("async ") + how + " " + kUnderWay;
        const auto sides = count_instructions(mechanism, transport, {.command = of["call"]});
        asynchronous_[of].push_back(sum(sides[0]));
      }
    }
  }

  void print_asynchronous() const {
    std::cout << "\nOne asynchronous void call over tcp, " << kUnderWay << " under way: instructions of the client\n\n";
    Table table({"protocol", "call", "instructions", "least", "most"}, 2, true);
    for (const auto& [of, counts] : asynchronous_) {
      const Summary summary = summarise(counts);
      table.add(
          {of.at("protocol"), of.at("call"), grouped(summary.median), grouped(summary.min), grouped(summary.max)});
    }
    table.print(std::cout);
  }

  std::string first_omniorb() const {
    for (const Mechanism& mechanism : mechanisms_) {
      if (mechanism.orb.starts_with("omniORB")) return mechanism.orb;
    }
    return {};
  }

  const Sampled* find(const std::string& orb, const Case& like) const {
    for (const Sampled& sampled : samples_) {
      if (sampled.of.at("orb") == orb && sampled.of.at("transport") == like.at("transport") &&
          sampled.of.at("side") == like.at("side")) {
        return &sampled;
      }
    }
    return nullptr;
  }

  /// Null if the time was over before.
  const Sampled* find(const Mechanism& mechanism, const std::string& transport, const std::string& side) const {
    Case of = mechanism.case_on(transport);
    of["side"] = side;
    const auto found = std::find_if(samples_.begin(), samples_.end(), [&](const Sampled& s) { return s.of == of; });
    return found == samples_.end() ? nullptr : &*found;
  }

  static double median(const Sampled& sampled, const char* metric) {
    const auto found = sampled.metrics.find(metric);
    return found == sampled.metrics.end() ? NAN : summarise(found->second).median;
  }

  void print_transport(const std::string& transport) const {
    const std::string omniorb = first_omniorb();
    std::cout << "\nOne warm two-way void call over " << transport << "\n\n";
    Table table({"mechanism", "side", "instructions", omniorb.empty() ? "ratio" : "/ " + omniorb, "system calls",
                 "allocations", "bytes sent", "which system calls"},
                2, true);
    for (const Mechanism& mechanism : mechanisms_) {
      if (find(mechanism, transport, kSides[0]) == nullptr) continue;
      if (&mechanism != &mechanisms_.front()) table.add_rule();
      double whole = 0;
      double whole_base = 0;
      for (const std::string& side : kSides) {
        const Sampled& sampled = *find(mechanism, transport, side);
        const Sampled* const control = find(omniorb, sampled.of);
        const double instructions = median(sampled, "instructions_per_call");
        const double base = control != nullptr ? median(*control, "instructions_per_call") : NAN;
        whole += instructions;
        whole_base += base;
        table.add({mechanism.label(), side, grouped(instructions), number(instructions / base, 2),
                   number(median(sampled, "syscalls_per_call"), 2), number(median(sampled, "allocations_per_call"), 2),
                   grouped(median(sampled, "bytes_per_call")), names_of(sampled.system_calls)});
      }
      table.add({mechanism.label(), "both", grouped(whole), number(whole / whole_base, 2)});
    }
    table.print(std::cout);
  }

  /// "1 sendmsg, 1 recvfrom"; what happens in fewer than one of a hundred calls is left out.
  static std::string names_of(const Costs& calls) {
    std::string text;
    for (const auto& [name, count] : calls) {
      if (count < 0.01) continue;
      text += (text.empty() ? "" : ", ") + (count > 0.99 && count < 1.01 ? "1" : number(count, 2)) + " " + name;
    }
    return text;
  }

  void print_profile(const Sampled& sampled) const {
    std::vector<std::pair<double, std::string>> functions;
    for (const auto& [name, cost] : sampled.functions) functions.emplace_back(cost, name);
    std::sort(functions.rbegin(), functions.rend());
    std::cout << "\nInstructions of one call by function: " << sampled.of.at("protocol") << " over "
              << sampled.of.at("transport") << ", " << sampled.of.at("side") << "\n\n";
    for (std::size_t i = 0; i < functions.size() && i < static_cast<std::size_t>(settings_.profile); ++i) {
      std::printf("%8.1f  %s\n", functions[i].first, functions[i].second.c_str());
    }
    std::fflush(stdout);
  }

  const Settings& settings_;
  Report& report_;
  std::vector<Mechanism> mechanisms_;
  std::vector<std::string> transports_;
  bool valgrind_;
  bool strace_;
  std::vector<Sampled> samples_;
  std::map<Case, std::vector<double>> asynchronous_;
  static constexpr const char* kUnderWay = "10";
  static constexpr const char* kHow[] = {"futures", "pollers", "coroutines", "handlers", "deferred"};
};

}  // namespace

int run_counts(const Settings& settings, Report& report) {
  Run run(settings, report);
  measure_and_keep([&] { run.measure(); },
                   [&] {
                     run.report();
                     run.print();
                     run.print_profiles();
                   });
  return 0;
}

}  // namespace bench
