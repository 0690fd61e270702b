// SPDX-License-Identifier: Apache-2.0
#include "common/machine.hpp"

#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "bench_build_info.hpp"
#include "common/cpus.hpp"

namespace bench {
namespace {

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

/// "2026-11-28", in Greenwich.
std::string today() {
  const auto days = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
  const std::chrono::year_month_day date(days);
  char text[16];
  std::snprintf(text, sizeof text, "%04d-%02u-%02u", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                static_cast<unsigned>(date.day()));
  return text;
}

double seconds_of(int whom) {
  rusage usage{};
  getrusage(whom, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

Machine this_machine() {
  Machine machine;
  machine.processor = processor_name();
  machine.cores = allowed_cpus().size();
  utsname system{};
  if (uname(&system) == 0) machine.kernel = std::string(system.sysname) + " " + system.release;
  std::ifstream("/proc/loadavg") >> machine.load;
  machine.versions = {{"corbel", kCorbelVersion}, {"compiler", kCompiler}, {"flags", kFlags}, {"taken", today()}};
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing sets variables meanwhile
  if (const char* const commit = std::getenv("CORBEL_BENCH_COMMIT")) machine.versions["commit"] = commit;
  return machine;
}

std::string describe(const Machine& machine) {
  char load[32];
  std::snprintf(load, sizeof load, "%.2f", machine.load);
  return machine.processor + ", " + std::to_string(machine.cores) + " cores, " + machine.kernel + ", load " + load;
}

bool was_busy(const Machine& machine) {
  return machine.load > 0.1 * static_cast<double>(machine.cores);
}

Ticks processor_ticks() {
  std::ifstream file("/proc/stat");
  std::string name;
  file >> name;
  Ticks ticks;
  double value = 0;
  for (int field = 0; field < 8 && file >> value; ++field) {  // user nice system idle iowait irq softirq steal
    ticks.total += value;
    if (field < 3) ticks.busy += value;
    if (field == 7) ticks.stolen = value;
  }
  const auto per_second = static_cast<double>(sysconf(_SC_CLK_TCK));
  ticks.own = per_second * (seconds_of(RUSAGE_SELF) + seconds_of(RUSAGE_CHILDREN));
  return ticks;
}

double stolen_percent(const Ticks& before, const Ticks& after) {
  const double total = after.total - before.total;
  return total > 0 ? 100 * (after.stolen - before.stolen) / total : 0;
}

double load_of_others(const Ticks& before, const Ticks& after) {
  const double total = after.total - before.total;
  const double others = (after.busy - before.busy) - (after.own - before.own);
  const auto processors = static_cast<double>(sysconf(_SC_NPROCESSORS_ONLN));
  return total > 0 ? processors * std::max(0.0, others) / total : 0;
}

}  // namespace bench
