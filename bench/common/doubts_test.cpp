// SPDX-License-Identifier: Apache-2.0
#include "common/doubts.hpp"

#include <gtest/gtest.h>

namespace bench {
namespace {

Report quiet_run() {
  Report report;
  report.machine.cores = 2;
  report.machine.load = 0.2;
  report.results.push_back({"latency", {{"orb", "raw"}}, "latency_p50", "us", {10, 9, 11, 5}});
  report.results.push_back({"latency", {{"orb", "corbel"}}, "latency_p50", "us", {10, 1, 100, 5}});
  return report;
}

TEST(Doubts, AQuietRunRaisesNone) {
  EXPECT_TRUE(doubts(quiet_run(), 0.5).empty());
}

TEST(Doubts, AreRaisedByLoadByStolenTimeAndByAnUnsteadyControl) {
  Report report = quiet_run();
  report.machine.load = 3;
  EXPECT_EQ(doubts(report, 0).size(), 1U);
  EXPECT_EQ(doubts(report, 10).size(), 2U);
  report.results[0].value.max = 30;
  EXPECT_EQ(doubts(report, 10).size(), 3U);
}

}  // namespace
}  // namespace bench
