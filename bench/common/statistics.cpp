// SPDX-License-Identifier: Apache-2.0
#include "common/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace bench {
namespace {

/// As uncertainty(), negative instead of infinite.
double known_within(const std::vector<double>& sorted, double median) {
  constexpr double kProbability = 0.93;
  // The median is below the k-th least sample if fewer than k of n fall below it: binomially, each by one half.
  const auto n = static_cast<double>(sorted.size());
  double exactly = std::pow(0.5, n);
  double below = exactly;
  std::size_t k = 0;
  while (k < sorted.size() / 2 && 1 - 2 * below >= kProbability) {
    ++k;
    exactly *= (n - static_cast<double>(k) + 1) / static_cast<double>(k);
    below += exactly;
  }
  return k == 0 || median == 0 ? -1 : std::abs((sorted[sorted.size() - k] - sorted[k - 1]) / 2 / median);
}

}  // namespace

Summary summarise(std::vector<double> samples) {
  if (samples.empty()) throw std::logic_error("nothing was measured");
  std::sort(samples.begin(), samples.end());
  const std::size_t middle = samples.size() / 2;
  const double median = samples.size() % 2 == 1 ? samples[middle] : (samples[middle - 1] + samples[middle]) / 2;
  return {median, samples.front(), samples.back(), samples.size(), known_within(samples, median)};
}

double uncertainty(std::vector<double> samples) {
  const double known = summarise(std::move(samples)).uncertainty;
  return known < 0 ? std::numeric_limits<double>::infinity() : known;
}

double percentile(const std::vector<double>& sorted, double percent) {
  const double rank = std::ceil(percent / 100 * static_cast<double>(sorted.size()));
  const auto place = static_cast<std::size_t>(std::max(rank, 1.0));
  return sorted.at(std::min(place, sorted.size()) - 1);
}

}  // namespace bench
