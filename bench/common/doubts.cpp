// SPDX-License-Identifier: Apache-2.0
#include "common/doubts.hpp"

#include "common/statistics.hpp"
#include "common/table.hpp"

namespace bench {
namespace {

constexpr double kMostStolen = 2;    ///< percent
constexpr double kMostSpread = 0.5;  ///< of the control

/// Half of the control's cases vary less than this; 0 if it was not repeated.
double spread_of_control(const Report& report) {
  std::vector<double> spreads;
  for (const Result& result : report.results) {
    const auto orb = result.of.find("orb");
    if (orb == result.of.end() || orb->second != "raw" || result.value.n < 2 || result.value.median <= 0) continue;
    spreads.push_back(result.value.spread());
  }
  return spreads.empty() ? 0 : summarise(spreads).median;
}

}  // namespace

std::vector<std::string> doubts(const Report& report, double stolen_percent) {
  std::vector<std::string> found;
  if (was_busy(report.machine)) {
    found.push_back("other programs took " + number(report.machine.load, 1) + " of " +
                    std::to_string(report.machine.cores) + " processors: trust ratios, not times");
  }
  if (stolen_percent > kMostStolen) {
    found.push_back("the host took " + number(stolen_percent, 1) +
                    " % of the processor time away: trust ratios, not times");
  }
  if (const double spread = spread_of_control(report); spread > kMostSpread) {
    found.push_back("the raw sockets themselves varied by " + number(100 * spread) +
                    " % between repetitions: differences smaller than that mean nothing");
  }
  return found;
}

}  // namespace bench
