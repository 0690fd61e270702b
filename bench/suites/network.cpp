// SPDX-License-Identifier: Apache-2.0
#include "suites/network.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace bench {
namespace {

constexpr std::chrono::seconds kTimeout(10);

/// A process in a new network namespace that does nothing until its input ends; it echoes, which tells that it is
/// there.
Child new_host() {
  Child host({"unshare", "--net", "cat"}, {.quiet = true});
  host.write_line("up");
  if (host.read_line(kTimeout) != "up") throw std::runtime_error("no network namespace");
  return host;
}

/// Runs a command that must succeed and writes nothing.
void run(const std::vector<std::string>& host, const std::string& command) {
  std::vector<std::string> argv = host;
  argv.insert(argv.end(), {"sh", "-c", command + " && echo done"});
  if (output_of(argv, kTimeout) != "done\n") throw std::runtime_error("cannot set up a network: " + command);
}

/// A token bucket, as shallow as the timer and one packet allow, before a queue of 50 ms.
void limit_rate(const std::vector<std::string>& host, const std::string& device, const NetworkKind& kind) {
  const double per_millisecond = kind.megabits * 1e6 / 8 / 1000;
  const long burst = std::lround(std::max(per_millisecond, 2.0 * kind.mtu));
  run(host, "tc qdisc add dev " + device + " root tbf rate " + std::to_string(std::lround(kind.megabits * 1000)) +
                "kbit burst " + std::to_string(burst) + " latency 50ms");
}

}  // namespace

std::vector<std::string> Network::inside(const Child& host) {
  return {"nsenter", "--net=/proc/" + std::to_string(host.process()) + "/ns/net"};
}

bool Network::possible() {
  return program_exists("ip") && program_exists("tc") && program_exists("nsenter") &&
         output_of({"unshare", "--net", "echo", "yes"}, kTimeout) == "yes\n";
}

Network::Network(const NetworkKind& kind) {
  server_.emplace(new_host());
  client_.emplace(new_host());
  const auto server = on_server();
  const auto client = on_client();
  run(server, "ip link add lab0 type veth peer name lab1 netns " + std::to_string(client_->process()));
  const std::string mtu = " mtu " + std::to_string(kind.mtu) + " up";
  run(server, std::string("ip address add ") + server_address() + "/24 dev lab0 && ip link set lab0" + mtu);
  run(client, "ip address add 10.77.0.2/24 dev lab1 && ip link set lab1" + mtu);
  if (kind.megabits <= 0) return;
  limit_rate(server, "lab0", kind);
  limit_rate(client, "lab1", kind);
}

}  // namespace bench
