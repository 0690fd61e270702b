// SPDX-License-Identifier: Apache-2.0
// Which requests are expected to be answered at once.
#include "corbel/connection/short_requests.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace corbel::connection {
namespace {

using namespace std::chrono_literals;

constexpr auto kLimit = 400ms;
constexpr auto kLonger = 450ms;

class Short : public testing::Test {
 protected:
  void serve(int times, base::Duration before = {}, base::Duration behind = {}, bool answers = true) {
    for (int i = 0; i < times; ++i) {
      ShortRequests::Turn turn(requests_, false);
      std::this_thread::sleep_for(before);
      if (answers) ShortRequests::Turn::answers();
      std::this_thread::sleep_for(behind);
      turn.end(1);
    }
  }
  /// How many more are needed until the next is expected to be short.
  int needed() {
    int times = 0;
    for (; !requests_.expects(); ++times) serve(1);
    return times;
  }

  ShortRequests requests_{kLimit};
};

TEST_F(Short, AreExpectedAfterManyOfThem) {
  EXPECT_FALSE(requests_.expects());
  EXPECT_EQ(needed(), 64);
  serve(100);
  EXPECT_TRUE(requests_.expects());
}

TEST_F(Short, AreNotExpectedAfterALongOneAndAreNeededMoreAndMore) {
  (void)needed();
  serve(1, kLonger);
  EXPECT_EQ(needed(), 256);
  serve(1, kLonger);
  EXPECT_EQ(needed(), 1024);
  serve(5000);  // the mistakes are long ago
  serve(1, kLonger);
  EXPECT_LT(needed(), 1024);
}

TEST_F(Short, AreThoseWhoseAnswerIsThereSoonHoweverLongItTakesToSendIt) {
  (void)needed();
  serve(1, 0ms, kLonger);
  EXPECT_TRUE(requests_.expects());
  serve(1, kLonger, 0ms, false);  // a oneway, or one that is answered later
  EXPECT_FALSE(requests_.expects());
}

TEST_F(Short, AreThoseThatFollowOthersInTheSameTurn) {
  (void)needed();
  ShortRequests::Turn turn(requests_, false);
  for (int i = 0; i < 5; ++i) {
    std::this_thread::sleep_for(kLimit / 4);
    if (i % 2 == 0) ShortRequests::Turn::answers();
    turn.end(1);
  }
  EXPECT_TRUE(requests_.expects());
}

TEST_F(Short, DoNotMatterWhereTheThreadStays) {
  for (int i = 0; i < 200; ++i) {
    ShortRequests::Turn turn(requests_, true);
    turn.end(1);
  }
  EXPECT_FALSE(requests_.expects());
}

TEST(NoneShort, IsExpectedWithoutALimit) {
  ShortRequests requests{0ms};
  for (int i = 0; i < 200; ++i) {
    ShortRequests::Turn turn(requests, false);
    turn.end(1);
  }
  EXPECT_FALSE(requests.expects());
}

}  // namespace
}  // namespace corbel::connection
