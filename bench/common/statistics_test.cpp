// SPDX-License-Identifier: Apache-2.0
#include "common/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "common/rounds.hpp"

namespace bench {
namespace {

TEST(Statistics, MedianIsTheMiddleOrTheMeanOfTheTwoInTheMiddle) {
  EXPECT_EQ(summarise({3, 1, 2}).median, 2);
  const Summary even = summarise({4, 1, 3, 2});
  EXPECT_EQ(even.median, 2.5);
  EXPECT_EQ(even.min, 1);
  EXPECT_EQ(even.max, 4);
  EXPECT_EQ(even.n, 4U);
}

TEST(Statistics, NothingMeasuredIsAnError) {
  EXPECT_THROW(summarise({}), std::logic_error);
}

TEST(Statistics, PercentileIsASample) {
  const std::vector<double> sorted{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  EXPECT_EQ(percentile(sorted, 0), 1);
  EXPECT_EQ(percentile(sorted, 50), 5);
  EXPECT_EQ(percentile(sorted, 99), 10);
  EXPECT_EQ(percentile({7}, 50), 7);
}

TEST(Statistics, MedianOfFiveIsKnownWithinTheirEndsAndOfMoreWithinNearerSamples) {
  EXPECT_TRUE(std::isinf(uncertainty({100, 100, 100, 100})));
  EXPECT_DOUBLE_EQ(uncertainty({104, 100, 98, 101, 96}), 0.04);
  EXPECT_DOUBLE_EQ(uncertainty({500, 100, 99, 101, 100, 102, 98, 100, 10}), 0.02);  // what lies furthest does not count
  EXPECT_TRUE(std::isinf(uncertainty({0, 0, 0, 0, 0})));
  EXPECT_LT(uncertainty(std::vector<double>(5000, 7)), 1e-9);  // ends
}

TEST(Statistics, RoundsEndWhenAllIsKnownOrTheRunIsLate) {
  const std::vector<double> known(6, 100);
  const std::vector<double> vague{100, 150, 80, 110, 90, 100};
  using Samples = std::vector<std::vector<double>>;
  const Rounds rounds{5, 9};
  EXPECT_TRUE(rounds.again(4, false, [&] { return Samples{known}; }));
  EXPECT_FALSE(rounds.again(5, true, [&] { return Samples{known, {}}; }));
  EXPECT_TRUE(rounds.again(6, true, [&] { return Samples{known, vague}; }));
  EXPECT_FALSE(rounds.again(6, false, [&] { return Samples{known, vague}; }));
  EXPECT_FALSE(rounds.again(9, true, [&] { return Samples{vague}; }));
}

TEST(Statistics, CountsMayGrowByTwoPercentAndWhatTheyVaryBy) {
  EXPECT_FALSE(has_grown(1000, 1000, 0));
  EXPECT_FALSE(has_grown(1000, 1020, 0));
  EXPECT_TRUE(has_grown(1000, 1021, 0));
  EXPECT_FALSE(has_grown(1000, 1021, 2));
  EXPECT_FALSE(has_grown(0, 0.02, 0.02));
  EXPECT_TRUE(has_grown(0, 1, 0.02));
  EXPECT_FALSE(has_grown(1000, 10, 0));
}

}  // namespace
}  // namespace bench
