// SPDX-License-Identifier: Apache-2.0
// Suite fanout: what it costs to have many connections at work: a client that calls over 1 to 1,000 of them in turn,
// clients of 16 and 64 threads with as many connections, and 10,000 connections over which nothing comes. How many
// calls there are, what the client's choice of a connection costs, and what it costs the server to find who has octets.
// What a connection holds in memory is in suite scale.
#include "suites/fanout.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <numeric>
#include <optional>
#include <thread>

#include "common/progress.hpp"
#include "common/table.hpp"
#include "common/temporary.hpp"
#include "suites/callgrind.hpp"
#include "suites/counting.hpp"
#include "suites/giop_client.hpp"
#include "suites/suite.hpp"

namespace bench {
namespace {

double cost_of(const Costs& costs, bool (*wanted)(const std::string&)) {
  const double whole = std::accumulate(costs.begin(), costs.end(), 0.0, [&](double sum, const auto& cost) {
    return sum + (wanted(cost.first) ? cost.second : 0);
  });
  return std::max(whole, 0.0);
}

class Run {
 public:
  Run(const Settings& settings, Report& report)
      : settings_(settings),
        report_(report),
        all_(all_multiplexing(report.machine, settings.only)),
        repetitions_(settings.repetitions(5, 1)),
        most_(raise_descriptors() - 100) {
    for (const std::size_t wanted : {1U, 16U, 64U, 128U, 1000U}) {
      if (wanted <= most_ && (!settings.quick || (wanted != 128 && wanted != 16))) connections_.push_back(wanted);
    }
  }

  void run() {
    const std::size_t counted = program_exists("valgrind") ? all_.size() * (connections_.size() + 2) : 0;
    const std::size_t timed = static_cast<std::size_t>(repetitions_) * all_.size() * (connections_.size() + 2);
    announce_duration(settings_, static_cast<double>(timed + counted * 6 + all_.size() * 15));
    Progress progress(timed + counted + all_.size());
    measure_and_keep(
        [&] {
          for (int i = 0; i < repetitions_; ++i) {
            for (const Multiplexing& one : all_) measure_turns(one, progress);
            for (const Multiplexing& one : all_) measure_threads(one, progress);
          }
          for (const Multiplexing& one : all_) measure_idle(one, progress);
          for (const Multiplexing& one : all_) {
            if (counted > 0) count(one, progress);
          }
        },
        [&] { report_samples(); });
  }

  void print() const {
    print_turns();
    print_threads();
    print_idle();
  }

 private:
  static constexpr std::size_t kThreads[] = {16, 64};

  /// Samples of one figure.
  struct Figure {
    Case of;
    std::string metric;
    std::string unit;
    std::vector<double> samples;
  };

