// SPDX-License-Identifier: Apache-2.0
// Suite scale: what a server's connections cost, how many calls many threads of a client make, and what the least
// programs take to start and to hold.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <iostream>

#include "common/progress.hpp"
#include "common/table.hpp"
#include "common/temporary.hpp"
#include "suites/fanout.hpp"
#include "suites/giop_client.hpp"
#include "suites/suite.hpp"

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

class Run {
 public:
  Run(const Settings& settings, Report& report)
      : settings_(settings),
        report_(report),
        repetitions_(settings.repetitions(5, 1)),
        threaded_(all_multiplexing(report.machine, settings.only)) {
    std::erase_if(threaded_, [](const Multiplexing& one) {
      return one.mechanism.orb == "raw" && one.name != "thread per connection";
    });
    strategies_.assign(threaded_.begin() + 1, threaded_.end());
    const std::size_t most = raise_descriptors() - 100;
    for (const std::size_t wanted :
         settings.quick ? std::vector<std::size_t>{100, 1000} : std::vector<std::size_t>{10, 100, 1000, 10'000}) {
      connections_.push_back(std::min(wanted, most));
      if (wanted <= most) continue;
      std::cout << "Only " << most << " connections: this process may open no more descriptors (ulimit -Hn).\n";
      break;
    }
  }

  void run() {
    measure_and_keep([&] { measure(); }, [&] { report_samples(); });
  }

  void print() const {
    print_connections();
    print_threads();
    print_hellos();
  }

 private:
  void measure() {
    const auto repetitions = static_cast<std::size_t>(repetitions_);
    const std::size_t starts = hellos().size() * settings_.choose<std::size_t>(10, 7, 3);
    announce_duration(settings_, static_cast<double>(repetitions * (strategies_.size() * 20 + 60)));
    Progress progress(repetitions *
                          (strategies_.size() * connections_.size() + (strategies_.size() + 1) * threads().size()) +
                      starts);
    for (int repetition = 0; repetition < repetitions_; ++repetition) {
      for (const Multiplexing& strategy : strategies_) {
        survives(strategy.mechanism, [&] { connect_many(strategy, progress); });
      }
    }
    measure_threads(progress);
    for (std::size_t i = 0; i < starts; ++i) start_hello(hellos()[i % hellos().size()], progress);
  }

  /// Samples of one figure.
  struct Figure {
    Case of;
    std::string metric;
    std::string unit;
    std::vector<double> samples;
  };

  std::vector<int> threads() const {
    return settings_.quick ? std::vector{1, 8, 64} : std::vector{1, 2, 4, 8, 16, 32, 64};
  }
  static std::vector<std::string> hellos() {
    std::vector<std::string> found;
    for (const char* const name : {"plain", "hello-corbel", "hello-minimal", "hello-omniorb"}) {
      if (access(beside(std::string("corbel-bench-") + name).c_str(), X_OK) == 0) found.emplace_back(name);
    }
    return found;
  }

  static Case case_of(const Multiplexing& strategy) {
    Case of = strategy.mechanism.case_on("tcp");
    of["concurrency"] = strategy.name;
    return of;
  }
  void note(Case of, const std::string& metric, const std::string& unit, double sample) {
    for (Figure& figure : figures_) {
      if (figure.of == of && figure.metric == metric) return figure.samples.push_back(sample);
    }
    figures_.push_back({std::move(of), metric, unit, {sample}});
  }

  /// Opens more and more connections to one server, each used once; then calls through all of them in turn.
  void connect_many(const Multiplexing& strategy, Progress& progress) {
    const TemporaryFolder folder;
    Placement placement;
    placement.server.environment = strategy.server_environment;
    Pair pair(strategy.mechanism, "tcp", folder.path() + "/socket", placement);
    const GiopTarget target = read_reference(pair.reference());
    const std::vector<std::uint8_t> request = void_request(target, "ping");
    std::vector<GiopConnection> open;
    open.emplace_back(target).call(request);
    const double before = memory_of(pair.server().process()).exclusive;
    for (const std::size_t wanted : connections_) {
      progress.step(std::to_string(wanted) + " connections to " + strategy.mechanism.label() + ", " + strategy.name);
      const auto begin = Clock::now();
      const std::size_t already = open.size();
      while (open.size() < wanted) {
        if (patience_left() == patience_left().zero()) give_up(strategy.mechanism.label() + " to take connections");
        open.emplace_back(target).call(request);
      }
      Case of = case_of(strategy);
      of["connections"] = std::to_string(wanted);
      const auto added = static_cast<double>(wanted - already);
      note(of, "connect_time", "us", seconds_since(begin) * 1e6 / added);
      const double grown = memory_of(pair.server().process()).exclusive - before;
      note(of, "memory_per_connection", "B", grown / static_cast<double>(wanted - 1));
      note(of, "calls", "1/s", rate_through(open, request));
    }
    open.clear();
    pair.end();
  }

  static double rate_through(const std::vector<GiopConnection>& open, const std::vector<std::uint8_t>& request) {
    const std::size_t calls = std::max<std::size_t>(open.size(), 1000);
    const auto begin = Clock::now();
    for (std::size_t i = 0; i < calls; ++i) open[i % open.size()].call(request);
    return static_cast<double>(calls) / seconds_since(begin);
  }

  void measure_threads(Progress& progress) {
    const TemporaryFolder folder;
    std::vector<Pair> pairs;
    const std::vector<Multiplexing>& all = threaded_;
    for (const Multiplexing& strategy : all) {
      Placement placement;
      placement.server.environment = strategy.server_environment;
      pairs.emplace_back(strategy.mechanism, "tcp", folder.path() + "/socket", placement);
    }
    const int calls = settings_.choose(32000, 8000, 3200);
    for (int repetition = 0; repetition < repetitions_; ++repetition) {
      for (const int count : threads()) {
        for (std::size_t i = 0; i < all.size(); ++i) {
          progress.step(std::to_string(count) + " threads calling " + all[i].mechanism.label() + ", " + all[i].name);
          const int each = std::max(calls / count, 50);
          const double nanoseconds =
              pairs[i].command("threads " + std::to_string(count) + " " + std::to_string(each)).at(0);
          Case of = case_of(all[i]);
          of["threads"] = std::to_string(count);
          note(of, "calls", "1/s", static_cast<double>(each) * count * 1e9 / nanoseconds);
        }
      }
    }
    for (Pair& pair : pairs) pair.end();
  }

  /// From the start of the process to its first word, and to the first reply; memory when that is done.
  void start_hello(const std::string& name, Progress& progress) {
    progress.step("starting " + name);
    const std::string program = beside("corbel-bench-" + name);
    const std::string orb = name == "plain"           ? "raw"
                            : name == "hello-corbel"  ? "corbel"
                            : name == "hello-minimal" ? "corbel minimal"
                                                      : "omniORB";
    const Case server_case{{"orb", orb}, {"transport", "tcp"}, {"side", "server"}};
    const Case client_case{{"orb", orb}, {"transport", "tcp"}, {"side", "client"}};
    const auto begin = Clock::now();
    Child server({program, "server", "none", "tcp", "127.0.0.1"});
    const std::string reference = server.read_line(std::chrono::seconds(20)).substr(6);
    note(server_case, "start_time", "us", seconds_since(begin) * 1e6);
    const auto second = Clock::now();
    Child client({program, "client", "none", "tcp", reference});
    client.write_line("ping 1");
    client.read_line(std::chrono::seconds(20));
    if (!client.read_line(std::chrono::seconds(20)).starts_with("ok")) throw std::runtime_error(name + " failed");
    note(client_case, "start_time", "us", seconds_since(second) * 1e6);
    note_memory(server_case, server, program);
    note_memory(client_case, client, program);
    client.end(std::chrono::seconds(5));
    server.terminate(std::chrono::seconds(5));
  }

  void note_memory(const Case& of, const Child& child, const std::string& program) {
    const Memory memory = memory_of(child.process());
    note(of, "resident_memory", "B", memory.resident);
    note(of, "exclusive_memory", "B", memory.exclusive);
    note(of, "program_size", "B", static_cast<double>(std::filesystem::file_size(program)));
    note(of, "program_and_libraries_size", "B", mapped_files_of(child.process()));
  }

  const Figure* find(const Case& of, const std::string& metric) const {
    const auto found = std::find_if(figures_.begin(), figures_.end(),
                                    [&](const Figure& one) { return one.of == of && one.metric == metric; });
    return found == figures_.end() ? nullptr : &*found;
  }
  double median(const Case& of, const std::string& metric) const {
    const Figure* const figure = find(of, metric);
    return figure == nullptr ? NAN : summarise(figure->samples).median;
  }

  /// Threads are compared with raw sockets.
  void report_samples() {
    for (const Figure& figure : figures_) {
      Result result{"scale", figure.of, figure.metric, figure.unit, summarise(figure.samples)};
      Case control = case_of(threaded_.front());
      if (figure.of.contains("threads") && figure.of.at("orb") != "raw") {
        control["threads"] = figure.of.at("threads");
        result.of["control"] = "raw";
        result.control = median(control, "calls");
      }
      report_.results.push_back(std::move(result));
    }
  }

  void print_connections() const {
    Table table({"server", "concurrency", "connections", "KiB each", "us to connect and call", "calls/s"}, 2);
    for (const Multiplexing& strategy : strategies_) {
      for (const std::size_t count : connections_) {
        Case of = case_of(strategy);
        of["connections"] = std::to_string(count);
        table.add({strategy.mechanism.orb, strategy.name, std::to_string(count),
                   number(median(of, "memory_per_connection") / 1024, 1), number(median(of, "connect_time"), 1),
                   grouped(median(of, "calls"))});
      }
    }
    std::cout << "\nOpen connections: memory of the server for each; calls made through all of them in turn, one at a "
                 "time\n\n";
    table.print(std::cout);
  }

  void print_threads() const {
    std::vector<std::string> heads{"server", "concurrency"};
    for (const int count : threads()) heads.push_back(std::to_string(count) + " threads");
    Table table(heads, 2);
    for (const Multiplexing& strategy : threaded_) {
      std::vector<std::string> cells{strategy.mechanism.orb, strategy.name};
      for (const int count : threads()) {
        Case of = case_of(strategy);
        of["threads"] = std::to_string(count);
        cells.push_back(grouped(median(of, "calls")));
      }
      table.add(cells);
    }
    std::cout << "\nVoid calls per second by threads of one client, on any processor\n\n";
    table.print(std::cout);
  }

  void print_hellos() const {
    Table table(
        {"hello", "side", "ms to start", "MiB resident", "of that its own", "KiB program", "KiB with libraries"}, 2);
    for (const char* const orb : {"raw", "corbel", "corbel minimal", "omniORB"}) {
      for (const char* const side : {"server", "client"}) {
        const Case of{{"orb", orb}, {"transport", "tcp"}, {"side", side}};
        if (find(of, "start_time") == nullptr) continue;
        table.add({orb, side, number(median(of, "start_time") / 1000, 2),
                   number(median(of, "resident_memory") / 1024 / 1024, 1),
                   number(median(of, "exclusive_memory") / 1024 / 1024, 1), number(median(of, "program_size") / 1024),
                   number(median(of, "program_and_libraries_size") / 1024)});
      }
    }
    std::cout << "\nThe least programs: a server until it is ready, a client until its first reply\n\n";
    table.print(std::cout);
  }

  const Settings& settings_;
  Report& report_;
  int repetitions_;
  std::vector<Multiplexing> threaded_;    ///< the raw sockets first: a thread of the server for each of the client
  std::vector<Multiplexing> strategies_;  ///< the others
  std::vector<std::size_t> connections_;
  std::vector<Figure> figures_;
};

}  // namespace

int run_scale(const Settings& settings, Report& report) {
  Run run(settings, report);
  measure_and_keep([&] { run.run(); }, [&] { run.print(); });
  return 0;
}

}  // namespace bench
