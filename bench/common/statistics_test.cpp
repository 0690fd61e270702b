// SPDX-License-Identifier: Apache-2.0
#include "common/statistics.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

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
