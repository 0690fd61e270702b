// SPDX-License-Identifier: Apache-2.0
#include "suites/all.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <stdexcept>

#include "common/child.hpp"
#include "common/table.hpp"
#include "report/reader.hpp"

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;
using Words = std::vector<std::string>;

/// Runs this program with other arguments, on the same terminal, and not longer than this one; its exit status.
int run_own(const Words& arguments) {
  Words words{own_path()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const pid_t process = fork();
  if (process < 0) return 127;
  if (process == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    execv(pointers[0], pointers.data());
    _exit(127);
  }
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// What takes no figures, but works on those of others or asserts.
bool is_afterwards(const std::string& suite) {
  return suite == "model" || suite == "report" || suite == "contract" || suite == "gate";
}

/// Where a suite takes so many times its share of a brief run, something is wrong.
constexpr int kMostShares = 3;

class All {
 public:
  All(const std::vector<SuiteShare>& suites, const AllSettings& settings)
      : suites_(suites), settings_(settings), output_(settings.begun.empty() ? settings.output : settings.begun) {}

  int run() {
    std::filesystem::create_directories(output_);
    announce();
    for (const SuiteShare& suite : suites_) {
      allowed_ += suite.quick;
      if (is_afterwards(suite.name)) continue;
      is_there(suite.name) ? figures_.push_back(file_of(suite.name)) : take(suite);
    }
    if (has("model") && !figures_.empty()) analyse("model", {"--json", file_of("model")});
    if (has("report") && !figures_.empty()) analyse("report", {"--output", output_});
    if (!settings_.json.empty() && !figures_.empty()) write_json(read_all(figures_), settings_.json);
    print();
    return failed_ ? 1 : 0;
  }

 private:
  bool has(const std::string& suite) const {
    return std::any_of(suites_.begin(), suites_.end(), [&](const SuiteShare& one) { return one.name == suite; });
  }
  std::string file_of(const std::string& suite) const { return output_ + "/" + suite + ".json"; }
  /// A run that was broken off has left all figures of this suite.
  bool is_there(const std::string& suite) const try {
    if (settings_.begun.empty()) return false;
    const std::vector<std::string> warnings = read_json(file_of(suite)).warnings;
    return std::none_of(warnings.begin(), warnings.end(),
                        [](const std::string& one) { return one.starts_with(kEndedEarly); });
  } catch (const std::runtime_error&) {  // none, or half a file
    return false;
  }

  void announce() const {
    std::chrono::seconds whole{0};
    for (const SuiteShare& suite : suites_) {
      if (!is_there(suite.name)) whole += settings_.quick ? suite.quick : suite.brief;
    }
    if (settings_.thorough) {
      std::cout << "All suites, each as by its name: about three and a half hours.\n";
    } else {
      std::cout << "This takes about " << std::chrono::ceil<std::chrono::minutes>(whole).count() << " minutes"
                << (settings_.quick ? "" : "; --quick takes five, --thorough hours") << ".\n";
    }
    std::cout << "Figures are kept suite by suite; to go on after a break: --continue " << output_ << "\n"
              << std::flush;
  }
  static double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }

  /// Runs one suite; adds the file of its figures to those that are there.
  void run_suite(const std::string& suite, const Words& arguments) {
    std::cout << "\n== " << suite << '\n' << std::flush;
    const auto begin = Clock::now();
    const int status = run_own(arguments);
    if (std::filesystem::exists(file_of(suite))) figures_.push_back(file_of(suite));
    const bool late = status == kOutOfTime || status == 128 + SIGALRM;
    failed_ = failed_ || (status != 0 && !late);
    took_.push_back({suite, seconds_since(begin),
                     status == 0 ? ""
                     : late      ? "skipped the rest: out of time"
                                 : "FAILED"});
  }

  void take(const SuiteShare& share) {
    const std::string& suite = share.name;
    Words arguments{suite, "--json", file_of(suite)};
    if (!settings_.quick && !settings_.thorough) {
      arguments.insert(arguments.end(), {"--brief", "--budget", std::to_string(kMostShares * share.brief.count())});
    } else if (settings_.quick) {
      const auto left = allowed_ - std::chrono::ceil<std::chrono::seconds>(Clock::now() - begin_);
      arguments.insert(arguments.end(), {"--quick", "--budget", std::to_string(std::max<long>(left.count(), 1))});
    }
    for (const std::string& name : settings_.only) arguments.insert(arguments.end(), {"--only", name});
    std::filesystem::remove(file_of(suite));
    run_suite(suite, arguments);
  }

  void analyse(const std::string& suite, const Words& options) {
    Words arguments{suite};
    arguments.insert(arguments.end(), figures_.begin(), figures_.end());
    arguments.insert(arguments.end(), options.begin(), options.end());
    run_suite(suite, arguments);
  }

  void print() const {
    Table table({"suite", "seconds", ""}, 1, true);
    for (const Took& one : took_) table.add({one.suite, number(one.seconds, 1), one.verdict});
    table.add_rule();
    table.add({"all", number(seconds_since(begin_), 1), ""});
    std::cout << "\nWhat the suites took\n\n";
    table.print(std::cout);
    std::cout << "\nFigures are in " << output_ << "/";
    if (std::filesystem::exists(output_ + "/report.html")) std::cout << "; read " << output_ << "/report.html";
    std::cout << ".\n";
  }

  struct Took {
    std::string suite;
    double seconds;
    std::string verdict;
  };

  const std::vector<SuiteShare>& suites_;
  const AllSettings& settings_;
  const std::string output_;
  const Clock::time_point begin_ = Clock::now();
  std::chrono::seconds allowed_{0};  ///< to the suites so far
  Words figures_;                    ///< files
  std::vector<Took> took_;
  bool failed_ = false;
};

}  // namespace

int run_all(const std::vector<SuiteShare>& suites, const AllSettings& settings) {
  return All(suites, settings).run();
}

}  // namespace bench
