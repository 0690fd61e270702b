// SPDX-License-Identifier: Apache-2.0
// Suite lines: calls over lines on which octets and distance take their time, where fewer octets win: giop_lite's
// headers, frames', ZIOP's compressed bodies.
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <optional>

#include "common/progress.hpp"
#include "common/table.hpp"
#include "suites/mechanism.hpp"
#include "suites/network.hpp"
#include "suites/suite.hpp"

namespace bench {
namespace {

struct LineKind {
  NetworkKind network;
  long calls;  ///< in one measurement, in full
};

constexpr double kThousandKilometres = 5000;  // us, in glass

std::vector<LineKind> line_kinds() {
  return {
      {{.name = "64 kb/s, 1,000 km", .megabits = 0.064, .framing = kPpp, .delay_us = kThousandKilometres, .line = true},
       40},
      {{.name = "Ethernet 10 Mb/s", .megabits = 10, .framing = kEthernet, .line = true}, 2000},
      {{.name = "ATM 155 Mb/s, 1,000 km",
        .megabits = 149.76,
        .mtu = 9180,
        .framing = kAtm,
        .delay_us = kThousandKilometres,
        .line = true},
       100}};
}

constexpr int kLog = 1024;        // octets of a call that ZIOP finds worth compressing
constexpr int kSmallOneway = 64;  // octets of a oneway call
constexpr long kLeastCalls = 10;  // a median of fewer says little
constexpr long kOnewaysEach = 4;  // oneway calls for each two-way one: the end of a stream must not count for much
constexpr long kWarmUp = 2;       // until both sides have agreed on indices and compression
constexpr int kTripOctets = 8;    // of the round trip over udp

/// What is called, and how: one row for each mechanism that can.
struct Traffic {
  std::string transport;
  std::string mode;  ///< twoway or oneway
  int payload;
};

/// The plug-in that brings ZIOP, in the build or from the folder of the installed program; empty if there is none.
std::string ziop_plugin() {
#ifdef BENCH_ZIOP_BUILT
  for (const std::string& path : {std::string(BENCH_ZIOP_BUILT), beside(BENCH_ZIOP_INSTALLED)}) {
    if (access(path.c_str(), R_OK) == 0) return path;
  }
#endif
  return {};
}

class Run {
 public:
  Run(const Settings& settings, Report& report) : settings_(settings), report_(report), plugin_(ziop_plugin()) {
    const std::vector<std::string> quick{"corbel"};
    const std::vector<std::string> full{"corbel", "omniORB"};
    mechanisms_ =
        find_all_mechanisms(report.machine, !settings.only.empty() ? settings.only : (settings.quick ? quick : full));
    std::erase_if(mechanisms_, [](const Mechanism& one) { return !one.over("tcp"); });
    const auto corbel = std::ranges::find_if(
        mechanisms_, [](const Mechanism& one) { return one.orb == "corbel" && one.protocol == "giop"; });
    if (corbel == mechanisms_.end()) return;
    std::vector<Mechanism> more;
    for (const char* const protocol : {"ziop", "frames"}) {
      more.push_back(*corbel);
      more.back().protocol = protocol;
    }
    if (plugin_.empty()) more.erase(more.begin());
    mechanisms_.insert(mechanisms_.end(), more.begin(), more.end());
  }

  void run() {
    if (!Network::lines_possible()) {
      std::cout << "Lines need root, the programs unshare, nsenter, ip and tc (packages util-linux and iproute2), and "
                   "/dev/net/tun.\nNothing is measured.\n";
      return;
    }
    if (plugin_.empty()) std::cout << "Going on without ZIOP: no ziop.so (it needs zlib1g-dev).\n";
    kinds_ = line_kinds();
    if (!settings_.networks.empty()) {
      std::erase_if(kinds_, [&](const LineKind& kind) {
        return std::ranges::none_of(settings_.networks,
                                    [&](const auto& name) { return kind.network.name.starts_with(name); });
      });
    }
    std::size_t steps = 0;
    for (const Traffic& traffic : traffics()) {
      steps += kinds_.size() * static_cast<std::size_t>(std::ranges::count_if(
                                   mechanisms_, [&](const Mechanism& one) { return takes_part(one, traffic); }));
    }
    announce_duration(settings_, static_cast<double>(steps) * 4);
    Progress progress(steps);
    measure_and_keep(
        [&] {
          for (const LineKind& kind : kinds_) measure(kind, progress);
        },
        [&] {
          progress.finish();
          print();
        });
  }

 private:
  std::vector<Traffic> traffics() const {
    std::vector<Traffic> all;
    for (const int payload : settings_.buffers.empty() ? std::vector{0, kLog} : settings_.buffers) {
      all.push_back({"tcp", "twoway", payload});
    }
    all.push_back({"tcp", "oneway", kSmallOneway});
    all.push_back({"udp", "twoway", kTripOctets});
    return all;
  }

