// SPDX-License-Identifier: Apache-2.0
// Suite contract: what a warm two-way void call may cost at most, asserted; counts, never times.
#include <iostream>

#include "common/table.hpp"
#include "suites/counting.hpp"
#include "suites/suite.hpp"

namespace bench {
namespace {

constexpr int kCannotTrace = 77;  ///< what CTest takes as "skipped"

/// Something else may happen now and then (a timer); not in every call.
constexpr double kSlack = 0.02;

double total(const Costs& calls, std::initializer_list<const char*> names) {
  double count = 0;
  for (const char* const name : names) {
    const auto found = calls.find(name);
    if (found != calls.end()) count += found->second;
  }
  return count;
}

class Contract {
 public:
  explicit Contract(std::string where) : where_(std::move(where)) {}

  void at_most(const std::string& what, double count, double limit) {
    check(what, count, count <= limit + kSlack, limit);
  }
  void exactly(const std::string& what, double count, double wanted) {
    check(what, count, count <= wanted + kSlack && count >= wanted - kSlack, wanted);
  }
  void none(const std::string& what, double count) { check(what, count, count == 0, 0); }
  bool kept() const noexcept { return kept_; }

 private:
  void check(const std::string& what, double count, bool good, double limit) {
    std::cout << (good ? "ok      " : "BROKEN  ") << where_ << ": " << what << ": " << number(count, 3) << " per call";
    if (!good) std::cout << " where the contract says " << number(limit);
    std::cout << '\n';
    kept_ = kept_ && good;
  }

