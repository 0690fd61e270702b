// SPDX-License-Identifier: Apache-2.0
// corbel-bench: the benchmark laboratory.
#include <CLI/CLI.hpp>
#include <cmath>
#include <iostream>

#include "common/doubts.hpp"
#include "common/progress.hpp"
#include "common/table.hpp"
#include "suites/all.hpp"
#include "suites/mechanism.hpp"
#include "suites/suite.hpp"

namespace {

struct Suite {
  const char* name;
  int quick_seconds;  ///< its share of the five minutes that `--quick` of all suites may take
  int brief_seconds;  ///< what it takes of the run of all suites, in which a case is measured until it is known
  const char* help;
  int (*run)(const bench::Settings& settings, bench::Report& report);
};

constexpr Suite kSuites[] = {
    {"counts", 40, 140, "instructions, system calls, allocations and bytes of one warm two-way void call",
     bench::run_counts},
    {"latency", 40, 480, "percentiles of two-way calls, back to back and at fixed times; what they use up",
     bench::run_latency},
    {"oneways", 10, 60, "small oneway calls, by themselves and kept back until many leave together; datagrams",
     bench::run_oneways},
    {"ttcp", 40, 690, "throughput of streams of every type, buffer size and socket queue", bench::run_ttcp},
    {"profile", 40, 190, "what each function, side and type takes of what a stream costs", bench::run_profile},
    {"cubit", 20, 150, "calls that return their argument cubed, by type and protocol", bench::run_cubit},
    {"values", 20, 110,
     "large results, strings, nested structs, Anys, valuetypes, futures: time, instructions, allocations",
     bench::run_values},
    {"collocated", 10, 45, "calls within one process: time, instructions, allocations", bench::run_collocated},
    {"networks", 40, 950, "ttcp and latency over emulated networks", bench::run_networks},
    {"lines", 20, 200, "calls over lines of 64 kb/s and more, where octets and distance take time", bench::run_lines},
    {"scale", 20, 260, "many connections, many threads, memory, start-up time, footprint", bench::run_scale},
    {"fanout", 25, 250, "calls over 1 to 1,000 connections in turn and at the same time; 10,000 idle ones",
     bench::run_fanout},
    {"restart", 15, 40, "a server is stopped and started again: time to the first good call", bench::run_restart},
    {"demux", 20, 70, "finding operations and objects: linear search, hashing, direct index, Corbel", bench::run_demux},
    {"servers", 30, 280, "whole servers that find one of a hundred operations, adapters nested in each other",
     bench::run_servers},
    {"predictability", 10, 110, "calls of high priority against more and more of low: one pool of threads, and lanes",
     bench::run_predictability},
    {"whitebox", 25, 100, "where one call goes, layer by layer: time, instructions, copies, allocations",
     bench::run_whitebox},
    {"micro", 8, 60, "marshalling by generated code beside the same by hand", bench::run_micro},
    {"compile", 30, 150, "what generated code costs the C++ compiler, and its size", bench::run_compile},
    {"model", 2, 5, "linear regression over streams of earlier runs: r_max, n_1/2, t_0", bench::run_model},
    {"report", 5, 10, "one page of tables and charts from the figures of earlier runs", bench::run_report},
    {"contract", 0, 0, "asserts what a warm two-way void call may cost at most", bench::run_contract},
    {"gate", 0, 0, "fails if calls cost more instructions, system calls or allocations than with another build",
     bench::run_gate},
};

void print_machine(const bench::Machine& machine) {
  std::cout << bench::describe(machine) << '\n';
  for (const auto& [name, version] : machine.versions) std::cout << "  " << name << ": " << version << '\n';
}

/// Its status; where the time was over or something failed, what was measured until then is in the report all the same.
int measure(const Suite& suite, const bench::Settings& settings, bench::Report& report) try {
  return suite.run(settings, report);
} catch (const bench::OutOfTime& end) {
  std::cout << "\nOUT OF TIME: " << suite.name << ": " << end.what()
            << ".\nThe figures so far are kept. Without a limit: ./dev bench " << suite.name
            << (settings.quick ? " --quick" : "") << '\n';
  report.warnings.push_back(bench::kEndedEarly + std::string(end.what()));
  return bench::kOutOfTime;
} catch (const std::exception& failure) {
  std::cerr << "corbel-bench: " << failure.what() << '\n';
  report.warnings.push_back(bench::kEndedEarly + std::string(failure.what()));
  return 1;
}

int run(const Suite& suite, const bench::Settings& settings, const std::string& json) {
  bench::Report report;
  report.machine = bench::this_machine();
  const bench::Ticks before = bench::processor_ticks();
  if (settings.brief && !settings.quick) bench::set_pace(std::chrono::seconds(suite.brief_seconds));
  const int status = measure(suite, settings, report);
  const bench::Ticks after = bench::processor_ticks();
  report.machine.load = bench::load_of_others(before, after);
  if (!report.results.empty()) {
    std::cout << '\n';
    print_machine(report.machine);
    const double stolen = bench::stolen_percent(before, after);
    std::cout << "  processor time stolen by the host during the run: " << bench::number(stolen, 1) << " %\n";
    const std::vector<std::string> doubts = bench::doubts(report, stolen);
    report.warnings.insert(report.warnings.end(), doubts.begin(), doubts.end());
    for (const std::string& doubt : doubts) std::cout << "  WARNING: " << doubt << '\n';
  }
  if (!json.empty() && (status != 1 || !report.results.empty())) {
    bench::write_json(report, json);
    std::cout << "Figures written to " << json << ".\n";
  }
  return status;
}

}  // namespace

