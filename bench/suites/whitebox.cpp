// SPDX-License-Identifier: Apache-2.0
// Suite whitebox: where one two-way call goes, layer by layer on both sides: time (from probes), instructions (from
// callgrind, by the room of the function), copies and allocations.
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <span>
#include <sstream>
#include <stdexcept>

#include "common/child.hpp"
#include "common/progress.hpp"
#include "common/table.hpp"
#include "common/temporary.hpp"
#include "report/bars.hpp"
#include "report/reader.hpp"
#include "suites/counting.hpp"
#include "suites/suite.hpp"
#include "whitebox/profile.hpp"

namespace bench {
namespace {

constexpr std::chrono::seconds kTimeout(300);

struct Subject {
  const char* protocol;
  const char* type;
  int octets;
};
/// Those of a quick run first: the ends and the middle.
constexpr Subject kSubjects[] = {
    {"giop", "void", 0},      {"giop_lite", "void", 0},     {"giop", "octet", 4},           {"giop", "octet", 4096},
    {"giop", "octet", 65536}, {"giop", "BinStruct", 65520}, {"giop", "octet", 256},         {"giop", "octet", 1024},
    {"giop", "octet", 16384}, {"giop", "BinStruct", 3072},  {"giop", "octet result", 65536}};
constexpr std::size_t kQuickSubjects = 6;
constexpr std::size_t kQuickSubjectsOverUnix = 2;

class Run {
 public:
  Run(const Settings& settings, Report& report) : settings_(settings), report_(report) {
    if (access(program_.c_str(), X_OK) != 0) {
      throw std::runtime_error(program_ +
                               " is missing; the target corbel-bench-optional-peers of the build builds it, as does "
                               "./dev bench whitebox; `cmake --install` then installs it");
    }
  }

  void run() {
    const int repetitions = settings_.repetitions(5, 2);
    Progress progress(subjects("tcp").size() + subjects("unix").size() + 2);
    for (const char* const transport : {"tcp", "unix"}) {
      for (const Subject& subject : subjects(transport)) {
        progress.step(std::string(subject.type) + " over " + transport);
        look_into(transport, subject, repetitions);
      }
    }
    if (!program_exists("valgrind")) return;
    for (const char* const transport : {"tcp", "unix"}) {
      progress.step(std::string("instructions over ") + transport);
      count_rooms(transport);
    }
  }

  void print() const {
    print_layers();
    print_bars();
    print_table("instructions", "room", "Instructions of a void call by room (what is inlined counts where it went)");
    print_table(
        "copied_octets", "type",
        "Octets copied by a two-way call (calls of memcpy and memmove; on processors other than x86, where some are "
        "not calls, nothing is counted)");
    print_table("allocations", "type", "Heap allocations of a two-way call");
  }

 private:
  std::span<const Subject> subjects(const std::string& transport) const {
    const std::span<const Subject> all(kSubjects);
    return !settings_.quick ? all : all.first(transport == "tcp" ? kQuickSubjects : kQuickSubjectsOverUnix);
  }

  static Case case_of(const char* protocol, const char* transport, const std::string& side) {
    return {{"orb", "corbel"}, {"protocol", protocol}, {"transport", transport}, {"side", side}};
  }

  void add(const Case& of, const char* metric, const char* unit, const std::vector<double>& samples) {
    report_.results.push_back({"whitebox", of, metric, unit, summarise(samples)});
  }

  void look_into(const char* transport, const Subject& subject, int repetitions) {
    std::map<std::string, std::vector<std::vector<double>>> profile;                         // by side
    std::map<std::string, std::vector<std::pair<std::string, std::vector<double>>>> layers;  // by side, in order
    std::vector<double> whole;
    for (int repetition = 0; repetition < repetitions; ++repetition) {
      const TemporaryFolder folder;
      const std::string text = output_of({program_, folder.path(), subject.protocol, transport, subject.type,
                                          std::to_string(subject.octets), settings_.choose("4000", "2000", "1000")},
                                         kTimeout);
      std::istringstream lines(text);
      std::string side;
      double copies = 0;
      double octets = 0;
      double allocations = 0;
      while (lines >> side >> copies >> octets >> allocations) {
        if (side == "whole") {
          whole.push_back(copies / 1000);
        } else {
          profile[side].push_back({copies, octets, allocations});
        }
      }
      if (profile.size() != kSides.size()) throw std::runtime_error(program_ + " failed: " + text);
      const double cost = probe_cost(folder.path() + "/client");
      for (const std::string& one : kSides) {
        const char* const first = one == "client" ? "stub" : "wait and receive";
        collect(layers[one], read_profile(folder.path() + "/" + one, first, cost));
      }
    }
    Case call{{"orb", "corbel"}, {"protocol", subject.protocol}, {"transport", transport}};
    call["type"] = subject.type;
    call["octets"] = std::to_string(subject.octets);
    if (!whole.empty()) add(call, "call_time", "us", whole);
    for (const std::string& side : kSides) {
      Case of = case_of(subject.protocol, transport, side);
      of["type"] = subject.type;
      of["octets"] = std::to_string(subject.octets);
      constexpr const char* kMetrics[] = {"copies", "copied_octets", "allocations"};
      constexpr const char* kUnits[] = {"copies", "octets", "allocations"};
      for (std::size_t i = 0; i < 3; ++i) {
        std::vector<double> samples;
        for (const auto& one : profile[side]) samples.push_back(one[i]);
        if (samples.front() < 0) continue;  // not counted
        add(of, kMetrics[i], kUnits[i], samples);
      }
      for (const auto& [layer, samples] : layers[side]) {
        of["layer"] = layer;
        add(of, "layer_time", "us", samples);
      }
    }
  }

