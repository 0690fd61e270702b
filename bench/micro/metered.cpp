// SPDX-License-Identifier: Apache-2.0
#include "micro/metered.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>
#include <stdexcept>

#include "common/child.hpp"
#include "common/progress.hpp"
#include "common/temporary.hpp"
#include "report/reader.hpp"

namespace bench {
namespace {

constexpr std::chrono::seconds kTimeout(900);

/// "KEY=VALUE,KEY=VALUE"
Case case_from(const std::string& name) {
  Case of;
  std::istringstream pairs(name);
  for (std::string pair; std::getline(pairs, pair, ',');) {
    const std::size_t equals = pair.find('=');
    of[pair.substr(0, equals)] = pair.substr(equals + 1);
  }
  return of;
}

std::vector<std::vector<std::string>> rows_of(const std::string& output, std::size_t width) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> cells;
    std::istringstream text(line);
    for (std::string cell; std::getline(text, cell, '\t');) cells.push_back(cell);
    if (cells.size() == width) rows.push_back(std::move(cells));
  }
  return rows;
}

/// Instructions by the name that a dump was requested with.
std::map<std::string, double> dumped_instructions(const std::string& folder) {
  const std::string trigger = "desc: Trigger: Client Request: ";
  std::map<std::string, double> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(entry.path());
    std::string name;
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with(trigger)) name = line.substr(trigger.size());
      if (line.starts_with("totals: ") && !name.empty()) found[name] = std::strtod(line.c_str() + 8, nullptr);
    }
  }
  return found;
}

}  // namespace

void add_metered(const std::string& suite, const std::string& program, const Settings& settings, Report& report) {
  Progress progress(2);
  progress.step("timing " + suite);
  const std::string repetitions = std::to_string(settings.repetitions(15, 5));
  const auto times = rows_of(output_of({program, repetitions}, kTimeout), 5);
  if (times.empty()) throw std::runtime_error(program + " measured nothing");
  for (const auto& row : times) {
    const auto value = [&](std::size_t place) { return std::strtod(row[place].c_str(), nullptr); };
    const double median = value(1);
    report.results.push_back(
        {suite, case_from(row[0]), "time", "ns", {median, value(2), value(3), static_cast<std::size_t>(value(4))}});
  }
  if (!program_exists("valgrind")) return;
  progress.step("counting the instructions of " + suite);
  const TemporaryFolder folder;
  const std::string files = folder.path() + "/callgrind.out";
  const auto counts = rows_of(output_of({"valgrind", "-q", "--tool=callgrind", "--instr-atstart=no",
                                         "--callgrind-out-file=" + files, program, "1"},
                                        kTimeout),
                              2);
  const auto instructions = dumped_instructions(folder.path());
  for (const auto& row : counts) {
    const auto found = instructions.find(row[0]);
    if (found == instructions.end()) continue;
    const double count = found->second / std::strtod(row[1].c_str(), nullptr);
    report.results.push_back({suite, case_from(row[0]), "instructions", "instructions", {count, count, count, 1}});
  }
}

double value_in(const std::vector<Result>& results, const std::string& suite, const std::string& metric,
                const Case& wanted) {
  const auto found = std::find_if(results.begin(), results.end(), [&](const Result& result) {
    return result.suite == suite && result.metric == metric && matches(result.of, wanted);
  });
  return found == results.end() ? std::numeric_limits<double>::quiet_NaN() : found->value.median;
}

}  // namespace bench
