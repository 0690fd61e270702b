// SPDX-License-Identifier: Apache-2.0
// corbel bench: load on any operation of any server.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <mutex>
#include <thread>
#include <utility>

#include "caller.hpp"
#include "load_result.hpp"

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
  std::string html{};
  bool json = false;
  bool quiet = false;
};

volatile std::sig_atomic_t interrupted = 0;

/// For as long as it lives, the first SIGINT ends the measurement in order, and the next one the process.
class Interrupts {
 public:
  Interrupts() {
    struct sigaction action = {};
    action.sa_handler = [](int) { interrupted = 1; };
    action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
    ::sigaction(SIGINT, &action, &before_);
  }
  ~Interrupts() { ::sigaction(SIGINT, &before_, nullptr); }
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

 private:
  struct sigaction before_ = {};
};

/// What one client has seen since somebody looked.
struct Seen {
  std::mutex mutex;
  Tally tally;
};

/// Clients on threads of their own. Closed loop: each calls again when it has its answer, and latency is the call's
/// time. Open loop (a rate): calls begin at times that are fixed beforehand, whatever the server does, and latency
/// counts from there. A call that has to wait for a free client counts as late from the start: a server that stalls
/// delays all calls that were due meanwhile, not only those that it had.
class Bench {
 public:
  explicit Bench(const BenchArguments& arguments)
      : arguments_(arguments),
        caller_(arguments.call),
        prototype_(caller_.make(oneway_)),
        seen_(static_cast<std::size_t>(arguments.clients)) {}

  int run() {
    warm_up();
    const Interrupts interrupts;
    if (!arguments_.quiet) std::fprintf(stderr, "the measurement begins\n");
    begin_ = Clock::now();
    end_ = !duration_given() ? Clock::time_point::max() : after(arguments_.duration);
    std::vector<std::thread> threads;
    for (Seen& seen : seen_) threads.emplace_back([&] { client(seen); });
    std::thread watcher([&] { watch(); });
    for (auto& thread : threads) thread.join();
    result_.seconds = Seconds(Clock::now() - begin_).count();
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    changed_.notify_all();
    watcher.join();
    complete();
    if (!arguments_.html.empty()) {
      std::ofstream file(arguments_.html, std::ios::binary);
      file << to_html(result_);
      if (!file.flush()) throw std::runtime_error(arguments_.html + ": cannot be written");
    }
    arguments_.json ? print_json() : print_text();
    return result_.all.errors.empty() ? kDone : kSystemException;
  }

 private:
  bool duration_given() const { return arguments_.duration > 0; }
  Clock::time_point after(double seconds) const {
    return begin_ + std::chrono::duration_cast<Clock::duration>(Seconds(seconds));
  }

  /// Connects, and lets caches fill. A failure here ends the command as `corbel call` would.
  void warm_up() {
    for (long i = 0; i < std::max(1L, arguments_.warm_up); ++i) {
      const auto request = Caller::again(*caller_.object(), *prototype_);
      try {
        oneway_ ? request->send_oneway() : request->invoke();
      } catch (const CORBA::UnknownUserException& exception) {
        throw std::runtime_error("the operation raises " + caller_.json().name_of(exception.exception()._type()) +
                                 "; give it arguments with which it works");
      }
    }
  }

  /// Until the call is due; false if it is not to be made.
  bool await(Clock::time_point due) const {
    constexpr auto kOften = std::chrono::milliseconds(50);
    while (interrupted == 0) {
      const auto now = Clock::now();
      if (now >= due) return now < give_up();
      std::this_thread::sleep_until(std::min(due, now + kOften));
    }
    return false;
  }
  /// Calls that are late when the time is over are made for a little while still.
  Clock::time_point give_up() const {
    return end_ == Clock::time_point::max() ? end_ : after(arguments_.duration * 1.1 + 1);
  }

