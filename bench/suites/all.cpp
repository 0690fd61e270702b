// SPDX-License-Identifier: Apache-2.0
#include "suites/all.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <iostream>

#include "common/child.hpp"
#include "common/table.hpp"

namespace bench {
namespace {

using Words = std::vector<std::string>;

/// Runs this program with other arguments, on the same terminal; its exit status.
int run_own(const Words& arguments) {
  Words words{own_path()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  pid_t process = -1;
  if (posix_spawn(&process, pointers[0], nullptr, nullptr, pointers.data(), environ) != 0) return 127;
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// What takes no figures, but works on those of others or asserts.
bool is_afterwards(const std::string& suite) {
  return suite == "model" || suite == "report" || suite == "contract";
}

class All {
 public:
  All(const Words& suites, const AllSettings& settings) : suites_(suites), settings_(settings) {}

  int run() {
    std::filesystem::create_directories(settings_.output);
    for (const std::string& suite : suites_) {
      if (!is_afterwards(suite)) take(suite);
    }
    if (has("model") && !figures_.empty()) analyse("model", {"--json", file_of("model")});
    if (has("report") && !figures_.empty()) analyse("report", {"--output", settings_.output});
    std::cout << "\nFigures are in " << settings_.output << "/.\n";
    for (const std::string& suite : failed_) std::cout << "FAILED: " << suite << '\n';
    return failed_.empty() ? 0 : 1;
  }

 private:
  bool has(const std::string& suite) const { return std::find(suites_.begin(), suites_.end(), suite) != suites_.end(); }
  std::string file_of(const std::string& suite) const { return settings_.output + "/" + suite + ".json"; }

  void take(const std::string& suite) {
    Words arguments{suite, "--json", file_of(suite)};
    if (settings_.quick) arguments.emplace_back("--quick");
    for (const std::string& name : settings_.only) arguments.insert(arguments.end(), {"--only", name});
    std::filesystem::remove(file_of(suite));
    const auto begin = std::chrono::steady_clock::now();
    std::cout << "\n== " << suite << '\n' << std::flush;
    if (run_own(arguments) != 0) failed_.push_back(suite);
    if (std::filesystem::exists(file_of(suite))) figures_.push_back(file_of(suite));
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    std::cout << "(" << suite << " took " << number(seconds) << " s)\n" << std::flush;
  }

  void analyse(const std::string& suite, const Words& options) {
    std::cout << "\n== " << suite << '\n' << std::flush;
    Words arguments{suite};
    arguments.insert(arguments.end(), figures_.begin(), figures_.end());
    arguments.insert(arguments.end(), options.begin(), options.end());
    if (run_own(arguments) != 0) failed_.push_back(suite);
    if (suite == "model" && std::filesystem::exists(file_of(suite))) figures_.push_back(file_of(suite));
  }

  const Words& suites_;
  const AllSettings& settings_;
  Words figures_;  ///< files
  Words failed_;
};

}  // namespace

int run_all(const Words& suites, const AllSettings& settings) {
  if (!settings.quick) {
    std::cout << "All suites in full take about three hours; --quick takes less than five minutes.\n";
  }
  return All(suites, settings).run();
}

}  // namespace bench
