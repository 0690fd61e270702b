// SPDX-License-Identifier: Apache-2.0
#include "corbel/transport/rudp/receiving.hpp"

#include <gtest/gtest.h>

#include "support/allocations.hpp"

namespace corbel::transport::rudp {
namespace {

using base::Bytes;

TEST(Receiving, GapsAreBounded) {
  Receiving receiving(1 << 20);
  const Bytes octets(10);
  for (std::uint64_t i = 1; i <= kMostRanges; ++i) {
    EXPECT_EQ(receiving.take(i * 100, octets, false), Receiving::Arrival::apart);
  }
  EXPECT_EQ(receiving.take((kMostRanges + 1) * 100, octets, false), Receiving::Arrival::refused);
  EXPECT_EQ(receiving.take(110, octets, false), Receiving::Arrival::apart) << "no gap more";
  EXPECT_EQ(receiving.ranges().size(), kMostRanges);
  EXPECT_EQ(receiving.take(0, Bytes(100), false), Receiving::Arrival::in_order);
  EXPECT_EQ(receiving.next(), 120U);
  EXPECT_EQ(receiving.ranges().size(), kMostRanges - 1);
}

TEST(Receiving, WhatComesBehindGapsIsPaidForAndWhatHasBeenReadIsGivenBack) {
  constexpr std::size_t kChunk = Receiving::kChunk;
  const auto all = std::make_shared<GapMemory>(10 * kChunk);
  const auto gaps = std::make_shared<GapMemory>(4 * kChunk, all);
  Bytes room(32 * kChunk);
  {
    Receiving receiving(32 * kChunk, gaps);
    EXPECT_EQ(receiving.take(1, Bytes(10), false), Receiving::Arrival::apart) << "where the next ones lie";
    EXPECT_EQ(gaps->taken(), 0U);
    for (std::uint64_t i = 1; i <= 4; ++i) {
      EXPECT_EQ(receiving.take(i * 3 * kChunk, Bytes(1), false), Receiving::Arrival::apart);
      EXPECT_EQ(all->taken(), i * kChunk) << "an octet takes a chunk";
    }
    EXPECT_EQ(receiving.take(20 * kChunk, Bytes(1), false), Receiving::Arrival::unpaid);
    EXPECT_EQ(receiving.ranges().size(), 5U) << "so that it is not told that it has come";
    EXPECT_EQ(receiving.take(0, Bytes(20 * kChunk), false), Receiving::Arrival::in_order) << "always";
    EXPECT_EQ(gaps->taken(), 0U);
    EXPECT_EQ(receiving.read(room), 20 * kChunk);
    EXPECT_LE(receiving.held(), kChunk);
    EXPECT_EQ(receiving.take(22 * kChunk, Bytes(1), false), Receiving::Arrival::apart);
    EXPECT_EQ(all->taken(), kChunk);
    receiving.refuse_more();
    EXPECT_EQ(all->taken(), 0U);
    EXPECT_EQ(receiving.held(), 0U);
  }
  {
    Receiving other(32 * kChunk, gaps);
    EXPECT_EQ(other.take(2 * kChunk, Bytes(1), false), Receiving::Arrival::apart);
    EXPECT_EQ(gaps->taken(), kChunk);
  }
  EXPECT_EQ(all->taken(), 0U);
}

TEST(Receiving, AReaderThatKeepsUpCostsNoAllocations) {
  Receiving receiving(256U << 10);
  const Bytes octets(1000);
  Bytes room(1000);
  const auto take_and_read = [&] {
    ASSERT_EQ(receiving.take(receiving.next(), octets, false), Receiving::Arrival::in_order);
    ASSERT_EQ(receiving.read(room), octets.size());
  };
  for (std::size_t i = 0; i < 10; ++i) take_and_read();
  const std::size_t before = test::allocations();
  for (std::size_t i = 0; i < 1000; ++i) take_and_read();
  EXPECT_EQ(test::allocations(), before);
}

TEST(Receiving, WhatWasReceivedIsNotChangedByWhatComesAgain) {
  Receiving receiving(1000);
  ASSERT_EQ(receiving.take(0, Bytes(100, 1), false), Receiving::Arrival::in_order);
  ASSERT_EQ(receiving.take(0, Bytes(200, 2), false), Receiving::Arrival::in_order);
  Bytes room(300);
  ASSERT_EQ(receiving.read(room), 200U);
  EXPECT_EQ(room[99], 1);
  EXPECT_EQ(room[100], 2);
}

}  // namespace
}  // namespace corbel::transport::rudp
