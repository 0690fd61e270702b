// SPDX-License-Identifier: Apache-2.0
#include "suites/network_plans.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "common/cpus.hpp"

namespace bench {
namespace {

constexpr int kMiB = 1024 * 1024;
constexpr int kMostInDatagram = 60'000;  // octets, with what a protocol adds

/// What the papers compared; all others take part in the usual streams only.
const std::vector<std::string> kOrbs1995{"raw", "wrappers", "corbel", "omniORB"};
const std::vector<std::string> kOrbsSigcomm{"raw", "wrappers", "ONC-RPC", "corbel", "omniORB"};
const std::vector<std::string> kOrbsNasa{"raw", "corbel", "omniORB"};

Case case_of(const NetworkKind& kind) {
  return {{"network", kind.name},
          {"mtu", std::to_string(kind.mtu)},
          {"placement", allowed_cpus().size() > 1 ? "two cpus" : "one cpu"}};
}

Placement placed(const Network* network) {
  Placement placement;
  const std::vector<int> cpus = allowed_cpus();
  placement.client.cpu = cpus.front();
  placement.server.cpu = cpus.back();
  if (network != nullptr) {
    placement.host = Network::server_address();
    placement.server_tool = network->on_server();
    placement.client_tool = network->on_client();
  }
  return placement;
}

StreamPlan usual(const NetworkKind& kind, const Network* network, const Settings& settings) {
  StreamPlan plan;
  plan.suite = "networks";
  plan.of = case_of(kind);
  plan.types = {"octet", "struct"};
  plan.buffers =
      settings.quick ? std::vector{8192, 131072} : std::vector{1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072};
  plan.placement = placed(network);
  plan.rounds = settings.rounds(3, 2);          // what a limited rate varies is little
  plan.least = settings.choose(4.0, 2.0, 4.0);  // 128 KiB take a tenth of a second at 10 Mb/s
  plan.octets = 64.0 * kMiB;
  plan.seconds = settings.choose(0.4, 0.05, 0.1);
  return plan;
}

/// What the NASA report has of each network beyond streams with the system's queues.
void add_nasa(const NetworkKind& kind, const StreamPlan& usual, std::vector<StreamPlan>& all) {
  StreamPlan plan = usual;
  plan.types = {"octet"};
  plan.buffers = {1024, 2048, 4096, 8192, 16384, 32768, 65536};
  plan.orbs = kOrbsNasa;
  const bool has_queues = kind.name.starts_with("ATM") || kind.name.starts_with("Ethernet");  // those of 1995
  for (const int queue : {8192, 65536, kMiB}) {
    plan.queue = queue;
    if (queue < kMiB ? !has_queues : kind.queue == kMiB) all.push_back(plan);
  }
  plan.queue = kind.queue;
  plan.no_delay = false;
  all.push_back(plan);
  plan.no_delay = true;
  plan.transport = "udp";
  plan.buffers = {1024, 4096, 8192, 16384, 32768};
  all.push_back(plan);
}

/// The round trip of table 3: the data come back.
StreamPlan round_trip(const StreamPlan& usual, std::vector<std::string> types) {
  StreamPlan plan = usual;
  plan.mode = "ring";
  plan.types = std::move(types);
  plan.buffers = {16384};
  return plan;
}

std::vector<StreamPlan> papers(const NetworkKind& kind, const StreamPlan& usual, const Settings& settings) {
  std::vector<StreamPlan> all{usual};
  StreamPlan plan = usual;
  if (settings.quick) {
    all.push_back(round_trip(usual, {"char"}));
    plan.transport = "udp";
    plan.types = {"octet"};
    plan.buffers = {8192};
    all.push_back(plan);
    return all;
  }
  if (kind.megabits == 0) return all;
  const bool is_atm = kind.name.starts_with("ATM");
  if (is_atm || kind.name.starts_with("Ethernet")) {
    StreamPlan queued = plan;
    queued.types = {"octet", "string"};
    queued.orbs = kOrbs1995;
    queued.buffers.insert(queued.buffers.begin(), 1);
    queued.queue = 8192;
    all.push_back(queued);
    queued.queue = 65536;
    if (is_atm) {  // those of the SIGCOMM paper, which has RPC and more types
      queued.types = {"octet", "char", "short", "long", "double", "string", "struct", "padded"};
      queued.orbs = kOrbsSigcomm;
    }
    all.push_back(queued);
  }
  add_nasa(kind, usual, all);
  plan.types = {"char"};
  plan.buffers = {16384};
  plan.orbs = kOrbsNasa;
  all.push_back(plan);
  all.push_back(round_trip(usual, {"char", "struct"}));
  return all;
}

bool is_own(const Settings& settings) {
  return !settings.queues.empty() || !settings.mode.empty() || !settings.transport.empty() ||
         !settings.no_delay.empty() || !settings.buffers.empty();
}

/// A combination of one's own: not only those that the papers have.
std::vector<StreamPlan> chosen(StreamPlan plan, const Settings& settings) {
  std::vector<StreamPlan> all;
  if (!settings.mode.empty()) plan.mode = settings.mode;
  if (!settings.transport.empty()) plan.transport = settings.transport;
  plan.no_delay = settings.no_delay != "off";
  if (!settings.types.empty()) plan.types = settings.types;
  for (const int queue : settings.queues.empty() ? std::vector{0} : settings.queues) {
    plan.queue = queue;
    all.push_back(plan);
  }
  return all;
}

}  // namespace

std::vector<NetworkKind> papers_networks() {
  // The queues are those with which table 1 of NAS-96-006 has the network's parameters. Of the 155.52 Mbit/s of OC-3c
  // SONET leaves 149.76 to cells.
  return {{.name = "Ethernet 10 Mb/s", .megabits = 10, .mtu = 1500, .framing = kEthernet, .queue = 8192},
          {.name = "FDDI 100 Mb/s", .megabits = 100, .mtu = 4500, .framing = kFddi, .queue = 65536},
          {.name = "ATM 155 Mb/s", .megabits = 149.76, .mtu = 9180, .framing = kAtm, .queue = 65536},
          {.name = "HiPPI 800 Mb/s", .megabits = 800, .mtu = 65280, .framing = kHippi, .queue = kMiB},
          {.name = "unlimited", .megabits = 0, .mtu = 65280}};
}

std::vector<StreamPlan> network_streams(const NetworkKind& kind, const Network* network, const Settings& settings) {
  const StreamPlan plan = usual(kind, network, settings);
  std::vector<StreamPlan> plans = is_own(settings) ? chosen(plan, settings) : papers(kind, plan, settings);
  for (StreamPlan& one : plans) {
    if (!settings.types.empty()) {
      std::erase_if(one.types, [&](const auto& type) { return std::ranges::count(settings.types, type) == 0; });
    }
    if (!settings.buffers.empty()) one.buffers = settings.buffers;
    if (!settings.only.empty()) one.orbs.clear();
    if (one.transport != "udp") continue;
    // A datagram has to fit into a queue; an ORB refuses one that does not.
    const int most = one.queue > 0 ? std::min(one.queue, kMostInDatagram) : kMostInDatagram;
    std::erase_if(one.buffers, [&](int buffer) { return buffer > most; });
  }
  std::erase_if(plans, [](const StreamPlan& one) { return one.types.empty() || one.buffers.empty(); });
  return plans;
}

std::vector<LatencyPlan> network_latencies(const NetworkKind& kind, const Network* network, const Settings& settings) {
  if (is_own(settings)) return {};
  LatencyPlan plan;
  plan.suite = "networks";
  plan.of = case_of(kind);
  plan.placement = placed(network);
  plan.rounds = settings.rounds(5, 3);
  plan.open_loop = false;
  std::vector<LatencyPlan> all;
  for (const int payload : settings.quick ? std::vector{0} : std::vector{0, 1024, 16384}) {
    plan.payloads = {payload};
    // No more calls than the network carries in two seconds: 16 KiB take 14 ms at 10 Mb/s.
    const double least = kind.megabits > 0 ? payload * 8 / kind.megabits : 0;  // us
    plan.calls = std::clamp(std::lround(settings.choose(2e6, 5e5, 5e5) / std::max(least, 1.0)),
                            settings.choose(200L, 40L, 500L), settings.choose(5000L, 1000L, 500L));
    all.push_back(plan);
  }
  plan.transport = "udp";
  plan.payloads = {8};
  plan.calls = settings.choose(5000, 1000, 500);
  all.push_back(plan);
  return all;
}

}  // namespace bench