  /// Frames know oneways alone; of datagrams it is the sockets' round trip.
  static bool takes_part(const Mechanism& mechanism, const Traffic& traffic) {
    if (!mechanism.over(traffic.transport)) return false;
    if (traffic.transport == "udp") return mechanism.orb == "raw";
    return traffic.mode == "oneway" ? mechanism.protocol != "ziop" && mechanism.can("oneway")
                                    : mechanism.protocol != "frames" && mechanism.can("latency");
  }

  long calls_of(const LineKind& kind) const { return std::max(kLeastCalls, kind.calls / settings_.choose(1, 3, 10)); }

  void measure(const LineKind& kind, Progress& progress) {
    Network network(kind.network);
    for (const Traffic& traffic : traffics()) {
      std::optional<double> control;
      for (const Mechanism& mechanism : mechanisms_) {
        if (!takes_part(mechanism, traffic)) continue;
        progress.step(mechanism.label() + " over " + kind.network.name);
        survives(mechanism, [&] { measure_one(kind, traffic, mechanism, network, control); });
      }
    }
  }

  void measure_one(const LineKind& kind, const Traffic& traffic, const Mechanism& mechanism, Network& network,
                   std::optional<double>& control) {
    Placement placement;
    placement.host = Network::server_address();
    placement.server_tool = network.on_server();
    placement.client_tool = network.on_client();
    for (ChildOptions* const side : {&placement.client, &placement.server}) {
      side->environment.push_back("CORBEL_BENCH_ZIOP=" + plugin_);
    }
    Pair pair(mechanism, traffic.transport, "", placement);
    const long calls = calls_of(kind) * (traffic.mode == "oneway" ? kOnewaysEach : 1);
    const auto command = [&](long count) {
      return traffic.mode == "oneway"
                 ? "stream oneway octet " + std::to_string(traffic.payload) + " " + std::to_string(count)
                 : "latency " + std::to_string(count) + " " + std::to_string(traffic.payload);
    };
    pair.command(command(kWarmUp));
    std::vector<double> times;
    std::vector<double> octets;
    std::vector<double> packets;
    for (int repetition = 0; repetition < settings_.repetitions(3, 1); ++repetition) {
      const Network::Traffic before = network.traffic();
      const double nanoseconds = pair.command(command(calls)).at(0);
      const Network::Traffic after = network.traffic();
      const auto count = static_cast<double>(calls);
      times.push_back(nanoseconds / 1000 / (traffic.mode == "oneway" ? count : 1));
      octets.push_back((after.framed - before.framed) / count);
      packets.push_back((after.packets - before.packets) / count);
    }
    pair.end();
    const bool oneway = traffic.mode == "oneway";
    add(kind, traffic, mechanism, oneway ? "time_per_call" : "latency_p50", "us", times, control);
    if (!control) control = summarise(times).median;
    add(kind, traffic, mechanism, "octets_per_call", "1/call", octets, {});
    add(kind, traffic, mechanism, "packets_per_call", "1/call", packets, {});
  }

  void add(const LineKind& kind, const Traffic& traffic, const Mechanism& mechanism, const char* metric,
           const char* unit, const std::vector<double>& samples, std::optional<double> control) {
    Result result{"lines", mechanism.case_on(traffic.transport), metric, unit, summarise(samples)};
    result.of["network"] = kind.network.name;
    result.of["mode"] = traffic.mode;
    result.of["octets"] = std::to_string(traffic.payload);
    if (control) {
      result.of["control"] = "raw";
      result.control = control;
    }
    report_.results.push_back(std::move(result));
  }

  void print() const {
    Table table({"line", "call", "mechanism", "ms", "/ raw", "octets on the line", "packets"}, 3);
    std::string last;
    const std::vector<Result>& results = report_.results;
    for (std::size_t i = 0; i + 2 < results.size(); i += 3) {
      const Case& of = results[i].of;
      const std::string call = of.at("transport") + ", " + of.at("mode") + ", " + of.at("octets") + " octets";
      const std::string group = of.at("network") + call;
      if (!last.empty() && group != last) table.add_rule();
      last = group;
      table.add({of.at("network"), call, Mechanism{of.at("orb"), of.at("protocol"), ""}.label(),
                 number(results[i].value.median / 1000, 2),
                 results[i].control ? number(results[i].value.median / *results[i].control, 2) : "",
                 number(results[i + 1].value.median), number(results[i + 2].value.median, 1)});
    }
    if (results.empty()) return;
    std::cout << "\nCalls over lines, each packet as long under way as its octets and the distance take: the median of "
                 "two-way\ncalls, the mean of oneway ones; octets and packets both ways, framing included. Calls with "
              << kLog << " octets carry lines of a log.\n\n";
    table.print(std::cout);
  }

  const Settings& settings_;
  Report& report_;
  std::string plugin_;
  std::vector<Mechanism> mechanisms_;
  std::vector<LineKind> kinds_;
};

}  // namespace

int run_lines(const Settings& settings, Report& report) {
  Run(settings, report).run();
  return 0;
}

}  // namespace bench
