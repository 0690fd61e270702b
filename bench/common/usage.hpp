// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

namespace bench {

/// What a process has used up so far, all its living threads together.
struct Usage {
  double cpu_ns = 0;
  double switches = 0;  ///< context switches, whether it had to wait or its time was up
};
/// Zeros if there is no such process.
Usage usage_of(pid_t process);

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
