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
  double load = 0;  ///< before a run the system's mean of the last minute, after it load_of_others()
  std::map<std::string, std::string> versions;  ///< of Corbel, the compiler, its flags, what is compared with, or
                                                ///< "absent"; commit (if CORBEL_BENCH_COMMIT tells) and day (taken)
};

/// This machine now; versions of Corbel, the compiler and its flags, commit and day filled in.
Machine this_machine();

/// True if what others took, more than a tenth of the processors, makes times doubtful.
bool was_busy(const Machine& machine);

/// One line: "AMD EPYC, 2 cores, Linux 6.1, load 0.3".
std::string describe(const Machine& machine);

/// Processor time since the machine started, in clock ticks.
struct Ticks {
  double stolen = 0;  ///< given to others by the hypervisor
  double busy = 0;    ///< in processes
  double own = 0;     ///< in this process and those that it waited for
  double total = 0;   ///< all there was, of all processors
};
Ticks processor_ticks();

/// Percent of processor time stolen between two readings.
double stolen_percent(const Ticks& before, const Ticks& after);
/// How many processors other programs kept busy between two readings, on average. Exact once the programs that were
/// started in between have been waited for.
double load_of_others(const Ticks& before, const Ticks& after);

}  // namespace bench
