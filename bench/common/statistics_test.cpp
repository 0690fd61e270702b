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

}  // namespace
}  // namespace bench