  std::string where_;
  bool kept_ = true;
};

/// See there.
const Workload kPings{.server_environment = kPatientServer};
/// Whether a side sleeps over shared memory is luck, call by call: few calls that always slept, subtracted from many
/// that never did, or the other way round, would say more than there is. Less than the slack of them are subtracted.
const Workload kUnsteadyPings{.few = 20, .server_environment = kPatientServer};
const Workload kBlocks{
    .command = "stream twoway octet 65536", .few = 200, .many = 400, .server_environment = kPatientServer};

/// A wake may still be under way when what it tells of has been answered; it then ends the next sleep early, and there
/// is one more. strace, which stops both sides at each system call, makes that common.
constexpr double kLateWakes = 0.5;

/// What is done by the clock comes more often to a call where a traced one takes long, beside other programs.
constexpr double kByTheClock = 0.1;

/// Shared memory: nothing but one wake of the side that sleeps, and one sleep (which is not always needed).
void check_memory(Contract& contract, const std::string& side, const Costs& calls) {
  const double sleeps = total(calls, {"futex_waitv", "syscall_0x1c1"});
  contract.at_most("wakes (futex) of the " + side, total(calls, {"futex"}), 1);
  contract.at_most("sleeps (futex_waitv) of the " + side, sleeps, 1 + kLateWakes);
  contract.at_most("other system calls of the " + side, sum(calls) - total(calls, {"futex"}) - sleeps, kByTheClock);
}

bool keeps_contract(const Mechanism& mechanism, const std::string& transport) {
  Contract contract(mechanism.label() + " over " + transport);
  const std::vector<double> allocations = count_allocations(mechanism, transport, kPings);
  contract.none("heap allocations of the client", allocations[0]);
  contract.none("heap allocations of the server", allocations[1]);

  contract.at_most("heap allocations of the server for 64 KiB", count_allocations(mechanism, transport, kBlocks)[1], 0);

  const bool memory = transport == "shm";
  const std::vector<SystemCalls> sides = count_system_calls(mechanism, transport, memory ? kUnsteadyPings : kPings);
  const Costs& client = sides[0].calls;
  const Costs& server = sides[1].calls;
  if (memory) {
    check_memory(contract, "client", client);
    check_memory(contract, "server", server);
    return contract.kept();
  }
  contract.exactly("sends of the client", total(client, {"sendto", "sendmsg", "write", "writev"}), 1);
  contract.exactly("receives of the client", total(client, {"recvfrom", "recvmsg", "read", "readv"}), 1);
  contract.at_most("system calls of the client", sum(client), 2);
  contract.exactly("sends of the server", total(server, {"sendto", "sendmsg", "write", "writev"}), 1);
  contract.exactly("receives of the server", total(server, {"recvfrom", "recvmsg", "read", "readv"}), 1);
  contract.at_most("waits of the server",
                   total(server, {"epoll_wait", "epoll_pwait", "epoll_pwait2", "poll", "ppoll", "select", "pselect6"}),
                   1);
  contract.at_most("system calls of the server", sum(server), 3);
  contract.at_most("hand-offs (futex) of the client", total(client, {"futex"}), 0);
  contract.at_most("hand-offs (futex) of the server", total(server, {"futex"}), 0);
  return contract.kept();
}

/// Calls by futures, ten under way, each waited for: who waits reads, and no thread is woken. Every 10 ms a thread
/// looks whether anybody reads; traced, a call takes long.
bool keeps_contract_of_futures(const Mechanism& mechanism) {
  constexpr double kLooks = 0.1;
  const Workload futures{.command = "async futures 10", .server_environment = kPatientServer};
  Contract contract(mechanism.label() + " over tcp, futures");
  contract.at_most("heap allocations of the client", count_allocations(mechanism, "tcp", futures)[0], 0);
  Costs client;
  // Where other programs have the processors there are more looks to a call, and in each run another number.
  for (int tries = 0; tries < 3; ++tries) {
    client = count_system_calls(mechanism, "tcp", futures)[0].calls;
    if (total(client, {"futex"}) <= kLooks) break;
  }
  contract.exactly("sends of the client", total(client, {"sendto", "sendmsg", "write", "writev"}), 1);
  contract.at_most("receives of the client", total(client, {"recvfrom", "recvmsg", "read", "readv"}), 1 + kLooks);
  contract.at_most("waits of the reactor of the client", total(client, {"epoll_wait", "epoll_ctl"}), 2 * kLooks);
  contract.at_most("hand-offs (futex) of the client", total(client, {"futex"}), kLooks);
  return contract.kept();
}

/// Connections that the reactor watches (here all; by default those beyond the ones that keep a thread): what it would
/// tell anyhow is not asked of the carrier once more, it need not be told to tell of the next, buffers that idle
/// connections do not keep are the thread's, and no other thread is woken while requests are short. In a pool
/// one looks every 10 ms whether anybody leads; traced, a call takes long.
bool keeps_contract_of_watched(const Mechanism& mechanism, const std::string& concurrency) {
  Workload pings = kPings;
  pings.server_environment.push_back("CORBEL_CONCURRENCY=" + concurrency);
  const double most = concurrency == "pool" ? 3.2 : 3.02;
  Contract contract(mechanism.label() + " over tcp, server " + concurrency);
  Costs server;
  for (int tries = 0; tries < 3; ++tries) {
    server = count_system_calls(mechanism, "tcp", pings)[1].calls;
    if (sum(server) <= most) break;
  }
  contract.at_most("heap allocations of the server", count_allocations(mechanism, "tcp", pings)[1], 0);
  contract.exactly("receives of the server", total(server, {"recvfrom", "recvmsg", "read", "readv"}), 1);
  contract.at_most("waits of the reactor of the server", total(server, {"epoll_wait", "epoll_pwait"}), 1);
  contract.at_most("system calls of the server", sum(server), most);
  return contract.kept();
}

}  // namespace

int run_contract(const Settings&, Report& report) {
  if (!can_trace()) {
    std::cout << "strace is not installed, or may not trace here: the contract cannot be checked\n";
    return kCannotTrace;
  }
  bool kept = true;
  for (const Mechanism& mechanism : find_mechanisms(report.machine)) {
    if (mechanism.orb != "corbel") continue;
    for (const char* const transport : {"tcp", "unix", "shm"}) kept = keeps_contract(mechanism, transport) && kept;
    kept = keeps_contract_of_futures(mechanism) && kept;
    for (const char* const each : {"single", "pool"}) kept = keeps_contract_of_watched(mechanism, each) && kept;
  }
  std::cout << (kept ? "The contract is kept.\n" : "The contract is BROKEN.\n");
  return kept ? 0 : 1;
}

}  // namespace bench
