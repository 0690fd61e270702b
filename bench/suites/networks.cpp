// SPDX-License-Identifier: Apache-2.0
// Suite networks: ttcp and latency over the papers' networks, emulated by rate-limited virtual Ethernet between network
// namespaces.
#include <algorithm>
#include <iostream>
#include <stdexcept>

#include "common/progress.hpp"
#include "suites/network_plans.hpp"

namespace bench {
namespace {

class Run {
 public:
  Run(const Settings& settings, Report& report)
      : settings_(settings), report_(report), mechanisms_(find_all_mechanisms(report.machine, only())) {
    // Open MPI is told to stay on loopback: its daemons do not follow into the namespaces.
    std::erase_if(mechanisms_, [](const Mechanism& one) {
      return !(one.over("tcp") || one.over("udp")) || one.protocol == "giop_lite" || one.orb.starts_with("OpenMPI");
    });
  }

  void run() {
    if (settings_.transport == "udp" && !settings_.mode.empty() && settings_.mode != "oneway") {
      throw std::runtime_error("networks: over udp there is the mode oneway alone");
    }
    const bool possible = Network::possible();
    const std::vector<NetworkKind> kinds =
        possible ? kinds_to_run() : std::vector<NetworkKind>{{.name = "loopback", .mtu = 65536}};
    if (!possible) {
      std::cout << "Emulated networks need root, and the programs unshare, nsenter, ip and tc (packages util-linux and "
                   "iproute2).\nGoing on over loopback only.\n";
    }
    std::size_t steps = 0;
    for (const NetworkKind& kind : kinds) {
      for (const StreamPlan& plan : network_streams(kind, nullptr, settings_)) {
        steps += Streams(plan, mechanisms_).steps();
      }
      for (const LatencyPlan& plan : network_latencies(kind, nullptr, settings_)) {
        steps += Latencies(plan, mechanisms_).steps();
      }
    }
    announce_duration(settings_, static_cast<double>(steps) * 0.55);
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
    std::vector<NetworkKind> kinds = papers_networks();
    if (settings_.quick && settings_.networks.empty()) kinds = {kinds[0], kinds[2], kinds[4]};
    if (!settings_.networks.empty()) {
      std::erase_if(kinds, [&](const NetworkKind& kind) {
        return std::ranges::none_of(settings_.networks, [&](const auto& name) { return kind.name.starts_with(name); });
      });
    }
    return kinds;
  }

  void measure(const NetworkKind& kind, bool possible, Progress& progress) {
    std::optional<Network> network;
    if (possible) network.emplace(kind);
    const Network* const used = network ? &*network : nullptr;
    const auto keep = [&](const std::vector<Result>& results) {
      report_.results.insert(report_.results.end(), results.begin(), results.end());
    };
    for (const StreamPlan& plan : network_streams(kind, used, settings_)) {
      Streams& streams = streams_.emplace_back(NetworkStreams{kind, Streams(plan, mechanisms_)}).streams;
      measure_and_keep([&] { streams.measure(progress); }, [&] { keep(streams.results()); });
    }
    for (const LatencyPlan& plan : network_latencies(kind, used, settings_)) {
      Latencies latencies(plan, mechanisms_);
      measure_and_keep([&] { latencies.measure(progress); },
                       [&] {
                         keep(latencies.results());
                         latencies_.insert(latencies_.end(), latencies.results().begin(), latencies.results().end());
                       });
    }
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
