// SPDX-License-Identifier: Apache-2.0
// Suite oneways: what small oneway calls cost, each by itself and kept back until a hundred leave together, and what
// datagrams carry, beside raw sockets.
#include <algorithm>
#include <iostream>

#include "common/cpus.hpp"
#include "common/progress.hpp"
#include "common/table.hpp"
#include "common/temporary.hpp"
#include "suites/counting.hpp"
#include "suites/suite.hpp"

namespace bench {
namespace {

constexpr int kOctets = 64;
constexpr int kTogether = 100;
constexpr const char* kEach = "each by itself";
constexpr const char* kGathered = "100 together";
constexpr const char* kFrames = "frames";
constexpr const char* kTwoWay = "two-way, void";

/// One row: messages of a mechanism over a transport.
struct Row {
  Mechanism mechanism;
  std::string transport;
  std::string way;
  std::string command;  ///< of peers/peer.hpp, but for how many
  int messages;         ///< in one of what the command counts
  std::vector<double> rates = {};
  std::vector<double> system_calls[2] = {};  ///< of client and server, for 1,000 messages
  double octets = 0;                         ///< that the client sends for a message

  Case of() const {
    Case all = mechanism.case_on(transport);
    all["way"] = way;
    return all;
  }
  std::string label() const { return mechanism.label() + ", " + way; }
};

std::vector<Row> rows_of(const Settings& settings, const std::vector<Mechanism>& mechanisms) {
  std::vector<Row> rows;
  const std::string single = "stream oneway octet " + std::to_string(kOctets);
  const auto add = [&](const Mechanism& mechanism, const std::string& transport) {
    if (!mechanism.over(transport)) return;
    rows.push_back({mechanism, transport, kEach, single, 1});
    if (mechanism.protocol == kFrames) return;  // carries no replies
    if (transport == "udp") {
      rows.push_back({mechanism, transport, kTwoWay, "ping", 1});
    } else if (mechanism.orb == "raw") {
      // What a C programmer has gathered leaves by one system call.
      rows.push_back(
          {mechanism, transport, kGathered, "stream oneway octet " + std::to_string(kOctets * kTogether), kTogether});
    } else if (mechanism.can("buffered")) {
      rows.push_back({mechanism, transport, kGathered, "stream buffered octet " + std::to_string(kOctets), 1});
    }
  };
  for (const std::string& transport : settings.quick ? std::vector<std::string>{"tcp", "udp"}
                                                     : std::vector<std::string>{"tcp", "unix", "shm", "udp"}) {
    for (const Mechanism& mechanism : mechanisms) {
      add(mechanism, transport);
      if ((transport != "udp" && transport != "unix") || mechanism.orb != "corbel" || mechanism.protocol != "giop")
        continue;
      Mechanism frames = mechanism;
      frames.protocol = kFrames;
      add(frames, transport);
    }
  }
  return rows;
}

class Run {
 public:
  Run(const Settings& settings, Report& report)
      : settings_(settings),
        report_(report),
        rows_(
            rows_of(settings, find_all_mechanisms(report.machine, settings.only.empty() ? kCompared : settings.only))),
        traces_(can_trace()) {}

  void measure() {
    const int repetitions = settings_.repetitions(7, 1);
    Progress progress(rows_.size() * static_cast<std::size_t>(repetitions + (traces_ ? 1 : 0)));
    for (Row& row : rows_) {
      if (!traces_) break;
      progress.step("counting " + row.label() + " over " + row.transport);
      count(row);
    }
    const std::vector<int> cpus = allowed_cpus();
    Placement placement;
    placement.client.cpu = cpus.front();
    placement.server.cpu = cpus.back();
    for (int repetition = 0; repetition < repetitions; ++repetition) {
      for (Row& row : rows_) {
        progress.step(row.label() + " over " + row.transport);
        const TemporaryFolder folder;
        Pair pair(row.mechanism, row.transport, folder.path() + "/socket", placement);
        time(row, pair);
        pair.end();
      }
    }
  }

