// SPDX-License-Identifier: Apache-2.0
// Suite networks: ttcp and latency over the papers' networks, emulated by rate-limited virtual Ethernet between network
// namespaces.
#include <algorithm>
#include <iostream>

#include "common/cpus.hpp"
#include "common/progress.hpp"
#include "suites/latency.hpp"
#include "suites/network.hpp"
#include "suites/suite.hpp"
#include "suites/ttcp.hpp"

namespace bench {
namespace {

const std::vector<NetworkKind> kKinds{{"Ethernet 10 Mb/s", 10, 1500},
                                      {"FDDI 100 Mb/s", 100, 4500},
                                      {"ATM 155 Mb/s", 155, 9180},
                                      {"HiPPI 800 Mb/s", 800, 65280},
                                      {"unlimited", 0, 65280}};

class Run {
 public:
  Run(const Settings& settings, Report& report)
      : settings_(settings), report_(report), mechanisms_(find_all_mechanisms(report.machine, only())) {
    // Open MPI is told to stay on loopback: its daemons do not follow into the namespaces.
    std::erase_if(mechanisms_, [](const Mechanism& one) {
      return !one.over("tcp") || one.protocol == "giop_lite" || one.orb.starts_with("OpenMPI");
    });
  }

  void run() {
    const bool possible = Network::possible();
    const std::vector<NetworkKind> kinds = possible ? kinds_to_run() : std::vector<NetworkKind>{{"loopback", 0, 65536}};
    if (!possible) {
      std::cout << "Emulated networks need root, and the programs unshare, nsenter, ip and tc (packages util-linux and "
                   "iproute2).\nGoing on over loopback only.\n";
    }
    std::size_t steps = 0;
    for (const NetworkKind& kind : kinds) {
      for (const StreamPlan& plan : stream_plans(kind)) steps += Streams(plan, mechanisms_).steps();
      steps += Latencies(latency_plan(kind), mechanisms_).steps();
    }
    announce_duration(settings_, static_cast<double>(steps) * 0.8);
    Progress progress(steps);
    measure_and_keep(
        [&] {
          for (const NetworkKind& kind : kinds) measure(kind, possible, progress);
        },
        [&] {
          progress.finish();
          for (const auto& [kind, streams] : streams_) {
            std::cout << "\n" << kind.name << ", MTU " << kind.mtu;
            streams.print(std::cout);
          }
          if (!latencies_.empty()) Latencies::print(latencies_, std::cout);
        });
  }

 private:
  struct NetworkStreams {
    NetworkKind kind;
    Streams streams;
  };

  /// Quick runs compare what the papers compared: sockets and ORBs.
  std::vector<std::string> only() const {
    return settings_.only.empty() && settings_.quick ? std::vector<std::string>{"corbel", "omniORB"} : settings_.only;
  }

  std::vector<NetworkKind> kinds_to_run() const {
    std::vector<NetworkKind> kinds = kKinds;
    if (settings_.quick && settings_.networks.empty()) kinds = {kKinds[0], kKinds[2], kKinds[4]};
    if (!settings_.networks.empty()) {
      std::erase_if(kinds, [&](const NetworkKind& kind) {
        return std::ranges::none_of(settings_.networks, [&](const auto& name) { return kind.name.starts_with(name); });
      });
    }
    return kinds;
  }

  static Case case_of(const NetworkKind& kind) {
    return {{"network", kind.name},
            {"mtu", std::to_string(kind.mtu)},
            {"placement", allowed_cpus().size() > 1 ? "two cpus" : "one cpu"}};
  }

  static Placement placed(const Network* network) {
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

  /// What is streamed over a network: always octets and BinStructs with the system's socket queues; in full also what
  /// the papers streamed over that one. 1995: octets and strings from 1 octet on, queues of 8 and 64 KiB, over Ethernet
  /// and ATM. 1996: all types over ATM (SIGCOMM); 16 KiB of chars and BinStructs, there and back, over all (NASA).
  std::vector<StreamPlan> stream_plans(const NetworkKind& kind, const Network* network = nullptr) const {
    std::vector<StreamPlan> plans = all_stream_plans(kind, network);
    for (StreamPlan& plan : plans) {
      if (settings_.types.empty()) break;
      std::erase_if(plan.types,
                    [&](const std::string& type) { return std::ranges::count(settings_.types, type) == 0; });
    }
    std::erase_if(plans, [](const StreamPlan& plan) { return plan.types.empty(); });
    return plans;
  }

  std::vector<StreamPlan> all_stream_plans(const NetworkKind& kind, const Network* network) const {
    StreamPlan plan;
    plan.suite = "networks";
    plan.of = case_of(kind);
    plan.types = {"octet", "struct"};
    plan.buffers =
        settings_.quick ? std::vector{8192, 131072} : std::vector{1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072};
    plan.placement = placed(network);
    plan.repetitions = static_cast<std::size_t>(settings_.repetitions(5, 2));
    plan.octets = 64.0 * 1024 * 1024;
    plan.seconds = settings_.quick ? 0.1 : 0.6;
    std::vector<StreamPlan> all{plan};
    if (settings_.quick || kind.megabits == 0) return all;
    const bool is_atm = kind.name.starts_with("ATM");
    if (is_atm) {
      plan.types = {"char", "short", "long", "double", "string", "padded"};
      all.push_back(plan);
    }
    if (is_atm || kind.name.starts_with("Ethernet")) {
      StreamPlan queued = plan;
      queued.types = {"octet", "string"};
      queued.buffers.insert(queued.buffers.begin(), 1);
      for (const int queue : {8192, 65536}) {
        queued.queue = queue;
        all.push_back(queued);
      }
    }
    plan.buffers = {16384};
    if (!is_atm) {
      plan.types = {"char"};
      all.push_back(plan);
    }
    plan.mode = "twoway";
    plan.types = {"char", "struct"};
    all.push_back(plan);
    return all;
  }

  LatencyPlan latency_plan(const NetworkKind& kind, const Network* network = nullptr) const {
    LatencyPlan plan;
    plan.suite = "networks";
    plan.of = case_of(kind);
    plan.payloads = settings_.quick ? std::vector{0} : std::vector{0, 1024, 16384};
    plan.placement = placed(network);
    plan.repetitions = static_cast<std::size_t>(settings_.repetitions(5, 3));
    plan.calls = settings_.quick ? 500 : 5000;
    plan.open_loop = false;
    return plan;
  }

  void measure(const NetworkKind& kind, bool possible, Progress& progress) {
    std::optional<Network> network;
    if (possible) network.emplace(kind);
    const Network* const used = network ? &*network : nullptr;
    const auto keep = [&](const std::vector<Result>& results) {
      report_.results.insert(report_.results.end(), results.begin(), results.end());
    };
    for (const StreamPlan& plan : stream_plans(kind, used)) {
      Streams& streams = streams_.emplace_back(NetworkStreams{kind, Streams(plan, mechanisms_)}).streams;
      measure_and_keep([&] { streams.measure(progress); }, [&] { keep(streams.results()); });
    }
    Latencies latencies(latency_plan(kind, used), mechanisms_);
    measure_and_keep([&] { latencies.measure(progress); },
                     [&] {
                       keep(latencies.results());
                       latencies_.insert(latencies_.end(), latencies.results().begin(), latencies.results().end());
                     });
  }

  const Settings& settings_;
  Report& report_;
  std::vector<Mechanism> mechanisms_;
  std::vector<NetworkStreams> streams_;
  std::vector<Result> latencies_;
};

}  // namespace

int run_networks(const Settings& settings, Report& report) {
  Run(settings, report).run();
  return 0;
}

}  // namespace bench
