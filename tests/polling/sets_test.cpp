// SPDX-License-Identifier: Apache-2.0
// Pollable sets: waiting for whichever reply comes first (CORBA 3.3 part 1, 7.4.1.2, 7.4.3).
#include <set>

#include "corbel/corba/poll_signal.hpp"

#include "support.hpp"

namespace corbel::polling_test {
namespace {

using NoPossiblePollable = CORBA::PollableSet::NoPossiblePollable;
using UnknownPollable = CORBA::PollableSet::UnknownPollable;

class Sets : public testing::TestWithParam<std::string> {};

TEST_P(Sets, GiveWhateverIsReady) {
  World world(GetParam());
  for (const auto& object : {world.echo, world.local}) {
    const Poller first = object->sendp_echo("0");
    const PollableSet set = first->create_pollable_set();
    EXPECT_EQ(set->number_left(), 1U) << "it holds what made it";
    for (int i = 1; i < 20; ++i) set->add_pollable(object->sendp_echo(std::to_string(i)));
    EXPECT_EQ(set->number_left(), 20U);
    std::set<std::string> texts;
    for (int left = 20; left > 0; --left) {
      const Pollable ready = set->get_ready_pollable(kPatience);
      EXPECT_EQ(set->number_left(), left - 1);
      EXPECT_TRUE(ready->is_ready(0));
      std::string text;
      IDL::traits<Async::AMI_PeerPoller>::narrow(ready)->echo(0, text);
      texts.insert(text);
    }
    EXPECT_EQ(texts.size(), 20U);
    EXPECT_THROW((void)set->get_ready_pollable(0), NoPossiblePollable);
    EXPECT_THROW((void)set->get_ready_pollable(kForEver), NoPossiblePollable);
  }
}

TEST_P(Sets, GiveTheOneOfManyThatIsReady) {
  World world(GetParam());
  const Poller held = world.echo->sendp_wait();
  const PollableSet set = held->create_pollable_set();
  EXPECT_EQ(minor_of<CORBA::NO_RESPONSE>([&] { (void)set->get_ready_pollable(0); }), 1U);
  EXPECT_EQ(minor_of<CORBA::TIMEOUT>([&] { (void)set->get_ready_pollable(1); }), 1U);
  const Poller quick = world.local->sendp_nothing();
  set->add_pollable(quick);
  EXPECT_EQ(set->get_ready_pollable(kPatience), quick);
  std::thread later([&] {
    world.servant->await_waiting(1);
    world.servant->release();
  });
  EXPECT_EQ(set->get_ready_pollable(kForEver), held);
  later.join();
}

INSTANTIATE_TEST_SUITE_P(All, Sets, testing::ValuesIn(async_test::all_endpoints()));

TEST(Set, WaitsForSeveralConnectionsAtOnce) {
  World slow;
  const OtherServer quick("unix://");
  const PollableSet set = slow.echo->sendp_wait()->create_pollable_set();
  const Poller other = quick.seen_by(slow)->sendp_wait();
  set->add_pollable(other);
  std::thread later([&] { quick.servant->release(); });
  EXPECT_EQ(set->get_ready_pollable(kForEver), other);
  later.join();
}

// 7.4.3.2: BAD_PARAM minor 43.
TEST(Set, HasNoPollableOfAnotherSet) {
  World world;
  const Poller poller = world.echo->sendp_wait();
  const PollableSet set = poller->create_pollable_set();
  EXPECT_EQ(minor_of<CORBA::BAD_PARAM>([&] { set->add_pollable(poller); }), 43U);
  EXPECT_EQ(minor_of<CORBA::BAD_PARAM>([&] { (void)poller->create_pollable_set(); }), 43U);
  EXPECT_THROW(set->add_pollable(nullptr), CORBA::BAD_PARAM);
  EXPECT_EQ(set->number_left(), 1U);
  set->remove(poller);
  EXPECT_EQ(poller->create_pollable_set()->number_left(), 1U) << "that set has gone, and with it what it held";
  set->add_pollable(poller);
  EXPECT_EQ(set->number_left(), 1U);
  world.servant->release();
  EXPECT_EQ(set->get_ready_pollable(kForEver), poller);
  const PollableSet another = poller->create_pollable_set();
  EXPECT_EQ(another->get_ready_pollable(0), poller) << "what a set has given is in none";
}

// 7.4.3.4.
TEST(Set, RemovesOnlyWhatItHas) {
  World world;
  const Poller one = world.echo->sendp_wait();
  const Poller two = world.echo->sendp_wait();
  const PollableSet set = one->create_pollable_set();
  EXPECT_THROW(set->remove(two), UnknownPollable);
  EXPECT_THROW(set->remove(nullptr), CORBA::BAD_PARAM);
  set->remove(one);
  EXPECT_THROW(set->remove(one), UnknownPollable);
  EXPECT_THROW((void)set->get_ready_pollable(kForEver), NoPossiblePollable);
}

TEST(Set, ForgetsWhatOthersHaveTaken) {
  World world;
  const Poller taken = world.echo->sendp_nothing();
  const PollableSet set = taken->create_pollable_set();
  taken->nothing(kForEver);
  EXPECT_EQ(set->number_left(), 0U);
  EXPECT_THROW((void)set->get_ready_pollable(kForEver), NoPossiblePollable);
  EXPECT_EQ(minor_of<CORBA::OBJECT_NOT_EXIST>([&] { set->add_pollable(taken); }), 5U);
}

TEST(Set, ThatThreadsWaitForTellsThemWhenTheLastHasGone) {
  World world;
  const Poller poller = world.echo->sendp_wait();
  const PollableSet set = poller->create_pollable_set();
  std::atomic<int> told{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      EXPECT_THROW((void)set->get_ready_pollable(kForEver), NoPossiblePollable);
      ++told;
    });
  }
  world.servant->await_waiting(1);
  set->remove(poller);
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(told, 3);
}

