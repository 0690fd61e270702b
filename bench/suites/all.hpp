// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace bench {

/// How all suites are run.
struct AllSettings {
  bool quick = false;                          ///< five minutes
  bool thorough = false;                       ///< each suite as by its name: hours; neither: about 80 minutes
  std::vector<std::string> only = {};          ///< as in Settings
  std::string output = "corbel-bench-report";  ///< the folder for the figures and the report
  std::string begun = {};                      ///< instead of `output`: a folder of which the figures are kept
  std::string json = {};                       ///< a file for the figures of all; empty: none
};

/// A suite, and what it may take of a quick run of all, and takes of one that is neither quick nor thorough. What one
/// leaves of a quick run the next may use.
struct SuiteShare {
  std::string name;
  std::chrono::seconds quick;
  std::chrono::seconds brief;
};

/// The exit status of a suite that its budget ended.
inline constexpr int kOutOfTime = 3;

/// What a warning of a run begins with that did not measure all.
inline constexpr char kEndedEarly[] = "ended early: ";

/// Runs these suites one after the other, each as a process of its own that writes its figures into the output folder,
/// then the suites model and report over all of them if they are among the names. A suite that fails or runs out of
/// time (where the run is not thorough) is told, and the others go on. Ends with what each took. Returns the exit
/// status: 0 if none failed; one that did or ran out of time has kept what it has. To go on with a run is to take what
/// is not there whole.
int run_all(const std::vector<SuiteShare>& suites, const AllSettings& settings);

}  // namespace bench
