// SPDX-License-Identifier: Apache-2.0
// Suite model: the analysis of NASA report NAS-96-006 over the streams of any runs.
#include <cmath>
#include <iostream>

#include "common/table.hpp"
#include "report/model.hpp"
#include "report/published.hpp"
#include "report/reader.hpp"
#include "report/sections.hpp"
#include "suites/suite.hpp"

namespace bench {
namespace {

std::string range_text(const Interval& range) {
  return number(range.low, 1) + " - " + (std::isfinite(range.high) ? number(range.high, 1) : "unbounded");
}

void add(Report& report, const NetworkParameters& row, const char* metric, const char* unit, double value,
         Interval range) {
  if (!std::isfinite(value) || !std::isfinite(range.low) || !std::isfinite(range.high)) return;
  report.results.push_back({"model", row.of, metric, unit, {value, range.low, range.high, row.line.points}});
}

void add(Report& report, const NetworkParameters& row, const char* metric, const char* unit, double value) {
  add(report, row, metric, unit, value, {value, value});
}

void print_ours(const std::vector<NetworkParameters>& rows) {
  Table table({"mechanism", "network", "type", "more", "r_max Mbit/s", "90 % interval", "R2", "n_1/2 B", "t_0 us",
               "b0 us", "b1 ns/B", "sizes"},
              4);
  for (const NetworkParameters& row : rows) {
    std::string more;
    for (const auto& [key, value] : without(row.of, {"orb", "protocol", "transport", "network", "type"})) {
      more += (more.empty() ? "" : ", ") + key + " " + value;
    }
    table.add({mechanism_name(row.of), value_of(row.of, "network", value_of(row.of, "transport")),
               value_of(row.of, "type"), more, number(row.r_max, 1), range_text(row.r_max_range),
               number(row.line.r_squared, 3), (row.n_half_at_most ? "<= " : "") + number(row.n_half),
               row.t_0 ? number(*row.t_0, 1) : "-", number(row.line.b0, 2), number(row.line.b1 * 1000, 4),
               std::to_string(row.line.points)});
  }
  std::cout << "\nNetwork parameters: T = b0 + b1 m over message sizes m, r_max = 1 / b1\n\n";
  table.print(std::cout);
}

void print_published() {
  Table table({"published 1996", "network", "r_max Mbit/s", "90 % interval", "R2", "n_1/2 B", "t_0 us"}, 2);
  std::string last;
  for (const PublishedParameters& row : kNasaParameters) {
    if (!last.empty() && last != row.mechanism) table.add_rule();
    last = row.mechanism;
    table.add({row.mechanism, row.network, number(row.r_max, 1), range_text({row.low, row.high}),
               number(row.r_squared, 3), number(row.n_half), number(row.t_0)});
  }
  std::cout << '\n';
  table.print(std::cout);
}

}  // namespace

int run_model(const Settings& settings, Report& report) {
  const Report measured = read_all(settings.files);
  report.machine = measured.machine;
  std::vector<Case> unfit;
  const auto rows = network_parameters(measured.results, &unfit);
  if (rows.empty()) {
    throw std::runtime_error(
        "model: no stream with three sizes of at least 1 KiB in these files; `corbel-bench ttcp --json FILE` "
        "without --quick writes some");
  }
  for (const NetworkParameters& row : rows) {
    add(report, row, "r_max", "Mbit/s", row.r_max, row.r_max_range);
    add(report, row, "r_squared", "", row.line.r_squared);
    add(report, row, "n_half", "octets", row.n_half);
    if (row.t_0) add(report, row, "t_0", "us", *row.t_0);
    add(report, row, "b0", "us", row.line.b0);
    add(report, row, "b1", "us/octet", row.line.b1, row.line.b1_range);
  }
  print_ours(rows);
  for (const Case& of : unfit) {
    report.warnings.push_back("no line fits the times of " + mechanism_name(of) + " (" +
                              case_text(without(of, {"orb", "protocol"})) +
                              "): larger messages took no longer, so the run was too noisy for it");
    std::cout << "  LEFT OUT: " << report.warnings.back() << '\n';
  }
  print_published();
  return 0;
}

}  // namespace bench
