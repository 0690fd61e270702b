// SPDX-License-Identifier: Apache-2.0
#include "line/wire.hpp"

#include <gtest/gtest.h>

namespace line {
namespace {

std::vector<char> packet(std::size_t octets) {
  return std::vector<char>(octets, 'x');
}

TEST(Wire, FramesTakeWhatTheirLinkTakes) {
  EXPECT_EQ(octets_on({.overhead = 8}, 100), 108U);
  EXPECT_EQ(octets_on({.overhead = 38, .least = 84}, 40), 84U);
  EXPECT_EQ(octets_on({.overhead = 38, .least = 84}, 1500), 1538U);
  EXPECT_EQ(octets_on({.overhead = 16, .in_cells = true}, 32), 53U) << "48 octets fit into one cell";
  EXPECT_EQ(octets_on({.overhead = 16, .in_cells = true}, 33), 106U);
  EXPECT_EQ(octets_on({.overhead = 16, .in_cells = true}, 9180), 192U * 53);
}

TEST(Wire, ALonePacketTakesTheTimeOfItsOctetsAndOfTheDistance) {
  Wire wire({.bits_per_second = 64'000, .delay_ns = 5'000'000, .overhead = 8, .queue = 6000});
  EXPECT_FALSE(wire.next());
  ASSERT_TRUE(wire.put(packet(72), 1000));  // 80 octets: 10 ms
  EXPECT_EQ(wire.next(), 1000U + 10'000'000 + 5'000'000);
  ASSERT_TRUE(wire.put(packet(152), 2000)) << "waits until the first has left";
  EXPECT_EQ(wire.take().size(), 72U);
  EXPECT_EQ(wire.next(), 1000U + 30'000'000 + 5'000'000);
  EXPECT_EQ(wire.take().size(), 152U);
  EXPECT_FALSE(wire.next());
  EXPECT_EQ(wire.packets(), 2U);
  EXPECT_EQ(wire.octets(), 72U + 152);
  EXPECT_EQ(wire.framed(), 80U + 160);
}

TEST(Wire, WhatDoesNotFitIntoTheQueueIsLost) {
  Wire wire({.bits_per_second = 8000, .queue = 100});  // an octet each millisecond
  std::size_t kept = 0;
  for (int i = 0; i < 1000; ++i) kept += wire.put(packet(50), 0) ? 1 : 0;
  EXPECT_EQ(kept, 3U) << "one on the line and two that wait";
  EXPECT_EQ(wire.packets(), 3U) << "what is lost does not count";
  EXPECT_TRUE(wire.put(packet(50), 60'000'000)) << "there is room again";
}

}  // namespace
}  // namespace line
