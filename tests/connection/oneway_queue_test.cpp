// SPDX-License-Identifier: Apache-2.0
#include "corbel/connection/oneway_queue.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace corbel::connection {
namespace {

using Pushed = OnewayQueue::Pushed;
using Why = OnewayQueue::Why;

base::ConstByteSpan octets_of(std::string_view text) {
  return {reinterpret_cast<const base::Octet*>(text.data()), text.size()};
}
std::string front(OnewayQueue& queue) {
  return std::string(base::as_text(queue.front()));
}

class OnewayQueues : public testing::Test {
 protected:
  static policy::OnewayBuffering of(std::uint32_t limit, policy::OnewayOverflow overflow) { return {limit, overflow}; }

  OnewayCounters counters_;
};

TEST_F(OnewayQueues, WhatWaitsIsShownInOnePieceAndTakenInAnyPieces) {
  OnewayQueue queue(of(100, policy::OnewayOverflow::newest), counters_, false);
  for (int round = 0; round < 3; ++round) {
    for (const char* text : {"one", "two", "three"}) EXPECT_EQ(queue.push(octets_of(text), Why::kept), Pushed::queued);
    EXPECT_EQ(queue.messages(), 3U);
    EXPECT_EQ(front(queue), "onetwothree");
    queue.pop(4);
    EXPECT_TRUE(queue.begun()) << "two";
    EXPECT_EQ(queue.messages(), 2U);
    EXPECT_EQ(queue.push(octets_of("four"), Why::kept), Pushed::queued);
    EXPECT_EQ(front(queue), "wothree") << "not what came meanwhile";
    queue.pop(2);
    EXPECT_FALSE(queue.begun());
    queue.pop(5);
    EXPECT_EQ(front(queue), "four");
    queue.pop(4);
    EXPECT_TRUE(queue.empty());
    EXPECT_EQ(front(queue), "");
  }
  EXPECT_EQ(counters_.kept, 12U);
  EXPECT_EQ(counters_.waiting_octets, 0U);
}

TEST_F(OnewayQueues, WhereMessagesAreKeptEachIsShownByItself) {
  OnewayQueue queue(of(100, policy::OnewayOverflow::newest), counters_, true);
  (void)queue.push(octets_of("one"), Why::waits);
  (void)queue.push(octets_of("three"), Why::waits);
  EXPECT_EQ(front(queue), "one");
  queue.pop(3);
  EXPECT_EQ(front(queue), "three");
}

TEST_F(OnewayQueues, WhereMessagesAreKeptThoseBehindMayGoWithTheFirst) {
  OnewayQueue queue(of(100, policy::OnewayOverflow::newest), counters_, true);
  const auto sizes = [&] {
    const auto all = queue.front_sizes();
    return std::vector<std::uint32_t>(all.begin(), all.end());
  };
  for (const char* text : {"one", "three", "four"}) (void)queue.push(octets_of(text), Why::kept);
  EXPECT_EQ(base::as_text({queue.front().data(), 12}), "onethreefour");
  (void)queue.push(octets_of("later"), Why::waits);
  EXPECT_EQ(sizes(), (std::vector<std::uint32_t>{3, 5, 4})) << "not what came meanwhile";
  queue.pop(3);
  EXPECT_EQ(front(queue), "three");
  EXPECT_EQ(sizes(), (std::vector<std::uint32_t>{5, 4}));
  queue.pop(9);
  EXPECT_EQ(front(queue), "later");
  EXPECT_EQ(sizes(), std::vector<std::uint32_t>{5});
  EXPECT_EQ(queue.messages(), 1U);
}

TEST_F(OnewayQueues, TheOldestGoButForTheOneThatHasBegunToLeave) {
  OnewayQueue queue(of(12, policy::OnewayOverflow::oldest), counters_, false);
  for (const char* text : {"aaaa", "bbbb", "cccc"}) EXPECT_EQ(queue.push(octets_of(text), Why::waits), Pushed::queued);
  EXPECT_EQ(front(queue), "aaaabbbbcccc");
  EXPECT_EQ(queue.push(octets_of("d"), Why::waits), Pushed::dropped) << "all are leaving now";
  queue.pop(1);
  queue.put_back();
  EXPECT_EQ(queue.push(octets_of("dddd"), Why::waits), Pushed::replaced);
  EXPECT_EQ(front(queue), "aaa");
  queue.pop(3);
  EXPECT_EQ(front(queue), "ccccdddd");
  EXPECT_EQ(counters_.dropped, 2U);
  EXPECT_EQ(counters_.dropped_octets, 5U);
  queue.put_back();
  EXPECT_EQ(queue.push(octets_of("eeeeeeee"), Why::waits), Pushed::replaced);
  EXPECT_EQ(front(queue), "ddddeeeeeeee");
}

TEST_F(OnewayQueues, TheOneThatHasBegunToLeaveIsNotAmongThoseThatArePutBack) {
  OnewayQueue queue(of(14, policy::OnewayOverflow::oldest), counters_, false);
  for (const char* text : {"aaaa", "bbbbbb", "cc"}) (void)queue.push(octets_of(text), Why::waits);
  (void)queue.front();
  queue.pop(1);
  queue.put_back();
  EXPECT_EQ(queue.push(octets_of("dddd"), Why::waits), Pushed::replaced);
  EXPECT_EQ(counters_.dropped, 1U);
  EXPECT_EQ(counters_.dropped_octets, 6U) << "b, not the size of a";
  EXPECT_EQ(front(queue), "aaa");
  queue.pop(3);
  EXPECT_EQ(front(queue), "ccdddd");
}

TEST_F(OnewayQueues, PutBackComesBeforeWhatCameMeanwhile) {
  OnewayQueue queue(of(100, policy::OnewayOverflow::oldest), counters_, false);
  for (const char* text : {"one", "two"}) (void)queue.push(octets_of(text), Why::waits);
  (void)queue.front();
  (void)queue.push(octets_of("three"), Why::waits);
  queue.put_back();
  EXPECT_EQ(front(queue), "onetwothree");
}

TEST_F(OnewayQueues, WhatIsKeptBackMakesNothingGo) {
  for (const auto overflow :
       {policy::OnewayOverflow::oldest, policy::OnewayOverflow::newest, policy::OnewayOverflow::wait}) {
    OnewayQueue queue(of(8, overflow), counters_, false);
    EXPECT_EQ(queue.push(octets_of("12345678"), Why::kept), Pushed::queued);
    EXPECT_EQ(queue.push(octets_of("9"), Why::kept), Pushed::full);
    EXPECT_EQ(front(queue), "12345678");
    queue.pop(8);
  }
  EXPECT_EQ(counters_.dropped, 0U);
}

TEST_F(OnewayQueues, TheRestOfWhatHasBegunToLeaveComesFirstAndIsCountedOnce) {
  OnewayQueue queue(of(100, policy::OnewayOverflow::oldest), counters_, false);
  queue.push_begun(octets_of("rest"));
  EXPECT_TRUE(queue.begun());
  (void)queue.push(octets_of("next"), Why::waits);
  queue.put_back();
  EXPECT_EQ(front(queue), "rest");
  const auto lost = queue.clear();
  EXPECT_EQ(lost.messages, 2U);
  EXPECT_EQ(lost.octets, 8U);
  EXPECT_EQ(counters_.waiting_octets, 0U);
  queue.pop(4);  // it left all the same
  EXPECT_EQ(counters_.waiting_octets, 0U);
}

}  // namespace
}  // namespace corbel::connection
