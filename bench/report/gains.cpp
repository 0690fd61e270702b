// SPDX-License-Identifier: Apache-2.0
#include "report/gains.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>

#include "common/table.hpp"
#include "report/published.hpp"
#include "report/reader.hpp"

namespace bench {
namespace {

/// What is compared for each of kGains2001.
struct Change {
  Case with;
  Case instead_of;
};
const std::vector<Change>& changes() {
  static const std::vector<Change> kChanges = {
      {{{"protocol", "giop"}, {"transport", "unix"}}, {{"protocol", "giop"}, {"transport", "tcp"}}},
      {{{"protocol", "giop_lite"}, {"transport", "tcp"}}, {{"protocol", "giop"}, {"transport", "tcp"}}},
      {{{"protocol", "giop_lite"}, {"transport", "unix"}}, {{"protocol", "giop"}, {"transport", "unix"}}}};
  return kChanges;
}
static_assert(std::size(kGains2001) == 3);

/// Calls a second of each operation that both sides of a change have, as gains in per cent.
std::vector<double> gains_of(const std::vector<Result>& results, const Change& change, const std::string& placement) {
  std::vector<double> gains;
  for (const Result& with : results) {
    if (with.suite != "cubit" || with.metric != "calls" || value_of(with.of, "orb") != "corbel") continue;
    if (!matches(with.of, change.with) || value_of(with.of, "placement") != placement) continue;
    Case wanted = change.instead_of;
    wanted.insert({{"orb", "corbel"}, {"placement", placement}, {"operation", value_of(with.of, "operation")}});
    const Result* const without = find_result(results, "cubit", "calls", wanted);
    if (without == nullptr || without->value.median <= 0) continue;
    gains.push_back(100 * (with.value.median / without->value.median - 1));
  }
  return gains;
}

}  // namespace

std::vector<CubitGain> cubit_gains(const std::vector<Result>& results) {
  std::set<std::string> placements;
  for (const Result& result : results) {
    if (result.suite == "cubit") placements.insert(value_of(result.of, "placement"));
  }
  std::vector<CubitGain> all;
  for (const std::string& placement : placements) {
    for (std::size_t i = 0; i < std::size(kGains2001); ++i) {
      const std::vector<double> gains = gains_of(results, changes()[i], placement);
      if (gains.empty()) continue;
      const auto [least, most] = std::minmax_element(gains.begin(), gains.end());
      const double mean = std::accumulate(gains.begin(), gains.end(), 0.0) / static_cast<double>(gains.size());
      all.push_back({kGains2001[i].what, placement, *least, *most, mean});
    }
  }
  return all;
}

DataTable gains_table(const std::vector<Result>& results) {
  DataTable table{"Figure 16: calls a second of all operations, per cent more; and what was published in 2001",
                  {"what", "where", "least", "most", "mean", "2001: least", "most", "mean"},
                  {},
                  2,
                  true};
  for (const CubitGain& gain : cubit_gains(results)) {
    const PublishedGain& then = *std::find_if(std::begin(kGains2001), std::end(kGains2001),
                                              [&](const PublishedGain& one) { return one.what == gain.what; });
    table.rows.push_back({gain.what, gain.placement, number(gain.least, 1), number(gain.most, 1), number(gain.mean, 1),
                          number(then.least, 2), number(then.most, 2), then.mean > 0 ? number(then.mean, 2) : ""});
  }
  return table;
}

}  // namespace bench
