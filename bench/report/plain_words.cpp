// SPDX-License-Identifier: Apache-2.0
// What costs what, in sentences; each is said only if its figures are there.
#include <algorithm>
#include <cmath>
#include <limits>

#include "common/table.hpp"
#include "report/chart.hpp"
#include "report/reader.hpp"
#include "report/sections.hpp"

namespace bench {
namespace {

class Words {
 public:
  explicit Words(const std::vector<Result>& results) : results_(results) {}

  std::vector<std::string> all() {
    wrappers();
    calls();
    placement();
    streams();
    compiling();
    return std::move(sentences_);
  }

 private:
  /// The median of the first such result; not a number if there is none. Several suites have the same metric.
  double value(const std::string& suite, const std::string& metric, const Case& of) const {
    const Result* const found = find_result(results_, suite, metric, of);
    return found == nullptr ? std::numeric_limits<double>::quiet_NaN() : found->value.median;
  }

  std::string omniorb() const {
    for (const Result& result : results_) {
      const std::string orb = value_of(result.of, "orb");
      if (orb.starts_with("omniORB")) return orb;
    }
    return "omniORB";
  }

  /// Both sides of a void call over tcp.
  double both(const std::string& metric, const std::string& orb, const std::string& protocol) const {
    const Case of{{"orb", orb}, {"protocol", protocol}, {"transport", "tcp"}};
    double sum = 0;
    for (const char* const side : {"client", "server"}) {
      Case one = of;
      one["side"] = side;
      sum += value("counts", metric, one);
    }
    return sum;
  }

  double latency(const Case& more, const std::string& transport = "tcp") const {
    Case of{{"transport", transport}, {"loop", "closed"}, {"payload", "0"}};
    of.insert(more.begin(), more.end());
    return value("latency", "latency_p50", of);
  }

  /// Says it unless a figure is missing.
  void say(std::initializer_list<double> figures, const std::string& sentence) {
    if (std::all_of(figures.begin(), figures.end(), [](double one) { return std::isfinite(one) && one > 0; })) {
      sentences_.push_back("- " + sentence);
    }
  }

  void wrappers() {
    const double raw = both("instructions_per_call", "raw", "none");
    const double wrapped = both("instructions_per_call", "wrappers", "none");
    say({raw, wrapped}, "The wrapper facades cost " + std::string(wrapped < 1.015 * raw ? "nothing: " : "something: ") +
                            plain_number(wrapped) + " instructions a call where C sockets take " + plain_number(raw) +
                            ", both sides together.");
  }

  void calls() {
    const double raw = both("instructions_per_call", "raw", "none");
    const double ours = both("instructions_per_call", "corbel", "giop");
    const double theirs = both("instructions_per_call", omniorb(), "giop");
    say({raw, ours},
        "The ORB adds " + plain_number(ours - raw) + " instructions to a void call, " +
            number(both("allocations_per_call", "corbel", "giop"), 0) + " allocations, and " +
            number(
                std::max(0.0, both("syscalls_per_call", "corbel", "giop") - both("syscalls_per_call", "raw", "none")),
                1) +
            " system calls" +
            (std::isfinite(theirs) ? "; " + omniorb() + " adds " + plain_number(theirs - raw) + " instructions" : "") +
            ".");
    const double raw_time = latency({{"orb", "raw"}, {"placement", "one cpu"}, {"waiting", "blocking"}});
    const double our_time = latency({{"orb", "corbel"}, {"protocol", "giop"}, {"placement", "one cpu"}});
    say({raw_time, our_time},
        "In time: the kernel takes " + number(raw_time, 1) +
            " us to move 64 octets over tcp and back on one processor, the same call with the ORB takes " +
            number(our_time, 1) + " us.");
    const double local = latency({{"orb", "corbel"}, {"protocol", "giop"}, {"placement", "one cpu"}}, "unix");
    say({our_time, local}, "Local sockets instead of tcp save " + number(100 * (1 - local / our_time)) + " % of it.");
  }

  void placement() {
    const double one = latency({{"orb", "raw"}, {"placement", "one cpu"}, {"waiting", "blocking"}});
    const double two = latency({{"orb", "raw"}, {"placement", "two cpus"}, {"waiting", "blocking"}});
    const double spinning = latency({{"orb", "raw"}, {"placement", "two cpus"}, {"waiting", "spinning"}});
    const double ours = latency({{"orb", "corbel"}, {"placement", "two cpus"}, {"waiting", "spinning"}});
    say({one, two},
        "Waking another processor costs more than any ORB: raw sockets need " + number(two, 1) +
            " us between two processors and " + number(one, 1) + " us on one" +
            (std::isfinite(spinning) ? ", and " + number(spinning, 1) + " us between two that never sleep" : "") +
            (std::isfinite(ours) ? "; Corbel with -ORBSpin " + number(ours, 1) + " us" : "") + ".");
  }

  void streams() {
    for (const char* const type : {"octet", "BinStruct"}) {
      const Case of{
          {"transport", "tcp"}, {"mode", "oneway"}, {"type", type}, {"buffer", "131072"}, {"queue", "default"}};
      const auto rate = [&](const std::string& orb, const std::string& protocol) {
        Case one = of;
        one["orb"] = orb;
        one["protocol"] = protocol;
        return value("ttcp", "throughput", one);
      };
      const double raw = rate("raw", "none");
      const double ours = rate("corbel", "giop");
      const double theirs = rate(omniorb(), "giop");
      say({raw, ours}, std::string("Streams of ") + type + "s in 128 KiB buffers reach " + number(ours / raw, 2) +
                           " of the raw sockets' " + plain_number(raw) + " Mbit/s over tcp" +
                           (std::isfinite(theirs) ? ", " + omniorb() + "'s " + number(theirs / raw, 2) : "") + ".");
    }
  }

  void compiling() {
    const auto seconds = [&](const std::string& by) {
      return value("compile", "compile_time", {{"interface", "hundred"}, {"part", "stubs and skeletons"}, {"by", by}});
    };
    const double ours = seconds("Corbel");
    const double theirs = seconds(omniorb());
    say({ours}, "Stubs and skeletons of a hundred operations take " + number(ours, 1) +
                    " s of processor time to compile" +
                    (std::isfinite(theirs) ? ", omniidl's " + number(theirs, 1) + " s" : "") + ".");
  }

  const std::vector<Result>& results_;
  std::vector<std::string> sentences_;
};

}  // namespace

std::vector<std::string> plain_words(const std::vector<Result>& results) {
  return Words(results).all();
}

}  // namespace bench