  void report() {
    for (const Row& row : rows_) {
      const Row& control = control_of(row);
      const auto add = [&](Case of, const char* metric, const char* unit, const std::vector<double>& samples,
                           const std::vector<double>& raw) {
        if (samples.empty()) return;
        Result result{"oneways", std::move(of), metric, unit, summarise(samples)};
        if (&row != &control && !raw.empty() && summarise(raw).median > 0) {
          result.of["control"] = "raw";
          result.control = summarise(raw).median;
        }
        report_.results.push_back(std::move(result));
      };
      add(row.of(), "rate", "calls/s", row.rates, control.rates);
      for (std::size_t side = 0; side < kSides.size(); ++side) {
        Case of = row.of();
        of["side"] = kSides[side];
        add(of, "syscalls_per_1000", "calls", row.system_calls[side], control.system_calls[side]);
      }
    }
  }

  void print() const {
    std::cout << "\nCalls with " << kOctets
              << " octets, oneway but where it says otherwise; rate beside the raw sockets' of "
              << "the same way,\nsystem calls for 1,000 of them, octets sent for one\n\n";
    Table table({"transport", "mechanism", "calls/s", "/ raw", "calls client", "calls server", "octets"}, 2, true);
    for (const Row& row : rows_) {
      if (row.rates.empty()) continue;
      const double rate = summarise(row.rates).median;
      const double raw = summarise(control_of(row).rates).median;
      table.add({row.transport, row.label(), grouped(rate), number(rate / raw, 2), shown(row.system_calls[0]),
                 shown(row.system_calls[1]), number(row.octets, 1)});
    }
    table.print(std::cout);
  }

 private:
  inline static const std::vector<std::string> kCompared = {"corbel", "omniORB"};

  static std::string shown(const std::vector<double>& counts) { return counts.empty() ? "" : grouped(counts.front()); }

  /// The raw sockets' row of the same way.
  const Row& control_of(const Row& row) const {
    return *std::ranges::find_if(rows_, [&](const Row& one) {
      return one.mechanism.orb == "raw" && one.transport == row.transport && one.way == row.way;
    });
  }

  static void count(Row& row) {
    Workload workload;
    workload.command = row.command;
    workload.few = 2 * kTogether / row.messages;
    // A server that gets many at once needs many to be counted.
    workload.many = (row.way == kGathered ? 102 : 12) * kTogether / row.messages;
    workload.server_environment = kPatientServer;
    const auto sides = count_system_calls(row.mechanism, row.transport, workload);
    for (std::size_t side = 0; side < kSides.size(); ++side) {
      row.system_calls[side].push_back(1000 * sum(sides[side].calls) / row.messages);
    }
    row.octets = sides[0].octets / row.messages;
  }

  /// Of those that arrived.
  void time(Row& row, Pair& pair) const {
    const long most = row.way == kTwoWay ? 2000 : 100'000;  // whose replies are waited for, one by one
    const long messages = settings_.quick ? 2000 : settings_.brief ? most / 4 : most;
    const std::string command = row.command + ' ' + std::to_string(messages / row.messages);
    pair.command(row.command + ' ' + std::to_string(kTogether));
    const std::vector<double> answer = pair.command(command);
    const double octets = answer.size() > 1 ? answer[1] : 0;
    const double done = answer.size() > 1 ? octets / kOctets : static_cast<double>(messages);
    row.rates.push_back(done * 1e9 / answer.front());
  }

  const Settings& settings_;
  Report& report_;
  std::vector<Row> rows_;
  bool traces_;
};

}  // namespace

int run_oneways(const Settings& settings, Report& report) {
  Run run(settings, report);
  measure_and_keep([&] { run.measure(); },
                   [&] {
                     run.report();
                     run.print();
                   });
  return 0;
}

}  // namespace bench
