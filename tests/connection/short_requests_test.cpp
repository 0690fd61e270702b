// SPDX-License-Identifier: Apache-2.0
// Which requests are expected to be answered at once.
#include "corbel/connection/short_requests.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <thread>
#include <utility>

namespace corbel::connection {
namespace {

using namespace std::chrono_literals;

constexpr auto kLimit = 400ms;
constexpr auto kLonger = 450ms;

class Short : public testing::Test {
 protected:
  using Clock = std::chrono::steady_clock;

  void serve(int times, base::Duration before = {}, base::Duration behind = {}, bool answers = true) {
    for (int i = 0; i < times; ++i) {
      const auto begin = Clock::now();
      ShortRequests::Turn turn(*requests_, false);
      std::this_thread::sleep_for(before);
      if (answers) ShortRequests::Turn::answers();
      if (before < kLimit) note(begin);
      std::this_thread::sleep_for(behind);
      turn.end(1);
    }
  }
  /// How many more are needed until the next is expected to be short.
  int needed() {
    int times = 0;
    for (; !requests_->expects(); ++times) serve(1);
    return times;
  }
  /// What was meant to take a short time since then has taken a long one if the machine is busy.
  void note(Clock::time_point begin) { disturbed_ |= Clock::now() - begin > kLimit; }
  /// Does that from the beginning, again if the machine was so busy that something took longer than it was meant to.
  template <class Act>
  void undisturbed(const Act& act) {
    for (int tries = 0; tries < 10 && disturbed_; ++tries) {
      disturbed_ = false;
      requests_.emplace(kLimit);
      act();
    }
  }

  std::optional<ShortRequests> requests_{std::in_place, kLimit};

 private:
  bool disturbed_ = true;
};

TEST_F(Short, AreExpectedAfterManyOfThem) {
  EXPECT_FALSE(requests_->expects());
  int first = 0;
  undisturbed([&] {
    first = needed();
    serve(100);
  });
  EXPECT_EQ(first, 64);
  EXPECT_TRUE(requests_->expects());
}

TEST_F(Short, AreNotExpectedAfterALongOneAndAreNeededMoreAndMore) {
  int second = 0, third = 0, last = 0;
  undisturbed([&] {
    (void)needed();
    serve(1, kLonger);
    second = needed();
    serve(1, kLonger);
    third = needed();
    serve(5000);  // the mistakes are long ago
    serve(1, kLonger);
    last = needed();
  });
  EXPECT_EQ(second, 256);
  EXPECT_EQ(third, 1024);
  EXPECT_LT(last, 1024);
}

TEST_F(Short, AreThoseWhoseAnswerIsThereSoonHoweverLongItTakesToSendIt) {
  bool expects = false;
  undisturbed([&] {
    (void)needed();
    serve(1, 0ms, kLonger);
    expects = requests_->expects();
  });
  EXPECT_TRUE(expects);
  serve(1, kLonger, 0ms, false);  // a oneway, or one that is answered later
  EXPECT_FALSE(requests_->expects());
}

TEST_F(Short, AreThoseThatFollowOthersInTheSameTurn) {
  undisturbed([&] {
    (void)needed();
    auto begin = Clock::now();
    ShortRequests::Turn turn(*requests_, false);
    for (int i = 0; i < 5; ++i) {
      std::this_thread::sleep_for(kLimit / 4);
      const auto answered = Clock::now();
      if (i % 2 == 0) ShortRequests::Turn::answers();
      turn.end(1);
      note(std::exchange(begin, answered));
    }
  });
  EXPECT_TRUE(requests_->expects());
}

TEST_F(Short, DoNotMatterWhereTheThreadStays) {
  for (int i = 0; i < 200; ++i) {
    ShortRequests::Turn turn(*requests_, true);
    turn.end(1);
  }
  EXPECT_FALSE(requests_->expects());
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
