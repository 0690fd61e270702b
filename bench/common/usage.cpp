// SPDX-License-Identifier: Apache-2.0
#include "common/usage.hpp"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

namespace bench {
namespace {

std::string folder_of(pid_t process) {
  return "/proc/" + std::to_string(process);
}

/// Sum of the numbers that follow `name` in a file of "name: number" lines.
double sum_of(const std::string& path, const std::string& name) {
  std::ifstream file(path);
  double sum = 0;
  for (std::string line; std::getline(file, line);) {
    const std::size_t place = line.find(name + ":");
    if (place != std::string::npos) sum += std::atof(line.c_str() + place + name.size() + 1);
  }
  return sum;
}

bool is_run_time(const std::string& path) {
  static constexpr std::array kNames = {"libc.so", "libm.so", "libstdc++", "libgcc_s", "ld-linux", "locale"};
  return std::any_of(kNames.begin(), kNames.end(),
                     [&](const char* name) { return path.find(name) != std::string::npos; });
}

}  // namespace

Usage usage_of(pid_t process) {
  Usage usage;
  clockid_t clock{};
  timespec time{};
  if (clock_getcpuclockid(process, &clock) == 0 && clock_gettime(clock, &time) == 0) {
    usage.cpu_ns = static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
  }
  std::error_code gone;
  for (const auto& task : std::filesystem::directory_iterator(folder_of(process) + "/task", gone)) {
    usage.switches[std::stoi(task.path().filename())] = sum_of(task.path() / "status", "voluntary_ctxt_switches");
  }
  return usage;
}

ProcessorTime processor_time_of(pid_t process) {
  std::ifstream file(folder_of(process) + "/stat");
  std::string line;
  std::getline(file, line);
  const std::size_t name_end = line.rfind(')');  // the name may hold anything
  if (name_end == std::string::npos) return {};
  std::istringstream fields(line.substr(name_end + 1));
  std::string skipped;
  for (int i = 0; i < 11; ++i) fields >> skipped;  // fields 3 to 13 of proc_pid_stat(5)
  ProcessorTime time;
  fields >> time.user >> time.system;
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  return {time.user / ticks, time.system / ticks};
}

double switches_between(const Usage& before, const Usage& after) {
  double sum = 0;
  for (const auto& [thread, count] : after.switches) {
    const auto earlier = before.switches.find(thread);
    const bool same = earlier != before.switches.end() && earlier->second <= count;  // not another one of its number
    sum += same ? count - earlier->second : count;
  }
  return sum;
}

Memory memory_of(pid_t process) {
  const std::string path = folder_of(process) + "/smaps_rollup";
  return {sum_of(path, "Rss") * 1024, (sum_of(path, "Private_Clean") + sum_of(path, "Private_Dirty")) * 1024};
}

double mapped_files_of(pid_t process) {
  std::ifstream maps(folder_of(process) + "/maps");
  std::set<std::string> files;
  for (std::string line; std::getline(maps, line);) {
    const std::size_t path = line.find('/');
    if (path != std::string::npos && !is_run_time(line)) files.insert(line.substr(path));
  }
  double sum = 0;
  for (const std::string& file : files) {
    std::error_code missing;
    const auto size = std::filesystem::file_size(file, missing);
    if (!missing) sum += static_cast<double>(size);
  }
  return sum;
}

}  // namespace bench
