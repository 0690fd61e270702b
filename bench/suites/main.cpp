// SPDX-License-Identifier: Apache-2.0
// corbel-bench: the benchmark laboratory.
#include <CLI/CLI.hpp>
#include <iostream>

#include "common/table.hpp"
#include "suites/suite.hpp"

namespace {

struct Suite {
  const char* name;
  const char* help;
  int (*run)(const bench::Settings& settings, bench::Report& report);
};

constexpr Suite kSuites[] = {
    {"counts", "instructions, system calls, allocations and bytes of one warm two-way void call", bench::run_counts},
    {"latency", "percentiles of the two-way void call, on one processor and on two", bench::run_latency},
    {"ttcp", "throughput of octet and struct sequences in buffers of 1 to 128 KiB", bench::run_ttcp},
    {"demux", "finding operations and objects: linear search, hashing, direct index, Corbel", bench::run_demux},
    {"whitebox", "where one call goes, layer by layer: time, instructions, copies, allocations", bench::run_whitebox},
    {"micro", "marshalling by generated code beside the same by hand", bench::run_micro},
    {"model", "linear regression over streams of earlier runs: r_max, n_1/2, t_0", bench::run_model},
    {"report", "one page of tables and charts from the figures of earlier runs", bench::run_report},
    {"contract", "asserts what a warm two-way void call may cost at most", bench::run_contract},
};

void print_machine(const bench::Machine& machine) {
  std::cout << bench::describe(machine) << '\n';
  for (const auto& [name, version] : machine.versions) std::cout << "  " << name << ": " << version << '\n';
}

int run(const Suite& suite, const bench::Settings& settings, const std::string& json) {
  bench::Report report;
  report.machine = bench::this_machine();
  const bench::Ticks before = bench::processor_ticks();
  const int status = suite.run(settings, report);
  if (status == 0 && !report.results.empty()) {
    std::cout << '\n';
    print_machine(report.machine);
    const double stolen = bench::stolen_percent(before, bench::processor_ticks());
    std::cout << "  processor time stolen by the host during the run: " << bench::number(stolen, 1) << " %\n";
  }
  if (!json.empty()) {
    bench::write_json(report, json);
    std::cout << "Figures written to " << json << ".\n";
  }
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Measures Corbel beside raw sockets and, where installed, omniORB, in interleaved repetitions.",
               "corbel-bench");
  app.require_subcommand(1);
  bench::Settings settings;
  std::string json;
  for (const Suite& suite : kSuites) {
    CLI::App* const command = app.add_subcommand(suite.name, suite.help);
    command->add_option("--json", json, "write the figures to this file, too");
    command->add_flag("--quick", settings.quick, "fewer cases and repetitions");
    command->add_option("--repeat", settings.repeat, "repetitions")->check(CLI::Range(1, 1000));
    if (suite.run == bench::run_counts) {
      command->add_option("--profile", settings.profile, "also print the N functions of Corbel that cost most")
          ->check(CLI::Range(1, 1000));
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
    for (const Suite& suite : kSuites) {
      if (app.got_subcommand(suite.name)) return run(suite, settings, json);
    }
  } catch (const std::exception& failure) {
    std::cerr << "corbel-bench: " << failure.what() << '\n';
  }
  return 1;
}
