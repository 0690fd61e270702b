// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "common/results.hpp"

namespace bench {

/// How near to C an ORB came: 1 is C's own speed.
struct Nearness {
  std::string group;  ///< what was measured
  std::string who;    ///< "Orbix, 1996, remote"
  double ratio;
  int colour;  ///< as on the rest of the page: 0 published, 1 Corbel, 3 omniORB
};

/// The papers' ratios to C beside those of the results (medians on one processor): streams of scalars and of structs,
/// and void calls. Only the published ones of groups that the results hold something of; none if they hold nothing.
std::vector<Nearness> then_and_now(const std::vector<Result>& results);

/// Which machine today's figures come from, and how busy it was.
std::string then_and_now_note(const Machine& machine);

/// The results that the chart is made of: enough to draw it again.
std::vector<Result> then_and_now_results(const std::vector<Result>& results);

/// One chart as SVG that stands alone (in a README) or in the report's page, where the style sheet is. `note` says
/// which machine today's figures come from. Empty if there is nothing to draw.
std::string then_and_now_svg(const std::vector<Nearness>& all, const std::string& note, bool alone);

}  // namespace bench
