// SPDX-License-Identifier: Apache-2.0
// Suite latency: percentiles of two-way calls, both processes on one processor and on two, back to back (closed loop)
// and at fixed times (open loop: a call is timed from when it was due, so one slow call shows in all that it delays);
// with the processor time, the context switches and the system calls of a call.
#include "suites/latency.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>

#include "common/certificate.hpp"
#include "common/cpus.hpp"
#include "common/progress.hpp"
#include "common/table.hpp"
#include "common/temporary.hpp"
#include "suites/counting.hpp"
#include "suites/suite.hpp"

namespace bench {
namespace {

struct Metric {
  const char* name;
  const char* unit;
};
/// Five percentiles, then what both processes used up for one call.
constexpr Metric kMetrics[] = {{"latency_p50", "us"},     {"latency_p90", "us"},         {"latency_p99", "us"},
                               {"latency_p999", "us"},    {"latency_max", "us"},         {"cpu_client", "us/call"},
                               {"cpu_server", "us/call"}, {"switches_client", "1/call"}, {"switches_server", "1/call"}};
constexpr std::size_t kPercentiles = 5;

/// A percentile is a fact about the calls beyond it: with fewer than five of those it is the tale of one of them.
bool supported(std::size_t percentile, long calls) {
  constexpr double kBeyond[] = {0.5, 0.1, 0.01, 0.001};
  return percentile >= std::size(kBeyond) || static_cast<double>(calls) * kBeyond[percentile] >= 5;
}

/// The open loop uses this share of the rate that the raw sockets reach back to back.
constexpr double kShareOfRate = 0.25;

}  // namespace

Latencies::Latencies(LatencyPlan plan, const std::vector<Mechanism>& mechanisms) : plan_(std::move(plan)) {
  const bool one_cpu = plan_.placement.client.cpu && plan_.placement.client.cpu == plan_.placement.server.cpu;
  for (const Mechanism& mechanism : mechanisms) {
    const bool hopeless = mechanism.spins() && one_cpu;  // it would wait for what it keeps from running
    if (mechanism.over(plan_.transport) && mechanism.can("latency") && !hopeless) mechanisms_.push_back(mechanism);
  }
}

std::size_t Latencies::steps() const {
  return mechanisms_.size() * plan_.payloads.size() * plan_.rounds.least * (plan_.open_loop ? 2 : 1);
}

void Latencies::measure(Progress& progress) {
  const TemporaryFolder folder;
  std::vector<Running> running;
  for (const Mechanism& mechanism : mechanisms_) {
    const std::string path = folder.path() + "/socket" + std::to_string(running.size());
    survives(mechanism, [&] {
      running.push_back({&mechanism, Pair(mechanism, plan_.transport, path, plan_.placement), {}});
    });
  }
  if (running.empty()) return;
  for (const int payload : plan_.payloads) {
    measure_case(running, true, payload, progress);
    if (plan_.open_loop) measure_case(running, false, payload, progress);
  }
  for (Running& one : running) one.pair.end();
}

void Latencies::measure_case(std::vector<Running>& running, bool closed, int payload, Progress& progress) {
  const std::string tail = std::to_string(payload);
  const bool limited = !closed && plan_.seconds > 0;
  const long calls =
      limited ? std::clamp(std::lround(plan_.seconds * 1e9 / period_ns_), std::min(1000L, plan_.calls), plan_.calls)
              : plan_.calls;
  const std::string command =
      closed ? "latency " + std::to_string(calls) + " " + tail
             : "paced " + std::to_string(calls) + " " + std::to_string(std::lround(period_ns_)) + " " + tail;
  for (Running& one : running) {
    one.samples.assign(std::size(kMetrics), {});
    if (one.failed) continue;
    one.failed = !survives(*one.mechanism, [&] {
      one.pair.command("latency " + std::to_string(std::max(plan_.calls / 4, 20L)) + " " + tail);
    });
  }
  const auto medians = [&] {
    std::vector<std::vector<double>> all;
    for (const Running& one : running) all.push_back(one.samples[0]);
    return all;
  };
  for (std::size_t round = 0; plan_.rounds.again(round, progress.ahead(), medians); ++round) {
    for (Running& one : running) {
      if (round < plan_.rounds.least) {
        progress.step(one.mechanism->label() + " over " + plan_.transport +
                      (closed ? ", back to back, " : ", paced, ") + tail + " octets");
      }
      if (one.failed) continue;
      one.failed = !survives(*one.mechanism, [&] { measure_one(one, command, calls); });
    }
  }
  if (closed) period_ns_ = 1000 * summarise(running.front().samples[0]).median / kShareOfRate;
  for (const Running& one : running) {
    if (!one.failed) add(one, closed ? "closed" : "open", calls, payload, running.front());
  }
}

void Latencies::measure_one(Running& one, const std::string& command, long calls) {
  const auto count = static_cast<double>(calls);
  const pid_t processes[] = {one.pair.client().process(), one.pair.server().process()};
  const Usage before[] = {usage_of(processes[0]), usage_of(processes[1])};
  const std::vector<double> nanoseconds = one.pair.command(command);
  for (std::size_t side = 0; side < 2; ++side) {
    const Usage after = usage_of(processes[side]);
    one.samples[kPercentiles + side].push_back((after.cpu_ns - before[side].cpu_ns) / 1000 / count);
    one.samples[kPercentiles + 2 + side].push_back(switches_between(before[side], after) / count);
  }
  for (std::size_t k = 0; k < kPercentiles; ++k) one.samples[k].push_back(nanoseconds.at(k) / 1000);
}

void Latencies::add(const Running& one, const std::string& loop, long calls, int payload, const Running& control) {
  for (std::size_t k = 0; k < std::size(kMetrics); ++k) {
    const bool told = k >= kPercentiles || supported(k, calls);
    Result result{
        plan_.suite, one.mechanism->case_on(plan_.transport), kMetrics[k].name, kMetrics[k].unit,
        told ? summarise(one.samples[k]) : Summary{std::nan(""), std::nan(""), std::nan(""), one.samples[k].size()}};
    result.of.insert(plan_.of.begin(), plan_.of.end());
    result.of["loop"] = loop;
    result.of["payload"] = std::to_string(payload);
    result.of["waiting"] = one.mechanism->spins() ? "spinning" : "blocking";
    if (loop == "open") result.of["rate"] = number(1e9 / period_ns_);
    if (&one != &control && control.mechanism->orb == "raw" && told) {
      result.of["control"] = "raw";
      result.control = summarise(control.samples[k]).median;
    }
    results_.push_back(std::move(result));
  }
}

void Latencies::print(const std::vector<Result>& results, std::ostream& out) {
  Table table({"where", "loop", "octets", "mechanism", "p50 us", "p90", "p99", "p99.9", "max", "p50 / raw", "p99 / raw",
               "cpu us", "/ raw", "switches"},
              4);
  std::string last;
  for (std::size_t i = 0; i + std::size(kMetrics) <= results.size(); i += std::size(kMetrics)) {
    const Result* const r = &results[i];
    const auto of = [&](const char* name) {
      const auto found = r->of.find(name);
      return found != r->of.end() ? found->second : std::string();
    };
    const std::string place = of("network").empty() ? of("placement") : of("network");
    const std::string group = of("transport") + place + of("loop") + of("payload");
    if (!last.empty() && group != last) table.add_rule();
    last = group;
    const auto ratio = [](double value, const std::optional<double>& control) {
      return control ? number(value / *control, 2) : "";
    };
    std::vector<std::string> cells{of("transport") + (place.empty() ? "" : ", ") + place,
                                   of("loop") == "open" ? "open, " + of("rate") + "/s" : of("loop"), of("payload"),
                                   Mechanism{of("orb"), of("protocol"), ""}.label()};
    for (std::size_t k = 0; k < kPercentiles; ++k) cells.push_back(number(r[k].value.median, 1));
    cells.push_back(ratio(r[0].value.median, r[0].control));
    cells.push_back(ratio(r[2].value.median, r[2].control));
    const double cpu = r[5].value.median + r[6].value.median;
    cells.push_back(number(cpu, 1));
    cells.push_back(r[5].control ? ratio(cpu, *r[5].control + *r[6].control) : "");
    cells.push_back(number(r[7].value.median + r[8].value.median, 1));
    table.add(cells);
  }
  out << "\nTwo-way calls, back to back (closed) and at fixed times (open; timed from when a call was due); processor "
         "time\n"
         "and context switches of both sides per call\n\n";
  table.print(out);
}

namespace {

struct Spot {
  std::string name;  ///< the `placement` of a case
  int client;
  int server;
};

std::vector<Spot> spots() {
  const std::vector<int> cpus = allowed_cpus();
  std::vector<Spot> spots{{"one cpu", cpus[0], cpus[0]}};
  if (cpus.size() > 1) spots.push_back({"two cpus", cpus[0], cpus[1]});
  return spots;
}

const std::vector<std::string> kQuick = {"tcp", "unix", "shm", "udp"};
const std::vector<std::string> kAll = {"tcp", "unix", "shm", "tls", "rudp", "packet", "udp"};
constexpr int kMostInDatagram = 60'000;  // octets, with what a protocol adds

std::vector<LatencyPlan> plans(const Settings& settings, const Certificate& certificate) {
  LatencyPlan plan;
  plan.rounds = settings.rounds(5, 3);
  plan.calls = settings.choose(10000, 5000, 500);
  plan.seconds = settings.choose(0.0, 0.3, 0.0);  // the open loop waits, by far longest where a processor is woken
  if (!settings.buffers.empty()) {
    plan.payloads = settings.buffers;
  } else if (!settings.quick) {
    plan.payloads = {0, 1024, 65536};
  }
  std::vector<LatencyPlan> plans;
  for (const std::string& transport : settings.quick ? kQuick : kAll) {
    for (const Spot& spot : spots()) {
      plan.transport = transport;
      plan.placement = {};
      if (transport == "tls") {
        serve_with(certificate, plan.placement.server);
        trust_anybody(plan.placement.client);
      }
      const bool whole = transport == "udp" || transport == "packet";  // a message is a datagram
      std::erase_if(plan.payloads, [&](int octets) { return whole && octets > kMostInDatagram; });
      plan.of["placement"] = spot.name;
      plan.placement.client.cpu = spot.client;
      plan.placement.server.cpu = spot.server;
      plans.push_back(plan);
    }
  }
  return plans;
}

/// System calls of one void call, by strace.
void count_calls(const std::vector<Mechanism>& mechanisms, const std::string& transport, Progress& progress,
                 std::vector<Result>& results) {
  for (const Mechanism& mechanism : mechanisms) {
    if (!mechanism.over(transport) || mechanism.spins()) continue;
    progress.step("tracing " + mechanism.label() + " over " + transport);
    std::vector<SystemCalls> sides;
    survives(mechanism, [&] { sides = count_system_calls(mechanism, transport); });
    for (std::size_t side = 0; side < sides.size(); ++side) {
      Result result{"latency", mechanism.case_on(transport), "syscalls_per_call", "1/call",
                    summarise({sum(sides[side].calls)})};
      result.of["side"] = kSides[side];
      results.push_back(std::move(result));
    }
  }
}

void print_calls(const std::vector<Result>& results) {
  Table table({"transport", "mechanism", "client", "server"}, 2);
  for (std::size_t i = 0; i + 1 < results.size(); ++i) {
    const Result* const r = &results[i];
    if (r->of.at("side") != "client") continue;
    table.add({r->of.at("transport"), Mechanism{r->of.at("orb"), r->of.at("protocol"), ""}.label(),
               number(r[0].value.median, 2), number(r[1].value.median, 2)});
  }
  std::cout << "\nSystem calls of one void call\n\n";
  table.print(std::cout);
}

}  // namespace

int run_latency(const Settings& settings, Report& report) {
  std::vector<Mechanism> mechanisms = find_tls_sockets();
  const std::vector<Mechanism> others = find_all_mechanisms(report.machine, settings.only, true);
  mechanisms.insert(mechanisms.end(), others.begin(), others.end());
  // Tracing the others takes long: they ask the kernel for much.
  const std::vector<std::string> few{"wrappers", "corbel", "omniORB"};
  const std::vector<Mechanism> to_trace =
      settings.quick && settings.only.empty() ? find_all_mechanisms(report.machine, few) : others;
  const bool trace = can_trace();
  const std::vector<std::string> traced = settings.quick
                                              ? std::vector<std::string>{"tcp"}
                                              : std::vector<std::string>{"tcp", "unix", "shm", "udp", "rudp", "packet"};
  std::vector<Latencies> runs;
  std::size_t steps = trace ? traced.size() * to_trace.size() : 0;
  double seconds = static_cast<double>(2 * steps);
  const Certificate certificate;
  for (const LatencyPlan& plan : plans(settings, certificate)) {
    runs.emplace_back(plan, mechanisms);
    steps += runs.back().steps();
    seconds += static_cast<double>(runs.back().steps()) * static_cast<double>(plan.calls) * 100e-6;
  }
  announce_duration(settings, seconds);
  Progress progress(steps);
  std::vector<Result> traces;
  measure_and_keep(
      [&] {
        for (Latencies& run : runs) run.measure(progress);
        for (const std::string& transport : traced) {
          if (trace) count_calls(to_trace, transport, progress, traces);
        }
      },
      [&] {
        progress.finish();
        for (const Latencies& run : runs) {
          report.results.insert(report.results.end(), run.results().begin(), run.results().end());
        }
        Latencies::print(report.results, std::cout);
        if (!traces.empty()) print_calls(traces);
        report.results.insert(report.results.end(), traces.begin(), traces.end());
      });
  return 0;
}

}  // namespace bench
