// SPDX-License-Identifier: Apache-2.0
#include "corbel/connection/outstanding.hpp"

#include <gtest/gtest.h>

#include <deque>

namespace corbel::connection {
namespace {

struct Request : UnderWay {
  Request(Kind kind, std::uint32_t id) : UnderWay(kind) { token = id; }
};

TEST(Outstanding, FindsEachOfThousandsWhateverTheOrder) {
  Outstanding table;
  std::deque<Request> requests;
  for (std::uint32_t id = 2; id < 20'000; id += 2) {
    table.add(requests.emplace_back(id % 6 == 0 ? UnderWay::Kind::caller : UnderWay::Kind::asynchronous, id));
  }
  const std::size_t count = requests.size();
  EXPECT_EQ(table.count(), count);
  for (std::size_t n = 0; n < count; ++n) {
    Request& wanted = requests[n * 7919 % count];
    EXPECT_EQ(table.find(wanted.token), &wanted);
    EXPECT_EQ(table.take(wanted.token), &wanted);
    EXPECT_EQ(table.find(wanted.token), nullptr);
    EXPECT_EQ(table.take(wanted.token), nullptr);
  }
  EXPECT_TRUE(table.empty());
  EXPECT_EQ(table.asynchronous(), 0U);
}

TEST(Outstanding, TellsThoseThatWaitFromThoseThatDoNot) {
  Outstanding table;
  Request caller(UnderWay::Kind::caller, 2);
  Request asynchronous(UnderWay::Kind::asynchronous, 4);
  table.add(caller);
  EXPECT_EQ(table.asynchronous(), 0U);
  table.add(asynchronous);
  EXPECT_EQ(table.count(), 2U);
  EXPECT_EQ(table.asynchronous(), 1U);
  table.take(2);
  EXPECT_EQ(table.asynchronous(), 1U);
  table.take(4);
  EXPECT_EQ(table.asynchronous(), 0U);
}

TEST(Outstanding, KeepsOddIdsApartFromEvenOnes) {
  Outstanding table;
  Request even(UnderWay::Kind::asynchronous, 2);
  Request odd(UnderWay::Kind::caller, 3);
  table.add(even);
  table.add(odd);
  EXPECT_EQ(table.find(2), &even);
  EXPECT_EQ(table.take(3), &odd);
  EXPECT_EQ(table.find(3), nullptr);
  EXPECT_EQ(table.find(2), &even);
  table.take(2);
}

TEST(Outstanding, GivesAllAwayOldestFirstAndCanBeUsedAgain) {
  Outstanding table;
  std::deque<Request> requests;
  for (std::uint32_t id = 200; id > 0; id -= 2) {
    table.add(requests.emplace_back(UnderWay::Kind::asynchronous, id));
  }
  table.take(100);
  UnderWayList all = table.take_all();
  EXPECT_TRUE(table.empty());
  EXPECT_EQ(table.find(200), nullptr);
  for (std::uint32_t id = 200; id > 0; id -= 2) {
    if (id == 100) continue;
    const UnderWay* const next = all.pop();
    ASSERT_NE(next, nullptr);
    EXPECT_EQ(next->token, id);
  }
  EXPECT_TRUE(all.empty());
  table.add(requests.front());
  EXPECT_EQ(table.find(200), &requests.front());
  table.take(200);
}

}  // namespace
}  // namespace corbel::connection
