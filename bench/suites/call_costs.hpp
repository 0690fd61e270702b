// SPDX-License-Identifier: Apache-2.0
// What calls of several kinds cost, as the suites values and collocated measure it: time, instructions, allocations.
#pragma once

#include <string>
#include <vector>

#include "suites/mechanism.hpp"

namespace bench {

struct Settings;

/// One kind of call of one mechanism.
struct KindOfCall {
  Mechanism mechanism;
  std::string transport;
  std::string name;     ///< the `operation` of a case
  std::string command;  ///< of peers/peer.hpp, without the number of calls
  int few = 30;         ///< calls that are subtracted, and
  int many = 130;       ///< from how many, where calls are counted
  bool traced = true;   ///< its instructions are counted, too
};

/// Measures all kinds in turns, adds the figures to the report under the suite's name and prints them as a table. The
/// control of each is the first mechanism of another name with a call of that name. Throws OutOfTime, with what was
/// measured kept.
void measure_call_costs(const std::string& suite, const std::vector<KindOfCall>& kinds, const Settings& settings,
                        Report& report);

}  // namespace bench