  static constexpr std::size_t kIdleSamples = 5;
  std::chrono::duration<double> idle_time() const {
    return std::chrono::duration<double>(settings_.choose(2.0, 1.0, 0.2));
  }
  std::size_t idle_connections() const { return std::min<std::size_t>(settings_.quick ? 1000 : 10'000, most_); }

  static Case case_of(const Multiplexing& one, const std::string& transport, const std::string& axis,
                      std::size_t value) {
    Case of = one.mechanism.case_on(transport);
    of["concurrency"] = one.name;
    of[axis] = std::to_string(value);
    return of;
  }
  void note(const Case& of, const std::string& metric, const std::string& unit, double sample) {
    for (Figure& figure : figures_) {
      if (figure.of == of && figure.metric == metric) return figure.samples.push_back(sample);
    }
    figures_.push_back({of, metric, unit, {sample}});
  }

  static ChildOptions with(const std::vector<std::string>& environment) {
    ChildOptions options;
    options.environment = environment;
    return options;
  }

  /// Calls over more and more connections in turn, one at a time.
  void measure_turns(const Multiplexing& one, Progress& progress) {
    const TemporaryFolder folder;
    const ServerNames names(folder.path(), connections_.back());
    std::optional<Served> served;
    std::optional<Child> client;
    const bool fans = one.mechanism.can("fan");
    for (const std::size_t count : connections_) {
      progress.step(std::to_string(count) + " connections to " + one.mechanism.label() + ", " + one.name);
      if (!fans) continue;
      if (!client) {
        served.emplace(start_server(one.mechanism, "unix", names.path(), {}, with(one.server_environment)));
        client.emplace(start_client(one.mechanism, "unix", names.reference(one.mechanism, served->reference), {},
                                    with(one.client_environment)));
      }
      const std::size_t calls = std::max<std::size_t>(settings_.choose(20'000, 5'000, 2000), 2 * count);
      const std::string command = "fan " + std::to_string(count) + " ";
      ask(*client, one.mechanism.label(), command + std::to_string(count), kPatience);  // connects
      const double nanoseconds = ask(*client, one.mechanism.label(), command + std::to_string(calls), kPatience).at(0);
      note(case_of(one, "unix", "connections", count), "calls", "1/s", static_cast<double>(calls) * 1e9 / nanoseconds);
    }
    if (client) client->end(kEnd);
    if (served) served->process.terminate(kEnd);
  }

  /// Threads that call at the same time, each over a connection of its own.
  void measure_threads(const Multiplexing& one, Progress& progress) {
    const TemporaryFolder folder;
    Placement placement;
    placement.server.environment = one.server_environment;
    placement.client.environment = one.client_environment;
    for (const std::size_t threads : kThreads) {
      progress.step(std::to_string(threads) + " threads and connections to " + one.mechanism.label() + ", " + one.name);
      survives(one.mechanism, [&] {
        Pair pair(one.mechanism, "tcp", folder.path() + "/socket", placement);
        const std::size_t each = settings_.choose<std::size_t>(32'000, 8000, 3200) / threads;
        const std::string command = "threads " + std::to_string(threads) + " " + std::to_string(each);
        const double nanoseconds = pair.command(command).at(0);
        note(case_of(one, "tcp", "threads", threads), "calls", "1/s",
             static_cast<double>(each * threads) * 1e9 / nanoseconds);
        pair.end();
      });
    }
  }

  /// The server's processor time while nothing comes over thousands of connections. Servers without an ORB have no
  /// tick.
  void measure_idle(const Multiplexing& one, Progress& progress) {
    progress.step(std::to_string(idle_connections()) + " idle connections to " + one.mechanism.label() + ", " +
                  one.name);
    if (one.mechanism.protocol == "none" || (settings_.quick && one.name != "pool")) return;
    survives(one.mechanism, [&] {
      const Served served = start_server(one.mechanism, "tcp", "127.0.0.1", {}, with(one.server_environment));
      const GiopTarget target = read_reference(served.reference);
      const std::vector<std::uint8_t> request = void_request(target, "ping");
      std::vector<GiopConnection> open;
      while (open.size() < idle_connections()) open.emplace_back(target).call(request);
      std::this_thread::sleep_for(std::chrono::milliseconds(500));  // what was begun for the calls ends
      const pid_t process = served.process.process();
      const Case of = case_of(one, "tcp", "idle", open.size());
      for (std::size_t sample = 0; sample < kIdleSamples; ++sample) {
        const Usage before = usage_of(process);
        std::this_thread::sleep_for(idle_time());
        const Usage after = usage_of(process);
        const double seconds = idle_time().count();
        note(of, "processor_time", "us/s", (after.cpu_ns - before.cpu_ns) / 1000 / seconds);
        note(of, "switches", "1/s", switches_between(before, after) / seconds);
      }
      for (const GiopConnection& connection : open) connection.call(request);  // they are all still served
    });
  }

  /// The instructions of one call on both sides, by two runs that differ in the number of calls only.
  void count(const Multiplexing& one, Progress& progress) {
    for (const std::size_t count : connections_) {
      progress.step("counting " + std::to_string(count) + " connections to " + one.mechanism.label() + ", " + one.name);
      const bool threads_for_all = one.name == "thread per connection";  // more than valgrind takes
      if (!one.mechanism.can("fan") || (threads_for_all && count > 128)) continue;
      if (settings_.quick && (count != 64 || (one.name != "pool" && one.name != "epoll"))) continue;
      const std::string command = "fan " + std::to_string(count) + " ";
      note_costs(case_of(one, "unix", "connections", count),
                 costs_of(one, "unix", command, count, settings_.choose<std::size_t>(5000, 2000, 500)));
    }
    for (const std::size_t threads : kThreads) {
      progress.step("counting " + std::to_string(threads) + " threads calling " + one.mechanism.label() + ", " +
                    one.name);
      if (settings_.quick) continue;
      survives(one.mechanism, [&] {
        const std::string command = "threads " + std::to_string(threads) + " ";
        note_costs(case_of(one, "tcp", "threads", threads), costs_of(one, "tcp", command, 20, 60, threads));
      });
    }
  }

  /// What a call costs each side, by function: `many` calls (times `each`) more than `few`.
  std::vector<Costs> costs_of(const Multiplexing& one, const std::string& transport, const std::string& command,
                              std::size_t few, std::size_t many, std::size_t each = 1) const {
    const TemporaryFolder folder;
    const ServerNames names(folder.path(), connections_.back());
    const auto tool = [&](const std::string& name) {
      return std::vector<std::string>{"valgrind", "--tool=callgrind", "--quiet",
                                      "--callgrind-out-file=" + folder.path() + "/" + name};
    };
    ChildOptions server = with(one.server_environment);
    server.environment.insert(server.environment.end(), kPatientServer.begin(), kPatientServer.end());
    ChildOptions client = with(one.client_environment);
    server.quiet = client.quiet = true;
    for (const std::size_t calls : {few, few + many}) {
      const std::string end = std::to_string(calls);
      const std::string where = transport == "tcp" ? "127.0.0.1" : names.path();
      Served served = start_server(one.mechanism, transport, where, tool("server" + end), server);
      const std::string reference =
          transport == "tcp" ? served.reference : names.reference(one.mechanism, served.reference);
      Child caller = start_client(one.mechanism, transport, reference, tool("client" + end), client);
      ask(caller, one.mechanism.label(), command + end, kPatience);
      caller.end(kEnd);
      served.process.terminate(kEnd);
      std::filesystem::remove(names.path());
    }
    std::vector<Costs> sides;
    for (const std::string& side : kSides) {
      Costs costs = read_callgrind(folder.path() + "/" + side + std::to_string(few + many));
      for (const auto& [name, cost] : read_callgrind(folder.path() + "/" + side + std::to_string(few)))
        costs[name] -= cost;
      for (auto& [name, cost] : costs) cost /= static_cast<double>(many * each);
      sides.push_back(std::move(costs));
    }
    return sides;
  }

  void note_costs(const Case& of, const std::vector<Costs>& sides) {
    if (sum(sides[1]) <= 0) return;  // a server that was ended by a signal wrote nothing
    note(of, "client_instructions", "1/call", sum(sides[0]));
    note(of, "client_instructions_to_choose", "1/call", cost_of(sides[0], &chooses_connection));
    note(of, "server_instructions", "1/call", sum(sides[1]));
    note(of, "server_instructions_to_find", "1/call", cost_of(sides[1], &finds_octets));
  }

  double median(const Case& of, const std::string& metric) const {
    const auto found = std::find_if(figures_.begin(), figures_.end(),
                                    [&](const Figure& one) { return one.of == of && one.metric == metric; });
    return found == figures_.end() ? std::nan("") : summarise(found->samples).median;
  }

  /// The control is the raw server that waits by epoll.
  void report_samples() {
    for (const Figure& figure : figures_) {
      Result result{"fanout", figure.of, figure.metric, figure.unit, summarise(figure.samples)};
      Case control = figure.of;
      control["orb"] = "raw";
      control["protocol"] = "none";
      control["concurrency"] = "epoll";
      const double raw = median(control, figure.metric);
      if (raw > 0 && figure.of != control) {
        result.of["control"] = "raw";
        result.control = raw;
      }
      report_.results.push_back(std::move(result));
    }
  }

  static std::string shown(double value) { return std::isnan(value) ? "" : grouped(value); }

  void print_turns() const {
    Table table({"server", "concurrency", "connections", "calls/s", "client's instructions", "to choose",
                 "server's instructions", "to find who has octets"},
                2);
    for (const Multiplexing& one : all_) {
      for (const std::size_t count : connections_) {
        const Case of = case_of(one, "unix", "connections", count);
        if (!one.mechanism.can("fan")) continue;
        table.add({one.mechanism.orb, one.name, std::to_string(count), shown(median(of, "calls")),
                   shown(median(of, "client_instructions")), shown(median(of, "client_instructions_to_choose")),
                   shown(median(of, "server_instructions")), shown(median(of, "server_instructions_to_find"))});
      }
    }
    std::cout << "\nVoid calls over so many connections in turn, one at a time, local sockets\n\n";
    table.print(std::cout);
  }

  void print_threads() const {
    Table table({"server", "concurrency", "threads", "calls/s", "client's instructions", "to choose",
                 "server's instructions", "to find who has octets"},
                2);
    for (const Multiplexing& one : all_) {
      for (const std::size_t threads : kThreads) {
        const Case of = case_of(one, "tcp", "threads", threads);
        table.add({one.mechanism.orb, one.name, std::to_string(threads), shown(median(of, "calls")),
                   shown(median(of, "client_instructions")), shown(median(of, "client_instructions_to_choose")),
                   shown(median(of, "server_instructions")), shown(median(of, "server_instructions_to_find"))});
      }
    }
    std::cout << "\nVoid calls of so many threads at the same time, each over a connection of its own, tcp\n\n";
    table.print(std::cout);
  }

  void print_idle() const {
    Table table({"server", "concurrency", "connections", "us of processor time a second", "switches a second"}, 2);
    for (const Multiplexing& one : all_) {
      const Case of = case_of(one, "tcp", "idle", idle_connections());
      const double time = median(of, "processor_time");
      if (std::isnan(time)) continue;
      table.add({one.mechanism.orb, one.name, std::to_string(idle_connections()), number(time, 1),
                 number(median(of, "switches"), 1)});
    }
    std::cout << "\nA server while nothing comes over so many connections\n\n";
    table.print(std::cout);
  }

  static constexpr std::chrono::seconds kPatience{120};
  static constexpr std::chrono::seconds kEnd{20};

  const Settings& settings_;
  Report& report_;
  std::vector<Multiplexing> all_;
  int repetitions_;
  std::size_t most_;
  std::vector<std::size_t> connections_;
  std::vector<Figure> figures_;
};

}  // namespace

int run_fanout(const Settings& settings, Report& report) {
  Run run(settings, report);
  measure_and_keep([&] { run.run(); }, [&] { run.print(); });
  return 0;
}

}  // namespace bench
