// SPDX-License-Identifier: Apache-2.0
// Suite demux: what it takes to find an operation by name and an object by key.
#include <iostream>

#include "common/table.hpp"
#include "micro/metered.hpp"
#include "suites/mechanism.hpp"
#include "suites/suite.hpp"

namespace bench {

int run_demux(const Settings& settings, Report& report) {
  add_metered("demux", beside("corbel-bench-lookups"), settings, report);
  Table table(
      {"what", "entries", "scheme", "ns first", "ns last", "ns random", "instr. first", "instr. last", "instr. random"},
      3);
  std::string last;
  for (const Result& result : report.results) {
    if (result.metric != "time" || result.of.at("order") != "first") continue;
    const std::string group = result.of.at("what") + result.of.at("entries");
    if (!last.empty() && group != last) table.add_rule();
    last = group;
    std::vector<std::string> cells{result.of.at("what"), result.of.at("entries"), result.of.at("scheme")};
    for (const char* const metric : {"time", "instructions"}) {
      for (const char* const order : {"first", "last", "random"}) {
        Case of = result.of;
        of["order"] = order;
        cells.push_back(number(value_in(report.results, "demux", metric, of), 1));
      }
    }
    table.add(cells);
  }
  std::cout << "\nOne lookup; of " << settings.repetitions(15, 5) << " interleaved repetitions the median\n\n";
  table.print(std::cout);
  return 0;
}

}  // namespace bench
