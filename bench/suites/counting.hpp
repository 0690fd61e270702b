// SPDX-License-Identifier: Apache-2.0
// What one warm two-way void call costs, counted, not timed. What happens at start-up cancels: two runs that differ
// only in the number of calls are subtracted.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "suites/mechanism.hpp"

namespace bench {

/// The sides of a call, in the order of `Counts`.
inline const std::vector<std::string> kSides = {"client", "server"};

/// What is counted, by name, per call.
using Costs = std::map<std::string, double>;

/// What is counted: a command of peers/peer.hpp whose last word is how many calls to make.
struct Workload {
  std::string command = "ping";
  int few = 300;  ///< calls that are subtracted
  int many = 1300;
  std::vector<std::string> server_environment = {};  ///< "NAME=value"
};

/// What a server does by the clock (an idle connection gives its thread back, a thread looks for slow upcalls) must not
/// be counted as what it does by the call, however slow a traced process on a busy machine may be.
inline const std::vector<std::string> kPatientServer = {"CORBEL_STICKY_IDLE=60000", "CORBEL_SLOW_UPCALL=60000"};

/// User-space instructions of each side, by function (callgrind). Their sum is what the side costs. All are the
/// client's if it is the server, too.
std::vector<Costs> count_instructions(const Mechanism& mechanism, const std::string& transport,
                                      const Workload& workload = {});

struct SystemCalls {
  Costs calls;        ///< by the name of the call
  double octets = 0;  ///< sent
};
/// System calls of each side (strace).
std::vector<SystemCalls> count_system_calls(const Mechanism& mechanism, const std::string& transport,
                                            const Workload& workload = {});

/// Heap allocations of each side, counted by a preloaded library.
std::vector<double> count_allocations(const Mechanism& mechanism, const std::string& transport,
                                      const Workload& workload = {});

double sum(const Costs& costs);

/// True if strace may trace processes here.
bool can_trace();

}  // namespace bench
