// SPDX-License-Identifier: Apache-2.0
#include "corbel/messaging/frames/tally.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace corbel::messaging::frames {
namespace {

TEST(FramesTally, NumbersGoRound) {
  Counts counts;
  Tally tally(counts, true);
  std::map<std::string_view, std::uint64_t> all;
  for (const std::uint32_t sequence : {0xfffffffeU, 0xffffffffU, 1U, 0U, 2U}) {
    EXPECT_TRUE(tally.count(sequence, 0, 0));
  }
  counts.report([&](const Figure& figure) { all[figure.name] = figure.value; });
  EXPECT_EQ(all["received"], 5U);
  EXPECT_EQ(all["lost"], 0U);
  EXPECT_EQ(all["reordered"], 1U);
}

TEST(FramesTally, WhatIsTooLateIsNotServed) {
  Counts counts;
  Tally tally(counts, true);
  EXPECT_TRUE(tally.count(1000, 0, 0));
  EXPECT_TRUE(tally.count(937, 0, 0));
  EXPECT_FALSE(tally.count(936, 0, 0));
  EXPECT_FALSE(tally.count(937, 0, 0));
  EXPECT_TRUE(tally.has_come(936));
  EXPECT_TRUE(tally.has_come(937));
  EXPECT_FALSE(tally.has_come(938));
  EXPECT_EQ(counts.late, 1U);
  EXPECT_EQ(counts.duplicates, 1U);
}

TEST(FramesTally, OneFrameFarAheadOfAllOthersProvesNothing) {
  Counts counts;
  Tally tally(counts, true);
  EXPECT_TRUE(tally.count(1, 0, 0));
  EXPECT_FALSE(tally.count(1'000'000, 0, 0)) << "forged";
  EXPECT_TRUE(tally.count(2, 0, 0));
  EXPECT_EQ(counts.lost, 0U);
  EXPECT_FALSE(tally.count(5000, 0, 0));
  EXPECT_TRUE(tally.count(5001, 0, 0)) << "the network was away for a while";
  EXPECT_EQ(tally.highest(), 5001U);
  Tally reliable(counts, false);
  EXPECT_TRUE(reliable.count(1, 0, 0));
  EXPECT_TRUE(reliable.count(1'000'000, 0, 0)) << "a queue was full for a while";
}

TEST(FramesTally, TheFractionLostIsThatSinceItWasAskedLast) {
  Counts counts;
  Tally tally(counts, true);
  for (std::uint32_t i = 0; i < 100; ++i) EXPECT_TRUE(tally.count(i, 0, 0));
  EXPECT_EQ(tally.fraction_lost(), 0U);
  for (std::uint32_t i = 100; i < 200; i += 2) EXPECT_TRUE(tally.count(i + 1, 0, 0));
  EXPECT_EQ(tally.fraction_lost(), 128U);
  EXPECT_EQ(tally.fraction_lost(), 0U);
}

TEST(FramesTally, JitterIsThatOfRfc3550) {
  Counts counts;
  Tally tally(counts, true);
  const auto jitter = [&] { return counts.jitter >> 4; };
  // As the formula of 6.4.1 says with real numbers: J += (|D| - J) / 16.
  double expected = 0;
  std::uint32_t arrival = 0xffffff00U;  // the clock may go round
  std::uint32_t stamp = 5;
  std::uint32_t before = arrival - stamp;
  EXPECT_TRUE(tally.count(0, stamp, arrival));
  EXPECT_EQ(jitter(), 0U);
  for (std::uint32_t i = 1; i < 200; ++i) {
    stamp += 20'000;
    arrival += 20'000 + (i * 7919 % 5000) - 2500;
    EXPECT_TRUE(tally.count(i, stamp, arrival));
    const auto change = static_cast<std::int32_t>(arrival - stamp - before);
    before = arrival - stamp;
    expected += (std::abs(static_cast<double>(change)) - expected) / 16;
    EXPECT_NEAR(static_cast<double>(jitter()), expected, 16) << i;
  }
  EXPECT_GT(jitter(), 500U);
}

}  // namespace
}  // namespace corbel::messaging::frames
