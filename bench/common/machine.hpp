// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace bench {

/// Where figures were taken.
struct Machine {
  std::string processor;
  std::size_t cores = 0;  ///< those this process may use
  std::string kernel;
  double load = 0;  ///< processes that ran or wanted to, mean of the last minute
  std::map<std::string, std::string>
      versions;  ///< of Corbel, the compiler, its flags, what is compared with, or "absent"
};

/// This machine now; versions of Corbel, the compiler and its flags filled in.
Machine this_machine();

/// One line: "AMD EPYC, 2 cores, Linux 6.1, load 0.3".
std::string describe(const Machine& machine);

/// Processor time that the hypervisor gave to others since the machine started, in clock ticks; all ticks in `total`.
struct Ticks {
  double stolen = 0;
  double total = 0;
};
Ticks processor_ticks();

/// Percent of processor time stolen between two readings.
double stolen_percent(const Ticks& before, const Ticks& after);

}  // namespace bench
