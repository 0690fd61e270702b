// SPDX-License-Identifier: Apache-2.0
// Latency of two-way calls, as the suites latency and networks measure it.
#pragma once

#include <array>
#include <iosfwd>
#include <string>
#include <vector>

#include "common/rounds.hpp"
#include "suites/mechanism.hpp"

namespace bench {

class Progress;

/// One group of cases that are compared with each other.
struct LatencyPlan {
  std::string suite = "latency";
  Case of = {};                     ///< joins every case
  std::string transport = "tcp";    ///< tcp, unix or shm
  std::vector<int> payloads = {0};  ///< octets that a call carries; 0: a void call
  Placement placement = {};
  Rounds rounds = {};
  long calls = 1000;      ///< in one measurement
  bool open_loop = true;  ///< also calls at fixed times,
  double seconds = 0;     ///< of which no more than take so long, but 1,000; 0: no such limit
};

/// Runs a plan with every mechanism that can, interleaved, the raw sockets first.
class Latencies {
 public:
  Latencies(LatencyPlan plan, const std::vector<Mechanism>& mechanisms);

  std::size_t steps() const;
  /// Throws std::runtime_error if a mechanism fails.
  void measure(Progress& progress);
  const std::vector<Result>& results() const noexcept { return results_; }
  /// A row for each case, in the order of measurement.
  static void print(const std::vector<Result>& results, std::ostream& out);

 private:
  struct Running {
    const Mechanism* mechanism;
    Pair pair;
    std::vector<std::vector<double>> samples;  ///< by metric
    bool failed = false;
  };

  void measure_case(std::vector<Running>& running, bool closed, int payload, Progress& progress);
  void measure_one(Running& one, const std::string& command, long calls);
  void add(const Running& one, const std::string& loop, long calls, int payload, const Running& control);

  LatencyPlan plan_;
  std::vector<Mechanism> mechanisms_;
  std::vector<Result> results_;
  double period_ns_ = 0;  ///< of the open loop
};

}  // namespace bench
