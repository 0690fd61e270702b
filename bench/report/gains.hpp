// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "common/results.hpp"
#include "report/document.hpp"

namespace bench {

/// By how many per cent more IDL_Cubit calls a second there are with one protocol and transport than with another, over
/// all operations: figure 16 of the 2001 paper.
struct CubitGain {
  std::string what;       ///< as in kGains2001
  std::string placement;  ///< of the processes
  double least;
  double most;
  double mean;
};

/// Corbel's, in the order of the published ones, for each placement; those that the results of suite cubit do not hold
/// are left out.
std::vector<CubitGain> cubit_gains(const std::vector<Result>& results);

/// These beside the published ones; no rows if there are none.
DataTable gains_table(const std::vector<Result>& results);

}  // namespace bench
