// SPDX-License-Identifier: Apache-2.0
#include "report/trust.hpp"

#include <algorithm>
#include <iterator>

#include "report/reader.hpp"
#include "report/sections.hpp"

namespace bench {
namespace {

constexpr double kMostSpread = 0.25;

}  // namespace

Trust::Key Trust::key_of(const Result& result) {
  return {result.suite, result.metric, common_part(result.of)};
}

Trust::Trust(const std::vector<Result>& results) {
  for (const Result& result : results) {
    const bool control = value_of(result.of, "orb") == "raw" && value_of(result.of, "protocol", "none") == "none";
    if (!control || result.value.median <= 0) continue;
    double& spread = spreads_[key_of(result)];
    spread = std::max(spread, result.value.spread());
  }
}

bool Trust::doubts(const Result& result) const {
  const auto control = spreads_.find(key_of(result));
  return control != spreads_.end() && control->second > kMostSpread;
}

std::vector<Result> Trust::trusted(const std::vector<Result>& results) const {
  std::vector<Result> kept;
  std::copy_if(results.begin(), results.end(), std::back_inserter(kept),
               [&](const Result& one) { return !doubts(one); });
  return kept;
}

}  // namespace bench