  static void collect(std::vector<std::pair<std::string, std::vector<double>>>& layers,
                      const std::vector<LayerTime>& times) {
    for (const LayerTime& time : times) {
      auto found = std::find_if(layers.begin(), layers.end(), [&](const auto& one) { return one.first == time.layer; });
      if (found == layers.end()) found = layers.insert(found, {time.layer, {}});
      found->second.push_back(time.microseconds);
    }
  }

  /// "connection" of "corbel::connection::Connection::call(...)"; what is not Corbel's is "generated and application"
  /// or, of the C library, "C library".
  static std::string room_of(const std::string& function) {
    const std::size_t place = function.find("corbel::");
    const std::size_t parameters = function.find('(');
    if (place != std::string::npos && (parameters == std::string::npos || place < parameters)) {
      const std::size_t begin = place + 8;
      return function.substr(begin, function.find("::", begin) - begin);
    }
    return function.find("::") != std::string::npos ? "generated and application" : "C library";
  }

  void count_rooms(const char* transport) {
    const auto mechanisms = find_mechanisms(report_.machine, false);
    const auto sides = count_instructions(mechanisms.at(1), transport);
    for (std::size_t i = 0; i < kSides.size(); ++i) {
      std::map<std::string, double> rooms;
      for (const auto& [function, count] : sides[i]) rooms[room_of(function)] += count;
      for (const auto& [room, count] : rooms) {
        Case of = case_of("giop", transport, kSides[i]);
        of["type"] = "void";
        of["room"] = room;
        add(of, "instructions", "instructions", {count});
      }
    }
  }

  void print_layers() const {
    bool any = false;
    for (const std::string& side : kSides) {
      Table table({side + " layer", "tcp us", "unix us"}, 1);
      double sums[2] = {};
      for (const Result& result : report_.results) {
        if (!matches(result.of, {{"side", side}, {"type", "void"}, {"transport", "tcp"}, {"protocol", "giop"}}))
          continue;
        if (result.metric != "layer_time") continue;
        any = true;
        Case other = result.of;
        other["transport"] = "unix";
        const double unix_time = value(other, "layer_time");
        table.add({result.of.at("layer"), number(result.value.median, 3), number(unix_time, 3)});
        sums[0] += result.value.median;
        sums[1] += unix_time;
      }
      if (sums[0] == 0) continue;
      table.add_rule();
      table.add({"sum", number(sums[0], 3), number(sums[1], 3)});
      std::cout << "\nA void call, " << side
                << ", client and server on processors of their own where there are two\n\n";
      table.print(std::cout);
    }
    if (!any) std::cout << "\nNo times: `./dev bench whitebox` builds the library with time probes (CORBEL_PROBES).\n";
  }

  void print_bars() const {
    const std::vector<CallBars> bars = bars_of(report_.results);
    if (bars.empty()) return;
    Table table({"protocol", "transport", "messaging", "transport adapter", "ORB", "system", "sum us", "whole us"}, 2);
    for (const CallBars& one : bars) {
      table.add({one.of.at("protocol"), one.of.at("transport"), number(one.messaging, 2), number(one.adapter, 2),
                 number(one.orb, 2), number(one.system, 2), number(one.sum(), 2),
                 one.whole ? number(*one.whole, 2) : "-"});
    }
    std::cout
        << "\nA void call, both sides together, us; system: from entering a system call to leaving it. The whole is "
           "the median of\nwhole calls, the time of the probes included, which the others are without\n\n";
    table.print(std::cout);
  }

  double value(const Case& of, const std::string& metric) const {
    for (const Result& result : report_.results) {
      if (result.metric == metric && result.of == of) return result.value.median;
    }
    return 0;
  }

  void print_table(const std::string& metric, const std::string& key, const char* title) const {
    Table table({"protocol", "transport", key, "octets", "client", "server"}, 3);
    bool any = false;
    for (const Result& result : report_.results) {
      if (result.metric != metric || result.of.at("side") != (key == "room" ? "server" : "client")) continue;
      Case other = result.of;
      other["side"] = "server";
      any = true;
      Case own = result.of;
      own["side"] = "client";
      table.add({result.of.at("protocol"), result.of.at("transport"), result.of.at(key), value_of(result.of, "octets"),
                 number(value(own, metric), 1), number(value(other, metric), 1)});
    }
    if (!any) return;
    std::cout << '\n' << title << "\n\n";
    table.print(std::cout);
  }

  const Settings& settings_;
  Report& report_;
  const std::string program_ = beside("corbel-bench-layers");
};

}  // namespace

int run_whitebox(const Settings& settings, Report& report) {
  Run run(settings, report);
  measure_and_keep([&] { run.run(); }, [&] { run.print(); });
  return 0;
}

}  // namespace bench
