// SPDX-License-Identifier: Apache-2.0
// Suite cubit: the operations of the papers' IDL_Cubit, which return their argument cubed, over every combination of
// message protocol and transport, beside raw sockets that exchange as many octets.
#include <algorithm>
#include <cmath>
#include <iostream>

#include "common/cpus.hpp"
#include "common/progress.hpp"
#include "common/table.hpp"
#include "common/temporary.hpp"
#include "report/gains.hpp"
#include "suites/mechanism.hpp"
#include "suites/suite.hpp"

namespace bench {
namespace {

const std::vector<std::string> kOperations{"void",  "octet",        "short",        "long",        "struct",
                                           "union", "octets-small", "octets-large", "longs-small", "longs-large"};
const std::vector<std::string> kTransports{"tcp", "unix", "inproc", "collocated"};

struct Spot {
  std::string name;
  int client;
  int server;
};

class Run {
 public:
  Run(const Settings& settings, Report& report)
      : settings_(settings),
        report_(report),
        rounds_(settings.rounds(9, 3)),
        mechanisms_(find_all_mechanisms(report.machine, settings.only)) {
    std::erase_if(mechanisms_, [](const Mechanism& one) {
      return !one.can("cube") || one.orb == "wrappers" || one.protocol == "opaque";
    });
  }

  void run() {
    const std::vector<Spot> spots = places();
    std::size_t columns = 0;
    for (const std::string& transport : kTransports) columns += carriers(transport).size();
    const std::size_t steps = spots.size() * columns * kOperations.size() * rounds_.least;
    announce_duration(settings_, static_cast<double>(steps) * 0.25);
    Progress progress(steps);
    for (const Spot& spot : spots) measure(spot, progress);
  }

  void print() const {
    for (const Spot& spot : places()) {
      for (const std::string& transport : kTransports) print_transport(spot, transport);
    }
    print_gains();
  }

 private:
  struct Running {
    const Mechanism* mechanism;
    std::string transport;
    Pair pair;
    long count;
    std::vector<double> samples;  ///< nanoseconds of one call
    bool failed = false;
  };

  std::vector<Spot> places() const {
    const std::vector<int> cpus = allowed_cpus();
    std::vector<Spot> spots{{"one cpu", cpus[0], cpus[0]}};
    if (cpus.size() > 1 && !settings_.quick) spots.push_back({"two cpus", cpus[0], cpus[1]});
    return spots;
  }

  /// The mechanisms over a transport. Collocated calls have no message, hence no protocol: one is enough.
  std::vector<const Mechanism*> carriers(const std::string& transport) const {
    std::vector<const Mechanism*> found;
    for (const Mechanism& mechanism : mechanisms_) {
      if (!mechanism.over(transport)) continue;
      if (transport == "collocated" && !found.empty()) continue;
      found.push_back(&mechanism);
    }
    return found;
  }

  std::vector<Running> start(const Spot& spot, const std::string& folder) const {
    Placement placement;
    placement.client.cpu = spot.client;
    placement.server.cpu = spot.server;
    std::vector<Running> running;
    for (const std::string& transport : kTransports) {
      for (const Mechanism* const mechanism : carriers(transport)) {
        const std::string path = folder + "/socket" + std::to_string(running.size());
        survives(*mechanism, [&] {
          running.push_back({mechanism, transport, Pair(*mechanism, transport, path, placement), 0, {}});
        });
      }
    }
    return running;
  }

  void measure(const Spot& spot, Progress& progress) {
    const TemporaryFolder folder;
    std::vector<Running> running = start(spot, folder.path());
    for (const std::string& operation : kOperations) {
      const std::string command = operation == "void" ? "ping " : "cube " + operation + " ";
      for (Running& one : running) {
        if (!one.failed) one.failed = !survives(*one.mechanism, [&] { warm_up(one, command); });
      }
      const auto times = [&] {
        std::vector<std::vector<double>> all;
        for (const Running& one : running) all.push_back(one.samples);
        return all;
      };
      for (std::size_t round = 0; rounds_.again(round, progress.ahead(), times); ++round) {
        for (Running& one : running) {
          if (round < rounds_.least) {
            progress.step(one.mechanism->label() + " over " + one.transport + ", " + operation + ", " + spot.name);
          }
          if (one.failed) continue;
          one.failed = !survives(*one.mechanism, [&] {
            const std::vector<double> answer = one.pair.command(command + std::to_string(one.count));
            one.samples.push_back(answer.at(0) / static_cast<double>(one.count));
          });
        }
      }
      for (const Running& one : running) {
        if (!one.failed) add(running, one, operation, spot);
      }
    }
    for (Running& one : running) one.pair.end();
  }