  void client(Seen& seen) {
    const bool open = arguments_.rate > 0;
    for (;;) {
      const std::int64_t index = next_.fetch_add(1);
      if (arguments_.calls > 0 && index >= arguments_.calls) return;
      const auto request = Caller::again(*caller_.object(), *prototype_);
      const auto due = open ? after(static_cast<double>(index) / arguments_.rate) : Clock::now();
      if (due >= end_ || !await(due)) return;
      const auto begin = open ? due : Clock::now();
      std::string error;
      try {
        oneway_ ? request->send_oneway() : request->invoke();
      } catch (const CORBA::UnknownUserException& exception) {
        error = caller_.json().name_of(exception.exception()._type());
      } catch (const CORBA::Exception& exception) {
        error = exception._name();
      }
      const auto took = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count();
      const std::lock_guard lock(seen.mutex);
      seen.tally.latency.add(static_cast<std::uint64_t>(std::max<long>(took, 0)));
      if (!error.empty()) ++seen.tally.errors[error];
    }
  }

  /// What all clients have seen since the last time.
  Tally look() {
    Tally all;
    for (Seen& seen : seen_) {
      Tally one;
      {
        const std::lock_guard lock(seen.mutex);
        one = std::exchange(seen.tally, {});
      }
      all.add(one);
    }
    result_.all.add(all);
    return all;
  }

  /// Fills the timeline; one line a second on a terminal.
  void watch() {
    const bool tells = !arguments_.quiet && ::isatty(STDERR_FILENO) == 1;
    Timeline& timeline = result_.timeline;
    auto told = begin_;
    Tally second;
    std::unique_lock lock(mutex_);
    for (auto next = begin_;;) {
      next += std::chrono::duration_cast<Clock::duration>(Seconds(timeline.width()));
      const bool over = changed_.wait_until(lock, next, [&] { return done_; });
      Tally now = look();
      if (tells) second.add(now);
      if (over && now.latency.count() == 0) return;
      timeline.add(std::move(now));
      if (over) return;
      if (!tells || Clock::now() < told + std::chrono::seconds(1)) continue;
      const double passed = Seconds(Clock::now() - told).count();
      told = Clock::now();
      std::fprintf(stderr, "%6.0f s  %8.0f calls/s  p50 %.1f us  p99 %.1f us  max %.1f us  %llu errors\n",
                   Seconds(told - begin_).count(), static_cast<double>(second.latency.count()) / passed,
                   microseconds(second.latency.quantile(0.5)), microseconds(second.latency.quantile(0.99)),
                   microseconds(second.latency.largest()), static_cast<unsigned long long>(second.failed()));
      second = {};
    }
  }

  void complete() {
    result_.operation = arguments_.call.operation;
    result_.reference = arguments_.call.reference;
    result_.clients = arguments_.clients;
    result_.rate_wanted = arguments_.rate;
    result_.interrupted = interrupted != 0;
    if (arguments_.rate <= 0) return;
    double due = result_.interrupted || !duration_given() ? result_.seconds * arguments_.rate
                                                          : std::ceil(arguments_.duration * arguments_.rate);
    if (arguments_.calls > 0) due = std::min(due, static_cast<double>(arguments_.calls));
    const double made = static_cast<double>(result_.all.latency.count());
    if (due >= made + 1) result_.unmade = static_cast<std::uint64_t>(due - made);
  }

