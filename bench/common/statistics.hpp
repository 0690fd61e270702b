// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace bench {

/// What is left of repeated measurements.
struct Summary {
  double median = 0;
  double min = 0;
  double max = 0;
  std::size_t n = 0;
  double uncertainty = -1;  ///< of the median, as uncertainty() has it; negative: not known

  /// How much the samples vary, as a share of the median: the width of its confidence interval, so that more samples
  /// do not look worse than few; without one the distance of the least and the greatest.
  double spread() const { return uncertainty >= 0 ? 2 * uncertainty : (max - min) / median; }
};

/// Of at least one sample.
Summary summarise(std::vector<double> samples);

/// How well the median is known: half the width of its confidence interval, whose ends are samples, as a share of it.
/// The interval holds the median of all there could be with a probability of 93 %, which five samples suffice for;
/// infinite with fewer, or if the median is 0.
double uncertainty(std::vector<double> samples);

/// The smallest sample that at least `percent` (0 to 100) percent of all do not exceed; `sorted` holds at least one.
double percentile(const std::vector<double>& sorted, double percent);

/// True if a count is more than 2 % above the one before; `slack` is what two counts of the same may differ by.
constexpr bool has_grown(double before, double now, double slack) noexcept {
  return now > before * 1.02 + slack;
}

}  // namespace bench
