// SPDX-License-Identifier: Apache-2.0
#include "histogram.hpp"

#include <gtest/gtest.h>

#include <random>
#include <utility>
#include <vector>

#include "load_result.hpp"

namespace corbel::tool {
namespace {

TEST(Histogram, QuantilesAreWithinOnePercentAndNeverTooSmall) {
  std::mt19937_64 random(7);
  std::vector<std::uint64_t> values;
  Histogram histogram;
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t value = random() >> (random() % 60);
    values.push_back(value);
    histogram.add(value);
  }
  std::sort(values.begin(), values.end());
  for (const double part : {0.001, 0.25, 0.5, 0.9, 0.99, 0.999, 1.0}) {
    const auto exact = values[static_cast<std::size_t>(std::max(0.0, part * 20'000 - 1))];
    const std::uint64_t found = histogram.quantile(part);
    EXPECT_GE(found, exact) << part;
    EXPECT_LE(static_cast<double>(found), static_cast<double>(exact) * 1.01 + 1) << part;
  }
  EXPECT_EQ(histogram.smallest(), values.front());
  EXPECT_EQ(histogram.quantile(1), values.back());
}

TEST(Histogram, AddsUpAndKnowsNothingWhenEmpty) {
  Histogram a, b, empty;
  for (std::uint64_t i = 1; i <= 100; ++i) (i % 2 == 0 ? a : b).add(i);
  a.add(b);
  a.add(empty);
  EXPECT_EQ(a.count(), 100U);
  EXPECT_EQ(a.quantile(0.5), 50U);
  EXPECT_EQ(a.quantile(0.99), 99U);
  EXPECT_DOUBLE_EQ(a.mean(), 50.5);
  EXPECT_EQ(empty.quantile(0.5), 0U);
  EXPECT_EQ(empty.smallest(), 0U);
  EXPECT_EQ(empty.largest(), 0U);
}

TEST(Histogram, TellsItsBucketsInOrder) {
  Histogram histogram;
  for (const std::uint64_t value : {7U, 7U, 1'000'000U, 3U}) histogram.add(value);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> buckets;
  histogram.each([&](std::uint64_t last, std::uint64_t count) { buckets.emplace_back(last, count); });
  EXPECT_EQ(buckets, (std::vector<std::pair<std::uint64_t, std::uint64_t>>{{3, 1}, {7, 2}, {1'000'000, 1}}));
}

TEST(Timeline, StaysShortAndLosesNothing) {
  Timeline timeline(0.5);
  constexpr std::uint64_t kAll = 5 * Timeline::kMost;
  for (std::uint64_t i = 1; i <= kAll; ++i) {
    Tally tally;
    tally.latency.add(i);
    tally.errors["TRANSIENT"] = 1;
    timeline.add(std::move(tally));
    ASSERT_LE(timeline.slots().size(), Timeline::kMost);
  }
  std::uint64_t count = 0;
  std::uint64_t failed = 0;
  std::uint64_t last = 0;
  for (const Tally& each : timeline.slots()) {
    EXPECT_GT(each.latency.smallest(), last) << "in their order";
    last = each.latency.largest();
    count += each.latency.count();
    failed += each.failed();
  }
  EXPECT_EQ(count, kAll);
  EXPECT_EQ(failed, kAll);
  EXPECT_GT(timeline.width(), 0.5);
}

TEST(LoadPage, IsWholeWithoutAnyCallsAndEscapesWhatItIsGiven) {
  LoadResult result;
  result.operation = "<script>\"&";
  const std::string page = to_html(result);
  EXPECT_EQ(page.find("<script>"), std::string::npos);
  EXPECT_NE(page.find("&lt;script>&quot;&amp;"), std::string::npos);
  EXPECT_EQ(page.find("nan"), std::string::npos);
  EXPECT_EQ(page.find("inf"), std::string::npos);
  EXPECT_TRUE(page.ends_with("</html>\n"));
}

}  // namespace
}  // namespace corbel::tool
