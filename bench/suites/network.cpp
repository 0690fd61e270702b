// SPDX-License-Identifier: Apache-2.0
#include "suites/network.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>

#include "suites/mechanism.hpp"

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

constexpr double kQueueSeconds = 0.05;  // what may wait before a link
constexpr int kEthernetHeader = 14;     // that of virtual Ethernet, which tc counts and the original has not

/// What tc adds to each packet. Its table for cells is exact where its steps are no larger than 16 octets.
std::string size_table(const Framing& framing) {
  return " stab overhead " + std::to_string(framing.overhead - kEthernetHeader) + " mpu " +
         std::to_string(framing.least) +
         (framing.cells ? " mtu 16384 tsize 2048 linklayer atm" : " linklayer ethernet");
}

/// A token bucket, as shallow as the timer and one packet allow, before a queue of 50 ms. The kernel must not hand
/// several packets over as one: framing is of each.
void limit_rate(const std::vector<std::string>& host, const std::string& device, const NetworkKind& kind) {
  const double per_millisecond = kind.megabits * 1e6 / 8 / 1000;
  const long burst = std::lround(std::max(per_millisecond, 2.5 * kind.mtu));
  run(host, "ip link set " + device + " gso_max_segs 1 && tc qdisc add dev " + device + " root" +
                size_table(kind.framing) + " tbf rate " + std::to_string(std::lround(kind.megabits * 1000)) +
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

bool Network::lines_possible() {
  return possible() && access("/dev/net/tun", R_OK | W_OK) == 0 &&
         access(beside("corbel-bench-line").c_str(), X_OK) == 0;
}

Network::Network(const NetworkKind& kind) {
  server_.emplace(new_host());
  client_.emplace(new_host());
  if (kind.line) {
    join_by_line(kind);
  } else {
    join_by_devices();
  }
  const std::string mtu = " mtu " + std::to_string(kind.mtu) + " up";
  run(on_server(), std::string("ip address add ") + server_address() + "/24 dev lab0 && ip link set lab0" + mtu);
  run(on_client(), "ip address add 10.77.0.2/24 dev lab1 && ip link set lab1" + mtu);
  if (kind.line || kind.megabits <= 0) return;
  limit_rate(on_server(), "lab0", kind);
  limit_rate(on_client(), "lab1", kind);
}

void Network::join_by_devices() {
  run(on_server(), "ip link add lab0 type veth peer name lab1 netns " + std::to_string(client_->process()));
}

void Network::join_by_line(const NetworkKind& kind) {
  const double bits = kind.megabits * 1e6;
  const auto text = [](double value) { return std::to_string(std::llround(value)); };
  // One packet at least has to wait somewhere.
  const double queue = std::max(bits / 8 * kQueueSeconds, 4.0 * kind.mtu);
  line_.emplace(std::vector<std::string>{beside("corbel-bench-line"), std::to_string(server_->process()), "lab0",
                                         std::to_string(client_->process()), "lab1", text(bits),
                                         text(kind.delay_us * 1000), text(kind.framing.overhead),
                                         text(kind.framing.least), kind.framing.cells ? "1" : "0", text(queue)});
  if (line_->read_line(kTimeout) != "ready") throw std::runtime_error("no line between the hosts");
}

Network::Traffic Network::traffic() {
  if (!line_) throw std::runtime_error("only lines count what goes over them");
  line_->write_line("?");
  std::istringstream words(line_->read_line(kTimeout));
  Traffic traffic;
  if (!(words >> traffic.packets >> traffic.octets >> traffic.framed)) throw std::runtime_error("a line says nothing");
  return traffic;
}

}  // namespace bench
