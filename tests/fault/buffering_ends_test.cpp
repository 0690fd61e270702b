// SPDX-License-Identifier: Apache-2.0
// What becomes of oneways that are kept back when their connection, their ORB or their process ends, or their peer does
// not read.
#include <algorithm>
#include <atomic>
#include <future>
#include <thread>

#include "buffering_support.hpp"
#include "corbel/orb/parts.hpp"
#include "in_child.hpp"

namespace corbel::buffering_test {
namespace {

TEST_F(BufferingTest, WhatIsKeptBackIsSentWhenTheOrbEnds) {
  use();
  tell(with_policies(plain_, count_of(kMany)), 0, 4);
  orb_->destroy();
  EXPECT_EQ(heard(4), "0 1 2 3");
  EXPECT_THROW(plain_->tell("5"), CORBA::OBJECT_NOT_EXIST);
  EXPECT_EQ(log_->count("oneway messages lost"), 0U);
  orb_ = nullptr;
}

TEST_F(BufferingTest, WhatIsKeptBackLeavesBeforeItsTransportOrItsProtocolIsWithdrawn) {
  use();
  tell(with_policies(plain_, count_of(kMany)), 0, 3);
  EXPECT_TRUE(orb::withdraw_transport(*orb_, "tcp", 10s));
  EXPECT_TRUE(wait_for_requests(3));
  orb_->destroy();
  use();
  tell(with_policies(plain_, count_of(kMany)), 3, 6);
  EXPECT_TRUE(orb::withdraw_protocol(*orb_, "giop", 10s));
  EXPECT_EQ(statistics().oneways_dropped, 0U);
  EXPECT_TRUE(wait_for_requests(6));
  EXPECT_EQ(heard(6), "0 1 2 3 4 5");
}

TEST_F(BufferingTest, WhatIsCalledWhileTheOrbEndsIsSentOrCountedOrRefused) {
  use();
  const auto victim = with_policies(plain_, count_of(50));
  std::atomic<std::uint64_t> told{0};
  const auto run = [&] {
    try {
      for (;; ++told) victim->tell("x");
    } catch (const CORBA::SystemException&) {  // the end
    }
  };
  std::thread one(run);
  std::thread other(run);
  while (told < 2000) std::this_thread::yield();
  orb_->shutdown(true);
  one.join();
  other.join();
  EXPECT_EQ(statistics().oneway_octets_waiting, 0U);
  const std::uint64_t sent = told - std::min(told.load(), statistics().oneways_dropped);
  EXPECT_TRUE(wait_for_requests(static_cast<std::size_t>(sent))) << peer_.requests() << " of " << sent;
}

TEST_F(BufferingTest, AReferenceMayGoBeforeItsMessages) {
  use();
  {
    auto victim = with_policies(plain_, count_of(kMany));
    tell(victim, 0, 3);
    plain_ = nullptr;
  }
  EXPECT_TRUE(orb::flush_oneways(*orb_));
  EXPECT_EQ(heard(3), "0 1 2");
}

TEST_F(BufferingTest, APeerThatHasGoneMeanwhileIsToldOfInTheLogAndTheNextConnectionServes) {
  use();
  const auto victim = with_policies(plain_, count_of(kMany));
  tell_and_lose_peer(victim);
  EXPECT_FALSE(orb::flush_oneways(victim));
  EXPECT_EQ(log_->wait_for("oneway messages lost").value("messages"), "3");
  EXPECT_EQ(statistics().oneways_dropped, 3U);
  EXPECT_EQ(statistics().oneway_octets_waiting, 0U);
  tell(victim, 3, 5);
  EXPECT_EQ(victim->echo("?"), "done");
  EXPECT_EQ(heard(4), "echo 3 4 echo");
}

TEST_F(BufferingTest, TheTimerNoticesThatThePeerHasGone) {
  use();
  const BufferingConstraint limit(BUFFER_TIMEOUT, 500 * kMillisecond, 0, 0);
  const auto victim = with_policies(plain_, {CORBA::make_reference<BufferingConstraintPolicy>(limit)});
  const auto is_told = [&] {
    return std::ranges::any_of(log_->entries(), [](const auto& entry) {
      return entry.event == "oneway messages lost" && entry.value("messages") == "3";
    });
  };
  // On a loaded machine the messages, or the first of them, may leave before the peer goes: once more, then.
  for (int tries = 0; tries < 4 && !is_told(); ++tries) {
    EXPECT_EQ(victim->echo("?"), "done");
    tell(victim, 0, 3);
    peer_.close_all(true);
    (void)test::eventually(is_told, 6s);
  }
  EXPECT_TRUE(test::eventually(is_told));
}

TEST_F(BufferingTest, AnOrbThatEndsWithoutItsPeerTellsOfTheLoss) {
  use();
  const auto victim = with_policies(plain_, count_of(kMany));
  tell_and_lose_peer(victim);
  orb_->destroy();
  orb_ = nullptr;
  EXPECT_EQ(log_->wait_for("oneway messages lost").value("messages"), "3");
}

TEST_F(BufferingTest, APeerThatDoesNotReadCostsBoundedMemoryAndNoTime) {
  std::promise<void> gate;
  peer_.set({[told = gate.get_future().share()](test::Conversation&, const Received&) { told.wait(); }, &answer});
  use({"-ORBOnewayQueue", "65536"});
  connect(plain_);
  plain_->fire();
  ASSERT_TRUE(peer_.wait_for_messages(1));
  const auto victim = with_policies(plain_, count_of(4));
  connect(victim);
  int told = 0;
  const std::string filling(8000, 'x');
  while (statistics().oneways_dropped < 100) {
    victim->tell(filling + std::to_string(told++));
    ASSERT_LE(statistics().oneway_octets_waiting, 65536U + 9000U);
    ASSERT_LT(told, 100'000);
  }
  gate.set_value();
  EXPECT_EQ(victim->echo("?"), "done");
  const auto arrived = static_cast<std::size_t>(told) - statistics().oneways_dropped;
  EXPECT_TRUE(peer_.wait_for_messages(arrived + 2));
  EXPECT_EQ(peer_.messages().size(), arrived + 2);
  EXPECT_EQ(peer_.last().operation, "echo");
  EXPECT_GE(log_->count("oneway messages dropped"), 1U);
}

TEST_F(BufferingTest, WhatAPeerDidNotTakeWhenALimitWasReachedLeavesWithoutAnotherCall) {
  std::promise<void> gate;
  peer_.set({[told = gate.get_future().share()](test::Conversation&, const Received&) { told.wait(); }, &answer});
  use({"-ORBOnewayQueue", "33554432"});
  connect(plain_);
  plain_->fire();
  ASSERT_TRUE(peer_.wait_for_messages(1));
  const auto victim = with_policies(plain_, count_of(1000));
  connect(victim);
  const std::string filling(15'000, 'x');  // together more than sockets take
  for (int n = 0; n < 1000; ++n) victim->tell(filling);
  EXPECT_GT(statistics().oneway_octets_waiting, 0U);
  gate.set_value();
  EXPECT_TRUE(wait_for_requests(1001));
}

TEST_F(BufferingTest, TwoThreadsKeepTheirOwnOrder) {
  use();
  const auto victim = with_policies(plain_, count_of(7));
  constexpr int kEach = 500;
  const auto run = [&](int base) { tell(victim, base, base + kEach); };
  std::thread other(run, 10'000);
  run(20'000);
  other.join();
  EXPECT_TRUE(orb::flush_oneways(*orb_));
  std::string all = heard(2 * kEach) + ' ';
  int next[] = {10'000, 20'000};
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = all.find(' ', at);
    const int number = std::stoi(all.substr(at, end - at));
    EXPECT_EQ(number, next[number / 10'000 - 1]++);
    at = end + 1;
  }
  EXPECT_EQ(next[0] + next[1], 30'000 + 2 * kEach);
}

TEST_F(BufferingTest, AChildSendsNothingOfWhatItsParentKeptBack) {
  use();
  const auto victim = with_policies(plain_, count_of(kMany));
  tell(victim, 0, 3);
  EXPECT_TRUE(test::in_child([&] {
    try {
      (void)orb::flush_oneways(*orb_);
    } catch (const CORBA::SystemException&) {  // it says so, or does nothing
    }
    return true;
  }));
  tell(victim, 3, 4);
  EXPECT_EQ(victim->echo("?"), "done");
  EXPECT_EQ(heard(5), "0 1 2 3 echo") << "once";
}

}  // namespace
}  // namespace corbel::buffering_test
