// SPDX-License-Identifier: Apache-2.0
// What processes that serve metrics (Corbel::metrics) say, read for `corbel top`.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace corbel::tool {

/// The figures of one process at one moment.
struct Figures {
  struct Operation {
    std::uint64_t ok = 0, errors = 0;
    double seconds = 0;
    /// Upper bound in seconds, calls up to it; ascending.
    std::vector<std::pair<double, std::uint64_t>> buckets;
    std::uint64_t calls() const { return ok + errors; }
  };
  /// By side ("server", "client") and operation.
  std::map<std::pair<std::string, std::string>, Operation> operations;
  std::uint64_t connections = 0;
  std::map<std::string, std::uint64_t> in_flight;  ///< by side
  std::uint64_t resident = 0;                      ///< octets
  double start = 0;                                ///< of the process, seconds since 1970
};

/// Reads the text format of Prometheus. Lines that it does not know are left out. Throws std::runtime_error if nothing
/// is there that Corbel writes.
Figures read_figures(const std::string& text);

/// What happened between two moments; all of `now` if the process has started anew.
Figures::Operation difference(const Figures::Operation& now, const Figures::Operation* before);

/// Seconds that `part` of the calls did not exceed, as far as the buckets tell; 0 without calls.
double quantile(const Figures::Operation& operation, double part);

/// Asks HOST:PORT for /metrics. Throws std::runtime_error.
std::string fetch_metrics(const std::string& address, std::chrono::milliseconds timeout);

}  // namespace corbel::tool
