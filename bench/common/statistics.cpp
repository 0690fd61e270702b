// SPDX-License-Identifier: Apache-2.0
#include "common/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace bench {

Summary summarise(std::vector<double> samples) {
  if (samples.empty()) throw std::logic_error("nothing was measured");
  std::sort(samples.begin(), samples.end());
  const std::size_t middle = samples.size() / 2;
  const double median = samples.size() % 2 == 1 ? samples[middle] : (samples[middle - 1] + samples[middle]) / 2;
  return {median, samples.front(), samples.back(), samples.size()};
}

double percentile(const std::vector<double>& sorted, double percent) {
  const double rank = std::ceil(percent / 100 * static_cast<double>(sorted.size()));
  const auto place = static_cast<std::size_t>(std::max(rank, 1.0));
  return sorted.at(std::min(place, sorted.size()) - 1);
}

}  // namespace bench
