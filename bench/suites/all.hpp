// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace bench {

/// How all suites are run.
struct AllSettings {
  bool quick = false;
  std::vector<std::string> only = {};          ///< as in Settings
  std::string output = "corbel-bench-report";  ///< the folder for the figures and the report
};

/// Runs the named suites one after the other, each as a process of its own that writes its figures into the output
/// folder, then the suites model and report over all of them if they are among the names. A suite that fails is told,
/// and the others go on. Returns the exit status: 0 if none failed.
int run_all(const std::vector<std::string>& suites, const AllSettings& settings);

}  // namespace bench
