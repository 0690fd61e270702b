// SPDX-License-Identifier: Apache-2.0
#include "report/bars.hpp"

#include <gtest/gtest.h>

namespace bench {
namespace {

void add(std::vector<Result>& results, const char* side, const char* layer, double us) {
  const Case of{{"orb", "corbel"}, {"protocol", "giop"}, {"transport", "tcp"},
                {"type", "void"},  {"side", side},       {"layer", layer}};
  results.push_back({"whitebox", of, "layer_time", "us", {us, us, us, 1}});
}

TEST(Bars, AreFourAndTheServersTimeIsNotCountedTwice) {
  std::vector<Result> results;
  add(results, "client", "stub", 1);
  add(results, "client", "request header", 2);
  add(results, "client", "transport send", 3);
  add(results, "client", "transport adapter", 4);
  add(results, "client", "system send", 20);
  add(results, "client", "system receive", 50);  // while the server works for 15
  add(results, "server", "dispatch", 5);
  add(results, "server", "framing", 4);
  add(results, "server", "wait and receive", 6);
  add(results, "server", "system receive", 60);
  const auto bars = bars_of(results);
  ASSERT_EQ(bars.size(), 1U);
  EXPECT_DOUBLE_EQ(bars[0].messaging, 6);
  EXPECT_DOUBLE_EQ(bars[0].adapter, 13);
  EXPECT_DOUBLE_EQ(bars[0].orb, 6);
  EXPECT_DOUBLE_EQ(bars[0].system, 55);
  EXPECT_DOUBLE_EQ(bars[0].sum(), 80) << "what the client sees";
  EXPECT_FALSE(bars[0].whole);
}

TEST(Bars, NeedTheProbesAroundSystemCalls) {
  std::vector<Result> results;
  add(results, "client", "stub", 1);
  add(results, "client", "transport send", 30);
  EXPECT_TRUE(bars_of(results).empty());
  EXPECT_TRUE(bars_of({}).empty());
}

}  // namespace
}  // namespace bench
