// SPDX-License-Identifier: Apache-2.0
// Suite micro: encoding and decoding by generated code beside the same by hand.
#include <unistd.h>

#include <cstdlib>
#include <iostream>

#include "common/table.hpp"
#include "micro/metered.hpp"
#include "suites/mechanism.hpp"
#include "suites/suite.hpp"

namespace bench {
namespace {

void add_ratios(Report& report) {
  for (Result& result : report.results) {
    Case control = result.of;
    control["by"] = "hand-written";
    if (result.of.at("by") == "hand-written") continue;
    result.control = value_in(report.results, "micro", result.metric, control);
    result.of["control"] = "hand-written";
  }
}

/// Figure 6 of the 2001 paper asks when to copy and when to gather. `direction`: send or call.
void print_gathering(const Report& report, const std::string& direction) {
  Table table({"octets", "copied us", "gathered us", "copied Mbit/s", "gathered Mbit/s", "gathered/copied",
               "instr. copied", "instr. gathered"},
              0);
  for (const Result& result : report.results) {
    if (result.metric != "time" || result.of.at("by") != "copied" || result.of.at("direction") != direction) continue;
    Case gathered = result.of;
    gathered["by"] = "gathered";
    const double octets = std::strtod(result.of.at("payload").c_str(), nullptr);
    const double copied_ns = result.value.median;
    const double gathered_ns = value_in(report.results, "micro", "time", gathered);
    table.add({result.of.at("payload"), number(copied_ns / 1000, 2), number(gathered_ns / 1000, 2),
               number(octets * 8000 / copied_ns), number(octets * 8000 / gathered_ns),
               number(gathered_ns / copied_ns, 2), number(value_in(report.results, "micro", "instructions", result.of)),
               number(value_in(report.results, "micro", "instructions", gathered))});
  }
  table.print(std::cout);
}

}  // namespace

int run_micro(const Settings& settings, Report& report) {
  add_metered("micro", beside("corbel-bench-marshal"), settings, report);
  const std::string omniorb = beside("corbel-bench-marshal-omniorb");
  if (access(omniorb.c_str(), X_OK) == 0) add_metered("micro", omniorb, settings, report);
  add_ratios(report);
  Table table({"direction", "type", "by", "ns per element", "/ hand", "instructions", "/ hand"}, 3);
  for (const char* const direction : {"encode", "decode"}) {
    for (const char* const type : {"BinStruct sequence", "string list", "tree of structs"}) {
      for (const Result& result : report.results) {
        if (result.metric != "time" || result.of.at("direction") != direction || result.of.at("type") != type) continue;
        std::vector<std::string> cells{direction, type, result.of.at("by")};
        for (const char* const metric : {"time", "instructions"}) {
          const Case control{{"direction", direction}, {"type", type}, {"by", "hand-written"}};
          const double value = value_in(report.results, "micro", metric, result.of);
          cells.push_back(number(value, 2));
          cells.push_back(number(value / value_in(report.results, "micro", metric, control), 2));
        }
        table.add(cells);
      }
      table.add_rule();
    }
  }
  const std::size_t before = report.results.size();
  add_metered("micro", beside("corbel-bench-gather"), settings, report);
  Report gathering;
  gathering.results.assign(report.results.begin() + static_cast<std::ptrdiff_t>(before), report.results.end());
  std::cout << "\nMarshalling one element; of " << settings.repetitions(15, 5)
            << " interleaved repetitions the median\n\n";
  table.print(std::cout);
  std::cout
      << "\nA message with so many octets of user data over a local socket and back out of it, the data copied behind "
         "the header\nor gathered by the system call; the ORB gathers 2,048 octets and more, unless "
         "-ORBGatherThreshold "
         "says otherwise\n\n";
  print_gathering(gathering, "send");
  std::cout << "\nThe same in whole calls over a local socket, by that option; instructions of client and server\n\n";
  print_gathering(gathering, "call");
  return 0;
}

}  // namespace bench
