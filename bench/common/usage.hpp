// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <map>

namespace bench {

/// What a process has used up so far.
struct Usage {
  double cpu_ns = 0;  ///< of all its threads, those that have ended included
  /// Context switches of each living thread, whether it had to wait or its time was up.
  std::map<pid_t, double> switches;
};
/// Zeros if there is no such process.
Usage usage_of(pid_t process);

/// Context switches from one reading to a later one. At least 0; what a thread did after the last reading before its
/// end is missing, since the kernel tells it to the parent alone.
double switches_between(const Usage& before, const Usage& after);

/// Processor time of all threads of a process so far, in seconds; the kernel counts in ticks, of 10 ms as a rule. Zeros
/// if there is no such process.
struct ProcessorTime {
  double user = 0;
  double system = 0;
};
ProcessorTime processor_time_of(pid_t process);

/// What a process holds now, in octets.
struct Memory {
  double resident = 0;   ///< all that is in memory
  double exclusive = 0;  ///< of that, what no other process shares
};
/// Zeros if there is no such process.
Memory memory_of(pid_t process);

/// Octets of the program and the libraries that a process has mapped, those of the C and C++ run times excepted.
double mapped_files_of(pid_t process);

}  // namespace bench
