// SPDX-License-Identifier: Apache-2.0
// Suite restart: a server is stopped and started again at the same place: how long clients that know it wait for the
// first call that succeeds, and how many fail until then. Start and first reply of new ones are in suite scale.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <thread>

#include "common/progress.hpp"
#include "common/table.hpp"
#include "suites/giop_client.hpp"
#include "suites/mechanism.hpp"
#include "suites/suite.hpp"

namespace bench {
namespace {

/// A program that is server and client, and how its client is told to reach the server.
struct Contestant {
  std::string program;  ///< corbel-bench-NAME
  std::string orb;      ///< of a case
  std::string scheme;   ///< the `client` of a case
  std::vector<std::string> environment = {};
  bool second = false;  ///< the reference leads to a second server, too, which runs all the time
};

double now_us() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();  // CLOCK_MONOTONIC, as in the peers
  return std::chrono::duration<double, std::micro>(now).count();
}

/// "127.0.0.1:PORT" that nobody listens at.
std::string free_place() {
  const int handle = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof name;
  auto* const address = reinterpret_cast<sockaddr*>(&name);
  const bool bound = handle >= 0 && bind(handle, address, length) == 0 && getsockname(handle, address, &length) == 0;
  const int error = errno;
  if (handle >= 0) close(handle);
  if (!bound) throw std::runtime_error(std::string("no free port: ") + std::strerror(error));
  return "127.0.0.1:" + std::to_string(ntohs(name.sin_port));
}

std::vector<Contestant> contestants(const std::vector<std::string>& only) {
  const std::vector<Contestant> all = {
      {"plain", "raw", "connects again by hand"},
      {"hello-corbel", "corbel", "defaults"},
      {"hello-corbel", "corbel", "impatient", {"CORBEL_CONNECT_TIMEOUT=200", "CORBEL_CALL_TIMEOUT=1000"}},
      {"hello-corbel", "corbel", "two servers", {}, true},
      {"hello-omniorb", "omniORB", "defaults"},
      {"hello-omniorb", "omniORB", "two servers", {}, true},
  };
  std::vector<Contestant> found;
  for (const Contestant& one : all) {
    const bool wanted =
        only.empty() || one.orb == "raw" ||
        std::any_of(only.begin(), only.end(), [&](const auto& name) { return name.starts_with(one.orb); });
    if (wanted && access(beside("corbel-bench-" + one.program).c_str(), X_OK) == 0) found.push_back(one);
  }
  return found;
}

/// One server at a place that stays, and its client.
class Stage {
 public:
  explicit Stage(const Contestant& contestant)
      : program_(beside("corbel-bench-" + contestant.program)), label_(contestant.orb), place_(free_place()) {
    std::string reference = start();
    if (contestant.second) {
      const std::string other = free_place();
      second_.emplace(server_at(other));
      (void)ready(*second_);
      reference = "corbaloc:iiop:1.2@" + place_ + ",iiop:1.2@" + other + "/" + url_key(read_reference(reference).key);
    }
    ChildOptions options;
    options.environment = contestant.environment;
    client_.emplace(std::vector<std::string>{program_, "client", "none", "tcp", reference}, options);
    if (client_->read_line(kPatience) != "ready") throw std::runtime_error(label_ + ": the client does not start");
    ask(*client_, label_, "ping 10", kPatience);
  }

  /// Ends the server as asked; in order, it may take its leave.
  void stop(bool in_order) {
    in_order ? server_->end(kPatience) : server_->terminate(kPatience);
    server_.reset();
  }
  /// Returns when the server has said that it is ready.
  std::string start() {
    server_.emplace(server_at(place_));
    return ready(*server_);
  }
  Child& client() { return *client_; }
  void end() {
    client_->end(kPatience);
    if (server_) server_->terminate(kPatience);
    if (second_) second_->terminate(kPatience);
  }

  static constexpr std::chrono::seconds kPatience{60};

 private:
  Child server_at(const std::string& place) const { return Child({program_, "server", "none", "tcp", place}); }
  std::string ready(Child& server) const {
    const std::string line = server.read_line(kPatience);
    if (!line.starts_with("ready ")) throw std::runtime_error(label_ + ": a server said: " + line);
    return line.substr(6);
  }

  std::string program_;
  std::string label_;
  std::string place_;
  std::optional<Child> server_;
  std::optional<Child> second_;
  std::optional<Child> client_;
};

class Run {
 public:
  Run(const Settings& settings, Report& report)
      : settings_(settings),
        report_(report),
        all_(contestants(settings.only)),
        repetitions_(settings.brief && settings.repeat == 0 ? 7 : settings.repetitions(20, 3)) {
    (void)find_mechanisms(report.machine);  // their versions
  }

