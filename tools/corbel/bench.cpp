// SPDX-License-Identifier: Apache-2.0
// corbel bench: load on any operation of any server.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <iostream>
#include <map>
#include <mutex>
#include <thread>

#include "caller.hpp"
#include "histogram.hpp"

namespace corbel::tool {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

struct BenchArguments {
  CallOptions call;
  long calls = 0;
  double duration = 10;
  int clients = 1;
  double rate = 0;
  long warm_up = 100;
  bool json = false;
  bool quiet = false;
};

/// What one client saw.
struct Tally {
  Histogram latency;
  std::map<std::string, std::uint64_t> errors;

  void add(const Tally& other) {
    latency.add(other.latency);
    for (const auto& [name, count] : other.errors) errors[name] += count;
  }
};

/// Clients on threads of their own. Closed loop: each calls again when it has its answer, and latency is the call's
/// time. Open loop (a rate): calls begin at times that are fixed beforehand, whatever the server does, and latency
/// counts from there. A call that has to wait for a free client counts as late from the start: a server that stalls
/// delays all calls that were due meanwhile, not only those that it had.
class Bench {
 public:
  explicit Bench(const BenchArguments& arguments)
      : arguments_(arguments), caller_(arguments.call), prototype_(caller_.make(oneway_)) {}

  int run() {
    warm_up();
    const auto begin = Clock::now();
    begin_ = begin;
    end_ = arguments_.calls > 0 && !duration_given()
               ? Clock::time_point::max()
               : begin + std::chrono::duration_cast<Clock::duration>(Seconds(arguments_.duration));
    std::vector<Tally> tallies(static_cast<std::size_t>(arguments_.clients));
    std::vector<std::thread> threads;
    for (auto& tally : tallies) threads.emplace_back([&] { client(tally); });
    std::thread progress([&] { tell(); });
    for (auto& thread : threads) thread.join();
    const double seconds = Seconds(Clock::now() - begin).count();
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    changed_.notify_all();
    progress.join();
    Tally all;
    for (const auto& tally : tallies) all.add(tally);
    print(all, seconds);
    return all.errors.empty() ? kDone : kSystemException;
  }

 private:
  bool duration_given() const { return arguments_.duration > 0; }

  /// Connects, and lets caches fill. A failure here ends the command as `corbel call` would.
  void warm_up() {
    for (long i = 0; i < std::max(1L, arguments_.warm_up); ++i) {
      const auto request = Caller::again(*caller_.object(), *prototype_);
      try {
        oneway_ ? request->send_oneway() : request->invoke();
      } catch (const CORBA::UnknownUserException& exception) {
        throw std::runtime_error("the operation raises " + type_name(exception.exception()._type()) +
                                 "; give it arguments with which it works");
      }
    }
    if (!arguments_.quiet) std::fprintf(stderr, "the measurement begins\n");
  }

  /// When call number `index` is due. In the closed loop: now.
  Clock::time_point due(std::int64_t index) const {
    if (arguments_.rate <= 0) return Clock::now();
    return begin_ + std::chrono::duration_cast<Clock::duration>(Seconds(static_cast<double>(index) / arguments_.rate));
  }

  void client(Tally& tally) {
    for (;;) {
      const std::int64_t index = next_.fetch_add(1);
      if (arguments_.calls > 0 && index >= arguments_.calls) return;
      const auto request = Caller::again(*caller_.object(), *prototype_);
      const auto intended = due(index);
      if (intended >= end_) return;
      if (arguments_.rate > 0) std::this_thread::sleep_until(intended);
      const auto begin = arguments_.rate > 0 ? intended : Clock::now();
      try {
        oneway_ ? request->send_oneway() : request->invoke();
      } catch (const CORBA::UnknownUserException& exception) {
        ++tally.errors[type_name(exception.exception()._type())];
      } catch (const CORBA::Exception& exception) {
        ++tally.errors[exception._name()];
      }
      const auto took = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count();
      tally.latency.add(static_cast<std::uint64_t>(std::max<long>(took, 0)));
      answered_.fetch_add(1, std::memory_order_relaxed);
    }
  }

  /// One line a second on a terminal.
  void tell() {
    if (arguments_.quiet || ::isatty(STDERR_FILENO) == 0) return;
    std::unique_lock lock(mutex_);
    std::int64_t before = 0;
    while (!changed_.wait_for(lock, std::chrono::seconds(1), [&] { return done_; })) {
      const std::int64_t now = answered_;
      std::fprintf(stderr, "%6.0f s  %8lld calls/s\n", Seconds(Clock::now() - begin_).count(),
                   static_cast<long long>(now - before));
      before = now;
    }
  }