  void print_json() const {
    const Histogram& latency = result_.all.latency;
    Json json{{"loop", result_.loop()}, {"clients", result_.clients}};
    if (result_.rate_wanted > 0) {
      json["rate_wanted"] = result_.rate_wanted;
      json["unmade"] = result_.unmade;
    }
    json["interrupted"] = result_.interrupted;
    json["calls"] = latency.count();
    json["seconds"] = result_.seconds;
    json["rate"] = result_.rate();
    Json& us = json["latency_us"];
    us["min"] = microseconds(latency.smallest());
    us["mean"] = microseconds(latency.mean());
    for (const auto& [name, part] : kQuantiles) us[name] = microseconds(latency.quantile(part));
    us["max"] = microseconds(latency.largest());
    json["errors"] = result_.all.errors;
    Json& buckets = json["histogram_us"] = Json::array();
    latency.each([&](std::uint64_t last, std::uint64_t count) { buckets.push_back({microseconds(last), count}); });
    Json& slots = json["timeline"] = {{"seconds", result_.timeline.width()}, {"slots", Json::array()}};
    for (const Tally& each : result_.timeline.slots()) {
      slots["slots"].push_back({{"calls", each.latency.count()},
                                {"errors", each.failed()},
                                {"p50", microseconds(each.latency.quantile(0.5))},
                                {"p99", microseconds(each.latency.quantile(0.99))},
                                {"max", microseconds(each.latency.largest())}});
    }
    std::cout << json.dump(2) << '\n';
  }

  void print_text() const {
    const Histogram& latency = result_.all.latency;
    std::printf("%llu calls in %.1f s: %.0f calls/s, %s loop, %d client%s%s\n",
                static_cast<unsigned long long>(latency.count()), result_.seconds, result_.rate(), result_.loop(),
                result_.clients, result_.clients == 1 ? "" : "s", result_.interrupted ? ", interrupted" : "");
    if (result_.rate_wanted > 0 && result_.rate() < 0.95 * result_.rate_wanted) {
      std::printf("the rate of %.0f calls/s was not reached: more clients (-c), or the server cannot do it\n",
                  result_.rate_wanted);
    }
    if (result_.unmade > 0) {
      std::printf("%llu calls that were due had not begun when the time was over; they are in no figure\n",
                  static_cast<unsigned long long>(result_.unmade));
    }
    std::printf("latency in us: min %.1f  mean %.1f", microseconds(latency.smallest()), microseconds(latency.mean()));
    for (const auto& [name, part] : kQuantiles) std::printf("  %s %.1f", name, microseconds(latency.quantile(part)));
    std::printf("  max %.1f\n", microseconds(latency.largest()));
    for (const auto& [name, count] : result_.all.errors)
      std::printf("%llu times %s\n", static_cast<unsigned long long>(count), name.c_str());
  }

  const BenchArguments& arguments_;
  Caller caller_;
  bool oneway_ = false;
  const Caller::RequestRef prototype_;
  Clock::time_point begin_, end_;
  std::atomic<std::int64_t> next_ = 0;
  std::vector<Seen> seen_;
  LoadResult result_;  ///< of the watcher, and then of run()
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
      check_range(command->add_option("-d,--duration", arguments->duration, "Seconds [10, or until -n calls are made]"),
                  0.001, 1e6)
          ->type_name("S");
  command->add_option("-c,--clients", arguments->clients, "Calls at the same time, at most")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  check_range(command->add_option("-r,--rate", arguments->rate,
                                  "Open loop: begin so many calls a second, whatever the server does"),
              0.001, 1e7)
      ->type_name("N");
  command->add_option("--warm-up", arguments->warm_up, "Calls before, which do not count")
      ->check(CLI::Range(0L, 1'000'000L))
      ->capture_default_str();
  command->add_flag("--quiet", arguments->quiet, "No progress on the terminal");
  command->add_option("--html", arguments->html, "Also write a report for browsers there")->type_name("FILE");
  command->add_flag("--json", arguments->json, "Print JSON, with the whole histogram and how it was as time passed");
  command->footer(
      "SIGINT ends the measurement; what was measured is printed.\n"
      "Calls come through the dynamic invocation interface, which costs the client some microseconds each.\n"
      "Latencies of the open loop count from when a call was due (no coordinated omission).\n"
      "Example: corbel bench server.ior greet world --idl hello.idl -c 4 -r 1000 -d 30");
  command->callback([arguments, calls, duration, &run] {
    if (calls->count() > 0 && duration->count() == 0) arguments->duration = 0;
    run = [arguments] { return Bench(*arguments).run(); };
  });
}

}  // namespace corbel::tool
