// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

namespace bench {

/// What a process and its threads asked of the kernel.
struct Trace {
  std::map<std::string, double> calls;  ///< how often, by name
  double octets_sent = 0;               ///< through calls that send or write, standard streams excepted
};

/// Reads what `strace -f -o path` wrote. Throws std::runtime_error if there is no such file.
Trace read_strace(const std::string& path);

}  // namespace bench