  void print(const Tally& all, double seconds) const {
    constexpr std::pair<const char*, double> kQuantiles[] = {
        {"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p99.9", 0.999}, {"p99.99", 0.9999}};
    const Histogram& latency = all.latency;
    const auto microseconds = [](double nanoseconds) { return nanoseconds / 1000; };
    const double rate = static_cast<double>(latency.count()) / seconds;
    if (arguments_.json) {
      Json json{{"loop", arguments_.rate > 0 ? "open" : "closed"}, {"clients", arguments_.clients}};
      if (arguments_.rate > 0) json["rate_wanted"] = arguments_.rate;
      json["calls"] = latency.count();
      json["seconds"] = seconds;
      json["rate"] = rate;
      Json& us = json["latency_us"];
      us["min"] = microseconds(static_cast<double>(latency.smallest()));
      us["mean"] = microseconds(latency.mean());
      for (const auto& [name, part] : kQuantiles) us[name] = microseconds(static_cast<double>(latency.quantile(part)));
      us["max"] = microseconds(static_cast<double>(latency.largest()));
      json["errors"] = all.errors;
      std::cout << json.dump(2) << '\n';
      return;
    }
    std::printf("%llu calls in %.1f s: %.0f calls/s, %s loop, %d client%s\n",
                static_cast<unsigned long long>(latency.count()), seconds, rate,
                arguments_.rate > 0 ? "open" : "closed", arguments_.clients, arguments_.clients == 1 ? "" : "s");
    if (arguments_.rate > 0 && rate < 0.95 * arguments_.rate) {
      std::printf("the rate of %.0f calls/s was not reached: more clients (-c), or the server cannot do it\n",
                  arguments_.rate);
    }
    std::printf("latency in us: min %.1f  mean %.1f", microseconds(static_cast<double>(latency.smallest())),
                microseconds(latency.mean()));
    for (const auto& [name, part] : kQuantiles)
      std::printf("  %s %.1f", name, microseconds(static_cast<double>(latency.quantile(part))));
    std::printf("  max %.1f\n", microseconds(static_cast<double>(latency.largest())));
    for (const auto& [name, count] : all.errors)
      std::printf("%llu times %s\n", static_cast<unsigned long long>(count), name.c_str());
  }

  const BenchArguments& arguments_;
  Caller caller_;
  bool oneway_ = false;
  const Caller::RequestRef prototype_;
  Clock::time_point begin_, end_;
  std::atomic<std::int64_t> next_ = 0;
  std::atomic<std::int64_t> answered_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
};

}  // namespace

void add_bench(CLI::App& app, Run& run) {
  const auto arguments = std::make_shared<BenchArguments>();
  CLI::App* const command = app.add_subcommand("bench", "Put load on an operation, and measure");
  add_call_options(*command, arguments->call);
  CLI::Option* const calls = command->add_option("-n,--calls", arguments->calls, "Make so many calls")
                                 ->check(CLI::Range(1L, 1'000'000'000'000L))
                                 ->type_name("N");
  CLI::Option* const duration =
      command->add_option("-d,--duration", arguments->duration, "Seconds [10, or until -n calls are made]")
          ->check(CLI::Range(0.001, 1e6))
          ->type_name("S");
  command->add_option("-c,--clients", arguments->clients, "Calls at the same time, at most")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command->add_option("-r,--rate", arguments->rate, "Open loop: begin so many calls a second, whatever the server does")
      ->check(CLI::Range(0.001, 1e7))
      ->type_name("N");
  command->add_option("--warm-up", arguments->warm_up, "Calls before, which do not count")
      ->check(CLI::Range(0L, 1'000'000L))
      ->capture_default_str();
  command->add_flag("--quiet", arguments->quiet, "No progress on the terminal");
  command->add_flag("--json", arguments->json, "Print JSON");
  command->footer(
      "Calls come through the dynamic invocation interface, which costs the client some microseconds each.\n"
      "Latencies of the open loop count from when a call was due (no coordinated omission).\n"
      "Example: corbel bench server.ior greet world --idl hello.idl -c 4 -r 1000 -d 30");
  command->callback([arguments, calls, duration, &run] {
    if (calls->count() > 0 && duration->count() == 0) arguments->duration = 0;
    run = [arguments] { return Bench(*arguments).run(); };
  });
}

}  // namespace corbel::tool