void bench::announce_duration(const Settings& settings, double seconds) {
  if (settings.quick || settings.brief || seconds < 60) return;
  std::cout << "This takes about " << number(std::ceil(seconds / 60)) << " minutes; --quick does less.\n" << std::flush;
}

int main(int argc, char** argv) {
  CLI::App app(
      "Measures Corbel beside raw sockets and what else is installed, in interleaved repetitions. Without a "
      "suite: all of them, then the report.",
      "corbel-bench");
  bool peers = false;
  bench::AllSettings all;
  app.add_flag("--peers", peers, "list what can be compared and what is missing");
  app.add_flag("--quick", all.quick, "all suites: fewer cases and repetitions, in five minutes");
  app.add_flag("--thorough", all.thorough, "all suites: each as by its name, in hours")->excludes("--quick");
  app.add_option("--continue", all.begun,
                 "all suites: take the figures that are missing in this folder, then the report")
      ->check(CLI::ExistingDirectory);
  app.add_option("--only", all.only, "all suites: compare only these with the raw sockets")->delimiter(',');
  app.add_option("--output", all.output, "all suites: the folder for the figures and the report")
      ->capture_default_str();
  app.add_option("--json", all.json, "all suites: write the figures of all to this file, too");
  bench::Settings settings;
  std::string json;
  int budget = 0;
  for (const Suite& suite : kSuites) {
    CLI::App* const command = app.add_subcommand(suite.name, suite.help);
    command->add_option("--json", json, "write the figures to this file, too");
    command->add_flag("--quick", settings.quick, "fewer cases and repetitions");
    command->add_flag("--brief", settings.brief,
                      "all cases, each until it is known to 2.5 %, as in the run of all suites");
    command->add_option("--only", settings.only, "compare only these with the raw sockets, as in corbel,omniORB")
        ->delimiter(',');
    command->add_option("--budget", budget, "begin nothing more after so many seconds")
        ->check(CLI::Range(1, 1'000'000));
    command->add_option("--repeat", settings.repeat, "repetitions")->check(CLI::Range(1, 1000));
    if (suite.run == bench::run_ttcp || suite.run == bench::run_profile) {
      command->add_option("--types", settings.types, "stream these only")
          ->delimiter(',')
          ->check(CLI::IsMember({"char", "octet", "short", "long", "double", "string", "struct", "padded"}));
      command->add_option("--buffers", settings.buffers, "with buffers of these sizes, in octets")
          ->delimiter(',')
          ->check(CLI::Range(1, 64 << 20));
    }
    if (suite.run == bench::run_ttcp) {
      command->add_option("--transport", settings.transport, "over this only")
          ->check(CLI::IsMember({"tcp", "unix", "shm", "tls"}));
      command->add_flag("--one-cpu", settings.one_cpu, "both sides on one processor, for all that is streamed");
      command->add_option("--mode", settings.mode, "in this way only: oneway, twoway, or ring (the data comes back)")
          ->check(CLI::IsMember({"oneway", "twoway", "ring"}));
      command->add_option("--queue", settings.queues, "with socket queues of these sizes, in octets; 0: the system's")
          ->delimiter(',')
          ->check(CLI::Range(0, 1 << 30));
    }
    if (suite.run == bench::run_latency) {
      command->add_option("--payload", settings.buffers, "calls with so many octets only")
          ->delimiter(',')
          ->check(CLI::Range(0, 16 << 20));
    }
    if (suite.run == bench::run_lines) {
      command->add_option("--network", settings.networks, "over these only, as in 64,Ethernet")
          ->delimiter(',')
          ->check(CLI::IsMember({"64", "Ethernet", "ATM"}));
      command->add_option("--payload", settings.buffers, "two-way calls with so many octets only")
          ->delimiter(',')
          ->check(CLI::Range(0, 16 << 20));
    }
    if (suite.run == bench::run_networks) {
      command->add_option("--buffers", settings.buffers, "with buffers of these sizes, in octets")
          ->delimiter(',')
          ->check(CLI::Range(1, 64 << 20));
      command->add_option("--queue", settings.queues, "with socket queues of these sizes, in octets; 0: the system's")
          ->delimiter(',')
          ->check(CLI::Range(0, 1 << 30));
      command->add_option("--mode", settings.mode, "in this way only: oneway, twoway, or ring (the data comes back)")
          ->check(CLI::IsMember({"oneway", "twoway", "ring"}));
      command->add_option("--transport", settings.transport, "over this only; udp: oneway, what gets lost is told")
          ->check(CLI::IsMember({"tcp", "udp"}));
      command->add_option("--no-delay", settings.no_delay, "TCP sends at once, or waits for more (off)")
          ->check(CLI::IsMember({"on", "off"}));
      command->add_option("--network", settings.networks, "over these only, as in Ethernet,ATM")
          ->delimiter(',')
          ->check(CLI::IsMember({"Ethernet", "FDDI", "ATM", "HiPPI", "unlimited"}));
      command->add_option("--types", settings.types, "stream these only")
          ->delimiter(',')
          ->check(CLI::IsMember({"char", "octet", "short", "long", "double", "string", "struct", "padded"}));
    }
    if (suite.run == bench::run_counts) {
      command->add_option("--profile", settings.profile, "also print the N functions of Corbel that cost most")
          ->check(CLI::Range(1, 1000));
    }
    if (suite.run == bench::run_gate) {
      command->add_option("--base", settings.base, "the folder with the other build's corbel-bench-corbel")
          ->required()
          ->check(CLI::ExistingDirectory);
    }
    if (suite.run == bench::run_model || suite.run == bench::run_report) {
      command->add_option("FILE", settings.files, "what --json of earlier runs wrote")
          ->required()
          ->check(CLI::ExistingFile);
    }
    if (suite.run == bench::run_report) {
      command->add_option("--output", settings.output, "folder for report.html and report.md")->capture_default_str();
    }
  }
  CLI11_PARSE(app, argc, argv);
  try {
    if (budget > 0) bench::limit_time(std::chrono::seconds(budget));
    for (const Suite& suite : kSuites) {
      if (app.got_subcommand(suite.name)) return run(suite, settings, json);
    }
    if (peers) {
      bench::print_peers();
      return 0;
    }
    std::vector<bench::SuiteShare> shares;
    for (const Suite& suite : kSuites) {
      shares.push_back(
          {suite.name, std::chrono::seconds(suite.quick_seconds), std::chrono::seconds(suite.brief_seconds)});
    }
    return bench::run_all(shares, all);
  } catch (const std::exception& failure) {
    std::cerr << "corbel-bench: " << failure.what() << '\n';
  }
  return 1;
}
