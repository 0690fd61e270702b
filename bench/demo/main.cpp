// SPDX-License-Identifier: Apache-2.0
// corbel-demo: moves real files between two processes over every protocol and compares with plain C sockets.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdlib>
#include <iostream>

#include "common/certificate.hpp"
#include "common/table.hpp"
#include "demo/demonstration.hpp"
#include "demo/mover.hpp"

namespace {

constexpr double kMebi = 1 << 20;

struct Arguments {
  std::vector<std::string> files;
  std::string json;
  bool quick = false;
  int turns = 0;
  int block_kib = 1024;
};

std::string mebi(std::uint64_t octets) {
  return bench::number(static_cast<double>(octets) / kMebi, 1) + " MiB";
}

void introduce(const std::vector<demo::File>& files, const bench::Machine& machine, int block_kib) {
  std::cout << "Corbel " << machine.versions.at("corbel") << " moves " << files.size() << " file"
            << (files.size() == 1 ? "" : "s") << " (" << mebi(demo::total_size(files))
            << ") from a client process to an image server process and back:\n\n";
  for (const demo::File& file : files) {
    std::cout << "  " << file.path << "  " << mebi(file.size) << "  SHA-256 " << file.digest.substr(0, 16) << "...\n";
  }
  std::cout
      << "\nThe two talk through an interface compiled from IDL (bench/demo/image.idl), in two-way calls that move "
         "blocks\n"
      << "of " << block_kib
      << " KiB, over each message protocol and transport in turn. In the same run plain C sockets move the same\n"
      << "octets, block by block in the same conversation (C blocks) and as one stream per file (C stream). The\n"
      << "SHA-256 is compared after every transfer, at the server after an upload, at the client after a download.\n\n"
      << bench::describe(machine) << "\n\n"
      << std::flush;
}

/// True if all arrived.
bool conclude(const std::vector<demo::File>& files, const std::vector<demo::Achieved>& achieved, double seconds) {
  std::uint64_t checks = 0;
  std::uint64_t failures = 0;
  for (const demo::Achieved& one : achieved) {
    checks += one.checks;
    failures += one.failures;
  }
  const std::size_t turns = achieved.front().upload.size();
  std::cout << "\nMedians of " << turns
            << " turns after one to warm up. \"x C\": divided by the C blocks over the same transport (for\n"
            << "inproc: over unix, for tls: over tcp); more is better for throughput, less for calls. A call is a "
               "two-way call without\n"
            << "arguments; C sockets answer 64 octets with 64.\n\n";
  const std::uint64_t moved = demo::total_size(files) * 2 * (turns + 1) * achieved.size();
  if (failures == 0) {
    std::cout << "All " << checks << " transfers arrived intact: " << mebi(moved) << " in " << bench::number(seconds, 1)
              << " s, SHA-256 equal at both ends.\n";
  } else {
    std::cout << "FAILED: " << failures << " of " << checks << " transfers arrived with another SHA-256.\n";
  }
  return failures == 0;
}

int run(const Arguments& arguments) {
  const auto begin = std::chrono::steady_clock::now();
  demo::Settings settings;
  settings.block_size = static_cast<std::size_t>(arguments.block_kib) << 10U;
  if (arguments.quick) settings.turns = 3, settings.pings = 200;
  if (arguments.turns > 0) settings.turns = arguments.turns, settings.budget_s = 1e9;

  const auto paths =
      arguments.files.empty() ? demo::large_files((arguments.quick ? 8ULL : 64ULL) << 20U) : arguments.files;
  const std::vector<demo::File> files = demo::load(paths, settings.block_size);
  if (demo::total_size(files) == 0) throw std::runtime_error("there is nothing to move: the files are empty");

  bench::Report report;
  report.machine = bench::this_machine();
  const bench::Certificate certificate;
  for (const char* const name : {"CORBEL_TLS_CERTIFICATE", "CORBEL_TLS_AUTHORITIES"}) {
    ::setenv(name, certificate.file().c_str(), 1);  // leads ORBs to it, here and in children
  }
  introduce(files, report.machine, arguments.block_kib);
  const std::vector<demo::Achieved> achieved = demo::demonstrate(files, settings);
  demo::print_table(achieved);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  const bool good = conclude(files, achieved, took.count());
  if (!arguments.json.empty()) {
    report.results = demo::results_of(achieved);
    bench::write_json(report, arguments.json);
    std::cout << "Figures written to " << arguments.json << ".\n";
  }
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string role = argc > 1 ? argv[1] : "";
  Arguments arguments;
  CLI::App app("Moves files between two processes over every protocol of Corbel and compares with plain C sockets.",
               "corbel-demo");
  app.add_option("FILE", arguments.files, "files to move; default: the largest on this machine, 64 MiB in all");
  app.add_option("--json", arguments.json, "write the figures to this file, too");
  app.add_flag("--quick", arguments.quick, "fewer turns and, without FILE, less to move");
  app.add_option("--repeat", arguments.turns, "turns to take (default 7, fewer on a slow machine)")
      ->check(CLI::Range(1, 1000));
  app.add_option("--block", arguments.block_kib, "KiB moved by one call")
      ->check(CLI::Range(1, 65536))
      ->capture_default_str();
  try {
    if (role == "--as-image-server") return demo::image_server_main();
    if (role == "--as-plain-server") return demo::plain_server_main();
    CLI11_PARSE(app, argc, argv);
    return run(arguments);
  } catch (const std::exception& failure) {
    std::cout << std::flush;
    std::cerr << "corbel-demo: " << failure.what() << '\n';
    return 2;
  }
}