  void run() {
    const std::size_t steps = static_cast<std::size_t>(repetitions_) * all_.size() * 4;
    announce_duration(settings_, static_cast<double>(steps) * 0.2);
    Progress progress(steps);
    measure_and_keep(
        [&] {
          for (int i = 0; i < repetitions_; ++i) {
            for (const Contestant& one : all_) measure(one, progress);
          }
        },
        [&] {
          for (const Figure& figure : figures_) {
            report_.results.push_back({"restart", figure.of, figure.metric, figure.unit, summarise(figure.samples)});
          }
        });
  }

  void print() const {
    Table table(
        {"who", "client", "the server", "the client", "ms to the first good call", "ms without one", "failed calls"},
        4);
    for (const Contestant& one : all_) {
      for (const char* const end : kEnds) {
        for (const char* const client : kClients) {
          const Case of = case_of(one, end, client);
          table.add({one.orb, one.scheme, end, client, number(median(of, "first_good_call") / 1000, 2),
                     number(median(of, "without_calls") / 1000, 2), number(median(of, "failed_calls"), 1)});
        }
      }
    }
    std::cout
        << "\nA server is stopped and started again: time from its first word (with a second server: from the end of\n"
           "the first) to the first call that succeeds, of a client that calls all the time, with 1 ms between, and "
           "of\n"
           "one that calls when the server is back\n\n";
    table.print(std::cout);
  }

 private:
  struct Figure {
    Case of;
    std::string metric;
    std::string unit;
    std::vector<double> samples;
  };

  static constexpr const char* kEnds[] = {"ends in order", "is killed"};
  static constexpr const char* kClients[] = {"calls on", "waits"};

  static Case case_of(const Contestant& one, const std::string& end, const std::string& client) {
    return {{"orb", one.orb}, {"scheme", one.scheme}, {"transport", "tcp"}, {"end", end}, {"client", client}};
  }
  void note(const Case& of, const std::string& metric, const std::string& unit, double sample) {
    for (Figure& figure : figures_) {
      if (figure.of == of && figure.metric == metric) return figure.samples.push_back(sample);
    }
    figures_.push_back({of, metric, unit, {sample}});
  }
  double median(const Case& of, const std::string& metric) const {
    const auto found = std::find_if(figures_.begin(), figures_.end(),
                                    [&](const Figure& one) { return one.of == of && one.metric == metric; });
    return found == figures_.end() ? std::nan("") : summarise(found->samples).median;
  }

  void measure(const Contestant& one, Progress& progress) {
    for (const char* const end : kEnds) {
      const bool in_order = end == kEnds[0] && one.orb != "raw";  // raw servers do not know how
      progress.step(one.orb + ", " + one.scheme + ": calling on while the server " + end);
      call_on(one, end, in_order);
      progress.step(one.orb + ", " + one.scheme + ": calling when the server is back that " + end);
      call_later(one, end, in_order);
    }
  }

  void call_on(const Contestant& one, const std::string& end, bool in_order) {
    Stage stage(one);
    stage.client().write_line("endure 1000");
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    stage.stop(in_order);
    double since = now_us();
    if (!one.second) {
      stage.start();
      since = now_us();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    const std::vector<double> told = ask(stage.client(), one.orb, "enough", Stage::kPatience);
    const Case of = case_of(one, end, kClients[0]);
    note(of, "failed_calls", "", told.at(0));
    const double gap = told.at(1) / 1000;
    const double after = std::max(told.at(2) / 1000 - since, 0.0);  // a server may be ready before it says so
    note(of, "without_calls", "us", gap);
    note(of, "first_good_call", "us", after < gap ? after : 0.0);  // a gap that begins later is not the server's
    stage.end();
  }

  void call_later(const Contestant& one, const std::string& end, bool in_order) {
    Stage stage(one);
    stage.stop(in_order);
    if (!one.second) stage.start();
    const std::vector<double> told = ask(stage.client(), one.orb, "until-good 1000", Stage::kPatience);
    const Case of = case_of(one, end, kClients[1]);
    note(of, "failed_calls", "", told.at(1));
    note(of, "first_good_call", "us", told.at(0) / 1000);
    stage.end();
  }

  const Settings& settings_;
  Report& report_;
  std::vector<Contestant> all_;
  int repetitions_;
  std::vector<Figure> figures_;
};

}  // namespace

int run_restart(const Settings& settings, Report& report) {
  Run run(settings, report);
  measure_and_keep([&] { run.run(); }, [&] { run.print(); });
  return 0;
}

}  // namespace bench
