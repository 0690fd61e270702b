// SPDX-License-Identifier: Apache-2.0
// Suite micro: encoding and decoding by generated code beside the same by hand.
#include <unistd.h>

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
  std::cout << "\nMarshalling one element; of " << settings.repetitions(15, 5)
            << " interleaved repetitions the median\n\n";
  table.print(std::cout);
  return 0;
}

}  // namespace bench