  /// Finds how many calls one measurement takes, too.
  void warm_up(Running& one, const std::string& command) const {
    constexpr int kTrial = 200;
    one.samples.clear();
    one.pair.command(command + std::to_string(kTrial));
    const double per_call = one.pair.command(command + std::to_string(kTrial)).at(0) / kTrial;
    one.count = std::lround(std::clamp(settings_.choose(200e6, 40e6, 10e6) / per_call, 100.0, 100'000.0));
  }

  /// Two figures: the rate beside the raw sockets', and the time beside omniORB's. What stays in the process is
  /// compared with local sockets.
  void add(const std::vector<Running>& running, const Running& one, const std::string& operation, const Spot& spot) {
    const std::string like = one.transport == "tcp" ? "tcp" : "unix";
    std::vector<double> rates;
    std::vector<double> times;
    for (const double nanoseconds : one.samples) {
      rates.push_back(1e9 / nanoseconds);
      times.push_back(nanoseconds / 1000);
    }
    Case of = one.mechanism->case_on(one.transport);
    if (one.transport == "collocated") of["protocol"] = "none";
    of["operation"] = operation;
    of["placement"] = spot.name;
    Result rate{"cubit", of, "calls", "1/s", summarise(rates)};
    Result time{"cubit", of, "time_per_call", "us", summarise(times)};
    for (const Running& other : running) {
      if (other.transport != like || &other == &one || other.failed) continue;
      const double of_other = summarise(other.samples).median;
      if (other.mechanism->orb == "raw") {
        rate.of["control"] = "raw";
        rate.control = 1e9 / of_other;
      } else if (other.mechanism->orb.starts_with("omniORB") && !time.control) {
        time.of["control"] = other.mechanism->orb;
        time.control = of_other / 1000;
      }
    }
    report_.results.push_back(std::move(rate));
    report_.results.push_back(std::move(time));
  }

  void print_gains() const {
    const DataTable gains = gains_table(report_.results);
    if (gains.rows.empty()) return;
    Table table(gains.heads, gains.texts);
    for (const std::vector<std::string>& row : gains.rows) table.add(row);
    std::cout << '\n' << gains.caption << "\n\n";
    table.print(std::cout);
  }

  const Result* find(const std::string& metric, const Mechanism& mechanism, const std::string& transport,
                     const std::string& operation, const Spot& spot) const {
    const auto found = std::find_if(report_.results.begin(), report_.results.end(), [&](const Result& result) {
      const bool same_protocol = transport == "collocated" || result.of.at("protocol") == mechanism.protocol;
      return result.metric == metric && result.of.at("orb") == mechanism.orb && same_protocol &&
             result.of.at("transport") == transport && result.of.at("operation") == operation &&
             result.of.at("placement") == spot.name;
    });
    return found == report_.results.end() ? nullptr : &*found;
  }

  void print_transport(const Spot& spot, const std::string& transport) const {
    const auto shown = carriers(transport);
    const auto measured = [&](const std::string& operation) {
      return std::any_of(shown.begin(), shown.end(), [&](const Mechanism* const mechanism) {
        return find("calls", *mechanism, transport, operation, spot) != nullptr;
      });
    };
    if (!measured(kOperations.front())) return;
    std::vector<std::string> heads{"operation"};
    for (const Mechanism* const mechanism : shown) {
      heads.push_back((transport == "collocated" ? mechanism->orb : mechanism->label()) + " calls/s");
      heads.emplace_back("us");
      if (mechanism->orb != "raw") heads.insert(heads.end(), {"/ raw", "/ omniORB"});
    }
    Table table(heads, 1);
    for (const std::string& operation : kOperations) {
      if (!measured(operation)) continue;
      std::vector<std::string> cells{operation};
      for (const Mechanism* const mechanism : shown) {
        const Result* const rate = find("calls", *mechanism, transport, operation, spot);
        const Result* const time = find("time_per_call", *mechanism, transport, operation, spot);
        if (rate == nullptr || time == nullptr) {  // there was no time for it
          cells.insert(cells.end(), mechanism->orb == "raw" ? 2 : 4, "");
          continue;
        }
        cells.push_back(grouped(rate->value.median));
        cells.push_back(number(time->value.median, time->value.median < 1 ? 3 : 1));
        if (mechanism->orb == "raw") continue;
        cells.push_back(rate->control ? number(*rate->control / rate->value.median, 2) : "");
        cells.push_back(time->control ? number(time->value.median / *time->control, 2) : "");
      }
      table.add(cells);
    }
    std::cout << "\nCubes over " << transport << ", " << spot.name
              << "; / raw and / omniORB: multiples of their time over " << (transport == "tcp" ? "tcp" : "unix")
              << "\n\n";
    table.print(std::cout);
  }

  const Settings& settings_;
  Report& report_;
  Rounds rounds_;
  std::vector<Mechanism> mechanisms_;
};

}  // namespace

int run_cubit(const Settings& settings, Report& report) {
  Run run(settings, report);
  measure_and_keep([&] { run.run(); }, [&] { run.print(); });
  return 0;
}

}  // namespace bench