TEST(Set, GivesEachToOneOfManyThreads) {
  World world;
  const Poller first = world.echo->sendp_echo("first");
  const PollableSet set = first->create_pollable_set();
  std::vector<Poller> pollers{first};
  for (int i = 1; i < 400; ++i) {
    pollers.push_back(world.echo->sendp_echo(std::to_string(i)));
    set->add_pollable(pollers.back());
  }
  std::atomic<int> had{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      try {
        for (;;) {
          std::string text;
          IDL::traits<Async::AMI_PeerPoller>::narrow(set->get_ready_pollable(kForEver))->echo(0, text);
          ++had;
        }
      } catch (const NoPossiblePollable&) {
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(had, 400);
}

// Two threads of the ORB finish calls out of order while a thread looks at a number that has left the set.
TEST(Set, ForgetsNoneThatIsToldOfMeanwhile) {
  corbel::corba::PollSignal signal;
  signal.notify(7);
  const std::uint64_t seen = signal.first_over();
  signal.notify(3);
  signal.drop_first(seen);
  EXPECT_EQ(signal.first_over(), 3U);
  signal.drop_first(3);
  EXPECT_EQ(signal.first_over(), 7U);
  signal.drop_first(7);
  signal.drop_first(7);
  EXPECT_EQ(signal.first_over(), 0U);
}

// What is added while a thread waits counts for it.
TEST(Set, MayBeAddedToWhileAThreadWaits) {
  World world;
  const Poller held = world.echo->sendp_wait();
  const PollableSet set = held->create_pollable_set();
  Pollable ready;
  std::thread waits([&] { ready = set->get_ready_pollable(kForEver); });
  world.servant->await_waiting(1);
  const Poller quick = world.echo->sendp_nothing();
  set->add_pollable(quick);
  waits.join();
  EXPECT_EQ(ready, quick);
}

TEST(Set, MayGoBeforeWhatIsInIt) {
  World world;
  const Poller poller = world.echo->sendp_wait();
  PollableSet set = poller->create_pollable_set();
  set.reset();
  world.servant->release();
  poller->wait(kForEver);
}

TEST(Set, IsLocal) {
  World world;
  EXPECT_TRUE(world.echo->sendp_nothing()->create_pollable_set()->_is_local());
}

}  // namespace
}  // namespace corbel::polling_test
