// SPDX-License-Identifier: Apache-2.0
// Suite ttcp: user data streamed in buffers of various sizes, oneway or two-way, until all has arrived. The raw sockets
// send the same octets; copying them once in memory is the second control.
#include "suites/ttcp.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <iostream>
#include <optional>
#include <stdexcept>

#include "common/certificate.hpp"
#include "common/cpus.hpp"
#include "common/progress.hpp"
#include "common/table.hpp"
#include "common/temporary.hpp"
#include "suites/suite.hpp"

namespace bench {
namespace {

constexpr double kMostOctets = 64.0 * 1024 * 1024;

double mbit_per_second(double octets, double nanoseconds) {
  return octets * 8000 / nanoseconds;
}

/// The rate at which this process copies a buffer from one place to another.
double copying_rate(std::size_t buffer, double seconds) {
  std::vector<char> from(buffer, 'x');
  std::vector<char> to(buffer);
  const auto begin = std::chrono::steady_clock::now();
  for (double octets = 0;;) {
    for (int i = 0; i < 64; ++i) {
      std::memcpy(to.data(), from.data(), buffer);
      asm volatile("" : : "r"(to.data()) : "memory");  // the copy counts as used
    }
    octets += 64 * static_cast<double>(buffer);
    const double past = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (past >= seconds) return mbit_per_second(octets, past * 1e9);
  }
}

/// What the kernel grants where a program asks for socket queues of so many octets, "send/receive": it doubles and
/// caps.
std::string granted_queues(int asked) {
  const int handle = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int sizes[2] = {};
  const int options[] = {SO_SNDBUF, SO_RCVBUF};
  for (std::size_t i = 0; i < 2; ++i) {
    socklen_t length = sizeof sizes[i];
    setsockopt(handle, SOL_SOCKET, options[i], &asked, sizeof asked);
    getsockopt(handle, SOL_SOCKET, options[i], &sizes[i], &length);
  }
  close(handle);
  return std::to_string(sizes[0]) + "/" + std::to_string(sizes[1]);
}

std::string queue_name(int queue) {
  return queue > 0 ? std::to_string(queue) : "default";
}

}  // namespace

std::size_t Streams::steps() const {
  std::size_t steps = 0;
  for (const Mechanism& mechanism : mechanisms_) steps += able(mechanism) ? 1 : 0;
  std::size_t cases = 0;
  for (const std::string& type : plan_.types) cases += buffers_of(type).size();
  return steps * cases * plan_.rounds.least;
}

bool Streams::able(const Mechanism& mechanism) const {
  if (!mechanism.over(plan_.transport) || !mechanism.can(plan_.mode)) return false;
  if (!plan_.no_delay && !mechanism.can("delays")) return false;
  const Placement& placement = plan_.placement;
  // On one processor what spins would wait for what it keeps from running.
  if (mechanism.spins() && placement.client.cpu && placement.client.cpu == placement.server.cpu) return false;
  return plan_.orbs.empty() ||
         std::ranges::any_of(plan_.orbs, [&](const std::string& name) { return mechanism.orb.starts_with(name); });
}

std::vector<int> Streams::buffers_of(const std::string& type) const {
  std::vector<int> buffers;
  for (const int buffer : plan_.buffers) {
    if (buffer > 1 || type == "octet") buffers.push_back(buffer);
  }
  return buffers;
}

void Streams::measure(Progress& progress) {
  const TemporaryFolder folder;
  std::optional<Certificate> certificate;
  if (plan_.transport == "tls") certificate.emplace();
  std::vector<Running> running;
  for (const Mechanism& mechanism : mechanisms_) {
    if (!able(mechanism)) continue;
    Placement placement = plan_.placement;
    if (certificate) {
      serve_with(*certificate, placement.server);
      trust_anybody(placement.client);
    }
    for (ChildOptions* const side : {&placement.client, &placement.server}) {
      set_queues(mechanism, plan_.queue, *side);
      if (!plan_.no_delay) side->environment.emplace_back("CORBEL_NO_DELAY=off");
    }
    const std::string path = folder.path() + "/socket" + std::to_string(running.size());
    survives(mechanism, [&] {
      running.push_back({&mechanism, Pair(mechanism, plan_.transport, path, placement), 0, {}});
    });
  }
  for (const std::string& type : plan_.types) {
    for (const int buffer : buffers_of(type)) measure_case(running, type, buffer, progress);
  }
  for (Running& one : running) one.pair.end();
}

/// How long so many calls take at best, in seconds: a stall must not make them look slow.
double Streams::trial(Pair& pair, const std::string& command) const {
  double quickest = pair.command(command).at(0) / 1e9;
  for (int again = 0; again < 2 && quickest < plan_.seconds; ++again) {
    quickest = std::min(quickest, pair.command(command).at(0) / 1e9);
  }
  return quickest;
}

/// How many buffers make up 64 MiB, or take the time that the plan allows if that is less.
long Streams::suitable_count(Pair& pair, const std::string& stream, int buffer) const {
  const double most = std::max(20.0, plan_.octets / buffer);
  for (double count = plan_.least;;) {  // until a trial is long enough to tell
    const double seconds = trial(pair, stream + std::to_string(std::lround(count)));
    const double fitting = count * plan_.seconds / seconds;
    if (seconds > plan_.seconds / 8 || fitting <= count || count >= most) {
      return std::lround(std::clamp(fitting, plan_.least, most));
    }
    count = std::clamp(fitting / 4, count * 2, std::min(count * 50, std::max(most, count * 2)));
  }
}

void Streams::measure_case(std::vector<Running>& running, const std::string& type, int buffer, Progress& progress) {
  const std::string stream = "stream " + plan_.mode + " " + type + " " + std::to_string(buffer) + " ";
  const auto carries = [&](const Running& one) { return !one.failed && one.mechanism->types.contains(type); };
  for (Running& one : running) {
    one.samples = {};
    if (!carries(one)) continue;
    one.failed = !survives(*one.mechanism, [&] { one.count = suitable_count(one.pair, stream, buffer); });
  }
  std::vector<double> copies;
  const auto rates = [&] {
    std::vector<std::vector<double>> all;
    for (const Running& one : running) all.push_back(one.samples.rates);
    return all;
  };
  for (std::size_t round = 0; plan_.rounds.again(round, progress.ahead(), rates); ++round) {
    for (Running& one : running) {
      if (round < plan_.rounds.least) {
        progress.step(one.mechanism->label() + " over " + plan_.transport + ", " + plan_.mode + " " + type +
                      " in buffers of " + std::to_string(buffer));
      }
      if (!carries(one)) continue;
      one.failed = !survives(*one.mechanism, [&] {
        const std::vector<double> answer = one.pair.command(stream + std::to_string(one.count));
        one.samples.rates.push_back(mbit_per_second(answer.at(1), answer.at(0)));
        if (answer.size() > 2) one.samples.losses.push_back(100 * (1 - answer[1] / std::max(answer[2], 1.0)));
      });
    }
    if (plan_.copies && type == "octet") copies.push_back(copying_rate(static_cast<std::size_t>(buffer), 0.002));
  }
  for (Running& one : running) {
    if (carries(one)) add(*one.mechanism, type, buffer, one.samples, running.front().samples);
  }
  if (!copies.empty()) {
    Mechanism memory{"memcpy", "none", ""};
    add(memory, type, buffer, {copies, {}}, running.front().samples);
  }
}

void Streams::add(const Mechanism& mechanism, const std::string& type, int buffer, const Samples& samples,
                  const Samples& control) {
  Result result{plan_.suite, mechanism.case_on(plan_.transport), "throughput", "Mbit/s", summarise(samples.rates)};
  result.of.insert(plan_.of.begin(), plan_.of.end());
  result.of["mode"] = plan_.mode;
  result.of["type"] = type_name(type);
  result.of["buffer"] = std::to_string(buffer);
  result.of["queue"] = queue_name(plan_.queue);
  if (plan_.queue > 0) result.of["granted"] = granted_queues(plan_.queue);
  if (!plan_.no_delay) result.of["no_delay"] = "off";
  if (!samples.losses.empty()) {
    results_.push_back({plan_.suite, result.of, "loss", "%", summarise(samples.losses)});
  }
  if (&samples != &control) {
    result.of["control"] = "raw";
    result.control = summarise(control.rates).median;
  }
  results_.push_back(std::move(result));
}

/// The rate, or what multiple of the control's it is; and what got lost.
std::string Streams::cell(const Result& result) const {
  const double rate = result.value.median;
  std::string text = result.control ? number(rate / *result.control, 2) : number(rate, rate < 100 ? 2 : 0);
  Case of = result.of;
  of.erase("control");
  const auto lost =
      std::ranges::find_if(results_, [&](const Result& one) { return one.metric == "loss" && one.of == of; });
  if (lost != results_.end()) text += ", " + number(lost->value.median, 1) + " % lost";
  return text;
}

void Streams::print(std::ostream& out) const {
  if (results_.empty()) return;
  std::vector<std::string> labels;
  for (const Mechanism& mechanism : mechanisms_) {
    if (able(mechanism)) labels.push_back(mechanism.label());
  }
  if (plan_.copies) labels.emplace_back("memcpy");
  std::vector<std::string> heads{"type", "buffer", "raw Mbit/s"};
  heads.insert(heads.end(), labels.begin() + 1, labels.end());
  Table table(heads, 1);
  for (const std::string& type : plan_.types) {
    bool first = true;
    for (const int buffer : buffers_of(type)) {
      const std::string shown = type_name(type);
      if (std::none_of(results_.begin(), results_.end(), [&](const Result& result) {
            return result.of.at("type") == shown && result.of.at("buffer") == std::to_string(buffer);
          })) {
        continue;  // there was no time for it
      }
      if (first && &type != &plan_.types.front()) table.add_rule();
      first = false;
      std::vector<std::string> cells{shown, std::to_string(buffer)};
      for (const std::string& label : labels) {
        const auto found = std::find_if(results_.begin(), results_.end(), [&](const Result& result) {
          return result.metric == "throughput" &&
                 Mechanism{result.of.at("orb"), result.of.at("protocol"), ""}.label() == label &&
                 result.of.at("type") == shown && result.of.at("buffer") == std::to_string(buffer);
        });
        cells.push_back(found == results_.end() ? "" : cell(*found));
      }
      table.add(cells);
    }
  }
  out << "\nStreaming user data over " << plan_.transport << ", " << plan_.mode << ", socket queues "
      << queue_name(plan_.queue)
      << (plan_.queue > 0 ? " (the kernel gives " + granted_queues(plan_.queue) + ", sending/receiving)" : "")
      << (plan_.no_delay ? "" : ", without TCP_NODELAY")
      << ": Mbit/s of the raw sockets, multiples of it for the others\n\n";
  table.print(out);
}

namespace {

/// Everything the suite streams, one plan per table.
std::vector<StreamPlan> plans(const Settings& settings) {
  StreamPlan plan;
  const std::vector<int> cpus = allowed_cpus();
  plan.placement.client.cpu = cpus.front();
  plan.placement.server.cpu = settings.one_cpu ? cpus.front() : cpus.back();
  plan.of["placement"] = cpus.size() > 1 && !settings.one_cpu ? "two cpus" : "one cpu";
  plan.rounds = settings.rounds(5, 3);
  plan.octets = kMostOctets;
  plan.seconds = settings.choose(1.0, 0.06, 0.04);
  plan.copies = true;
  std::vector<StreamPlan> all;
  const auto add = [&](const char* transport, const char* mode, std::vector<std::string> types,
                       std::vector<int> buffers, int queue = 0) {
    if (!settings.transport.empty() && settings.transport != transport) return;
    if (!settings.mode.empty() && settings.mode != mode) return;
    if (!settings.queues.empty() && std::ranges::count(settings.queues, queue) == 0) return;
    plan.transport = transport;
    plan.mode = mode;
    if (!settings.types.empty()) {
      std::erase_if(types, [&](const std::string& type) { return std::ranges::count(settings.types, type) == 0; });
    }
    plan.types = std::move(types);
    plan.buffers = settings.buffers.empty() ? std::move(buffers) : settings.buffers;
    plan.queue = queue;
    if (!plan.types.empty()) all.push_back(plan);
  };
  // Both sides on one processor: what streams cost where nothing runs at the same time.
  const auto add_one_cpu = [&](const std::vector<std::string>& types, const std::vector<int>& buffers) {
    const StreamPlan before = plan;
    plan.placement.server.cpu = cpus.front();
    plan.of["placement"] = "one cpu";
    add("tcp", "oneway", types, buffers);
    plan = before;
  };
  const bool chosen = !settings.transport.empty() || !settings.mode.empty() || !settings.queues.empty();
  if (chosen && !settings.quick) {
    // A combination of one's own: not only those that the papers have.
    const auto transports = settings.transport.empty() ? std::vector<std::string>{"tcp", "unix", "shm", "tls"}
                                                       : std::vector{settings.transport};
    const auto modes =
        settings.mode.empty() ? std::vector<std::string>{"oneway", "twoway", "ring"} : std::vector{settings.mode};
    const auto queues = settings.queues.empty() ? std::vector<int>{0} : settings.queues;
    for (const std::string& transport : transports) {
      for (const std::string& mode : modes) {
        for (const int queue : queues)
          add(transport.c_str(), mode.c_str(),
              {"octet", "char", "short", "long", "double", "string", "struct", "padded"},
              {1, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 1048576}, queue);
      }
    }
    return all;
  }
  if (settings.quick) {
    add("tcp", "oneway", {"octet", "struct"}, {1024, 8192, 131072});
    add("tcp", "oneway", {"octet"}, {8192, 131072}, 8192);
    add("tcp", "oneway", {"padded"}, {65536});
    add("tcp", "twoway", {"octet"}, {8192, 131072});
    add("unix", "oneway", {"octet", "struct"}, {8192, 131072});
    add("shm", "oneway", {"octet"}, {8192, 131072});
    add("unix", "ring", {"octet"}, {1024, 8192, 131072});
    add("tls", "oneway", {"octet"}, {8192, 131072});
    if (!settings.one_cpu) add_one_cpu({"octet"}, {8192, 131072});
    return all;
  }
  const std::vector<std::string> types{"octet", "char", "short", "long", "double", "string", "struct"};
  // The papers' types and sizes over tcp; elsewhere what shows the differences. The rest is had by --transport, --mode
  // and --buffers.
  const std::vector<int> buffers{1, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072};
  const std::vector<int> few{1024, 8192, 32768, 131072};
  add("tcp", "oneway", types, buffers);
  for (const char* const transport : {"unix", "shm"}) add(transport, "oneway", {"octet", "struct"}, few);
  for (const char* const transport : {"tcp", "unix", "shm"}) add(transport, "twoway", {"octet", "struct"}, few);
  add("tcp", "ring", {"char", "struct"}, {16384});
  add("tcp", "oneway", {"padded"}, buffers);
  for (const int queue : {8192, 65536, 1048576}) add("tcp", "oneway", {"octet"}, buffers, queue);
  for (const char* const transport : {"tcp", "unix", "shm"}) add(transport, "ring", {"octet"}, few);
  add("tls", "oneway", {"octet", "struct"}, few);
  add("tls", "ring", {"octet"}, {1024, 16384, 131072});
  if (!settings.one_cpu && cpus.size() > 1) add_one_cpu({"octet", "struct"}, {1024, 8192, 32768, 131072});
  return all;
}

}  // namespace

int run_ttcp(const Settings& settings, Report& report) {
  std::vector<Mechanism> mechanisms = find_tls_sockets();
  for (Mechanism& one : find_all_mechanisms(report.machine, settings.only, true)) mechanisms.push_back(std::move(one));
  std::vector<Streams> runs;
  std::size_t steps = 0;
  const std::vector<StreamPlan> all = plans(settings);
  if (all.empty()) throw std::runtime_error("--quick streams few of these combinations: leave it out, or choose less");
  for (const StreamPlan& plan : all) {
    runs.emplace_back(plan, mechanisms);
    steps += runs.back().steps();
  }
  announce_duration(settings, static_cast<double>(steps) * (settings.quick ? 0.05 : 0.35));
  Progress progress(steps);
  measure_and_keep(
      [&] {
        for (Streams& run : runs) run.measure(progress);
      },
      [&] {
        progress.finish();
        for (const Streams& run : runs) {
          report.results.insert(report.results.end(), run.results().begin(), run.results().end());
          run.print(std::cout);
        }
      });
  return 0;
}

}  // namespace bench
