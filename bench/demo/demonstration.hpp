// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/results.hpp"
#include "common/statistics.hpp"
#include "demo/files.hpp"

namespace demo {

struct Settings {
  int turns = 7;
  int pings = 1000;      ///< per turn
  double budget_s = 40;  ///< no turn begins after so many seconds
  std::size_t block_size = 0;
};

/// What plain C sockets go by in place of a protocol: each block asked for or confirmed, and one stream per file.
inline constexpr char kBlocks[] = "C blocks";
inline constexpr char kStream[] = "C stream";

/// What one way to move files achieved.
struct Achieved {
  std::string protocol;  ///< or kBlocks or kStream
  std::string transport;
  std::size_t control = 0;       ///< place of its control in the list; its own if it is one
  std::vector<double> upload;    ///< MiB/s, one figure per turn
  std::vector<double> download;  ///< MiB/s
  std::vector<double> ping_p50;  ///< us
  std::vector<double> ping_p99;  ///< us
  std::uint64_t checks = 0;      ///< SHA-256 comparisons, each at one end
  std::uint64_t failures = 0;    ///< those that differed
};

/// Starts the servers and moves the files over everything in turn. Throws if a call fails.
std::vector<Achieved> demonstrate(const std::vector<File>& files, const Settings& settings);

/// The table, a line for each way.
void print_table(const std::vector<Achieved>& achieved);
/// The figures for --json.
std::vector<bench::Result> results_of(const std::vector<Achieved>& achieved);

}  // namespace demo
