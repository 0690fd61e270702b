// SPDX-License-Identifier: Apache-2.0
#include "corbel/reactor/reactor.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <latch>
#include <thread>

#include "corbel/ipc/acceptor.hpp"
#include "corbel/ipc/connector.hpp"
#include "corbel/ipc/urgent.hpp"
#include "corbel/reactor/test_support.hpp"

namespace corbel::reactor {
namespace {

using base::Code;
using base::Deadline;
using testing::make_handler;
using testing::Pair;
using namespace std::chrono_literals;

class ReactorTest : public ::testing::Test {
 protected:
  std::size_t run_ready() { return *reactor_.run_once(Deadline::now()); }

  ManualClock clock_;
  std::unique_ptr<Reactor> owner_ = *Reactor::create(clock_);
  Reactor& reactor_ = *owner_;
  Pair pair_;
  int calls_ = 0;
  Events seen_ = Events::none;
  testing::HandlerPtr counter_ = make_handler([this](Events events) {
    ++calls_;
    seen_ = events;
  });
};

TEST_F(ReactorTest, LevelTriggerReportsReadinessAsLongAsItLasts) {
  ASSERT_TRUE(reactor_.add(counter_, pair_.ours.handle(), Events::readable));
  EXPECT_EQ(run_ready(), 0U);
  pair_.poke();
  EXPECT_EQ(run_ready(), 1U);
  EXPECT_EQ(run_ready(), 1U);
  EXPECT_TRUE(any(seen_, Events::readable));
  EXPECT_TRUE(pair_.drain());
  EXPECT_EQ(run_ready(), 0U);
  EXPECT_EQ(calls_, 2);
}

TEST_F(ReactorTest, OneShotTriggerReportsOnceUntilRearmed) {
  ASSERT_TRUE(reactor_.add(counter_, pair_.ours.handle(), Events::readable, Trigger::one_shot));
  pair_.poke();
  EXPECT_EQ(run_ready(), 1U);
  EXPECT_EQ(run_ready(), 0U);
  ASSERT_TRUE(reactor_.rearm(*counter_));
  EXPECT_EQ(run_ready(), 1U);
}

TEST_F(ReactorTest, EdgeTriggerReportsEachArrivalAndWhatIsThereWhenRearmed) {
  ASSERT_TRUE(reactor_.add(counter_, pair_.ours.handle(), Events::readable, Trigger::edge));
  pair_.poke();
  EXPECT_EQ(run_ready(), 1U);
  EXPECT_EQ(run_ready(), 0U);
  pair_.poke();
  EXPECT_EQ(run_ready(), 1U);
  ASSERT_TRUE(reactor_.rearm(*counter_));
  EXPECT_EQ(run_ready(), 1U);
}

TEST_F(ReactorTest, EdgesAreKnownAndEnd) {
  const Events both = Events::readable | Events::peer_closed;
  EXPECT_FALSE(Reactor::has_edges(*counter_, both));
  ASSERT_TRUE(reactor_.add(counter_, pair_.ours.handle(), both, Trigger::one_shot));
  EXPECT_FALSE(Reactor::has_edges(*counter_, both));
  reactor_.end_edges(*counter_);  // it has none
  pair_.poke();
  EXPECT_EQ(run_ready(), 1U);
  ASSERT_TRUE(reactor_.modify(*counter_, both, Trigger::edge));
  EXPECT_TRUE(Reactor::has_edges(*counter_, both));
  EXPECT_FALSE(Reactor::has_edges(*counter_, Events::readable));
  EXPECT_EQ(run_ready(), 1U);  // was there when they began
  reactor_.end_edges(*counter_);
  EXPECT_FALSE(Reactor::has_edges(*counter_, both));
  pair_.poke();
  EXPECT_EQ(run_ready(), 0U);
  ASSERT_TRUE(reactor_.modify(*counter_, both, Trigger::edge));
  EXPECT_EQ(run_ready(), 1U);
  reactor_.remove(*counter_);
  EXPECT_FALSE(Reactor::has_edges(*counter_, both));
}

TEST_F(ReactorTest, ModifyChangesTheInterest) {
  ASSERT_TRUE(reactor_.add(counter_, pair_.ours.handle(), Events::readable));
  ASSERT_TRUE(reactor_.modify(*counter_, Events::writable, Trigger::one_shot));
  EXPECT_EQ(run_ready(), 1U);
  EXPECT_EQ(seen_, Events::writable);
  EXPECT_EQ(run_ready(), 0U);
}

TEST_F(ReactorTest, ReportsThatThePeerIsGone) {
  ASSERT_TRUE(reactor_.add(counter_, pair_.ours.handle(), Events::readable | Events::peer_closed));
  pair_.theirs.close();
  EXPECT_EQ(run_ready(), 1U);
  EXPECT_TRUE(any(seen_, Events::peer_closed));
  EXPECT_TRUE(any(seen_, Events::hangup));
}

TEST_F(ReactorTest, TellsOfUrgentDataApart) {
  auto acceptor = *ipc::TcpAcceptor::open(ipc::InetAddress::loopback_v4());
  auto theirs = *ipc::TcpConnector().connect(*acceptor.local_address());
  auto ours = *acceptor.accept();
  Events seen = Events::none;
  const auto handler = testing::make_handler([&](Events events) { seen = events; });
  ASSERT_TRUE(reactor_.add(handler, ours.handle(), Events::urgent));
  ASSERT_TRUE(theirs.send_n(base::as_bytes("ordinary")));
  ASSERT_TRUE(ours.wait_readable(Deadline::after(60s)));
  EXPECT_EQ(*reactor_.run_once(Deadline::now()), 0U);
  ASSERT_TRUE(ipc::send_urgent(theirs, 'X'));
  while (seen == Events::none) ASSERT_TRUE(reactor_.run_once(Deadline::after(60s)));
  EXPECT_TRUE(any(seen, Events::urgent));
  reactor_.remove(*handler);
}

TEST_F(ReactorTest, RefusesTwoRegistrationsAndHandlesThatCannotBeWaitedFor) {
  ASSERT_TRUE(reactor_.add(counter_, pair_.ours.handle(), Events::readable));
  EXPECT_EQ(reactor_.add(counter_, pair_.theirs.handle(), Events::readable).error().code, Code::bad_argument);
  const auto other = make_handler([](Events) {});
  const ipc::Handle file(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(reactor_.add(other, file.get(), Events::readable).error().code, Code::bad_argument);
  EXPECT_EQ(reactor_.add(other, -1, Events::readable).error().code, Code::bad_argument);
  EXPECT_EQ(reactor_.add(other, pair_.ours.handle(), Events::readable).error().code, Code::bad_argument);
  EXPECT_EQ(reactor_.rearm(*other).error().code, Code::not_found);
  EXPECT_TRUE(reactor_.add(other, pair_.theirs.handle(), Events::readable));
}

TEST_F(ReactorTest, ARemovedHandlerIsNotCalledAndLivesOnlyUntilTheNextWait) {
  bool dead = false;
  auto handler = make_handler([&](Events) { ++calls_; }, [&] { dead = true; });
  ASSERT_TRUE(reactor_.add(handler, pair_.ours.handle(), Events::readable));
  pair_.poke();
  reactor_.remove(*handler);
  reactor_.remove(*handler);
  handler.reset();
  EXPECT_EQ(run_ready(), 0U);
  EXPECT_EQ(calls_, 0);
  EXPECT_TRUE(dead);
}

TEST_F(ReactorTest, AHandlerMayRemoveItselfAndAnotherOfTheSameBatch) {
  Pair other_pair;
  int deaths = 0;
  testing::HandlerPtr first, second;
  const auto remove_both = [&](Events) {
    ++calls_;
    for (auto* handler : {&first, &second}) {
      reactor_.remove(**handler);
      handler->reset();
    }
  };
  first = make_handler(remove_both, [&] { ++deaths; });
  second = make_handler(remove_both, [&] { ++deaths; });
  ASSERT_TRUE(reactor_.add(first, pair_.ours.handle(), Events::readable));
  ASSERT_TRUE(reactor_.add(second, other_pair.ours.handle(), Events::readable));
  pair_.poke();
  other_pair.poke();
  EXPECT_EQ(run_ready(), 1U);
  EXPECT_EQ(calls_, 1);
  EXPECT_EQ(run_ready(), 0U);
  EXPECT_EQ(deaths, 2);
}

TEST_F(ReactorTest, AHandlerMayBeAddedAgainAfterRemoval) {
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(reactor_.add(counter_, pair_.ours.handle(), Events::readable));
    reactor_.remove(*counter_);
  }
  EXPECT_EQ(run_ready(), 0U);
  EXPECT_EQ(counter_->reference_count(), 1U);
  ASSERT_TRUE(reactor_.add(counter_, pair_.ours.handle(), Events::readable));
  pair_.poke();
  EXPECT_EQ(run_ready(), 1U);
}

TEST_F(ReactorTest, ItsEndReleasesWhatIsStillRegistered) {
  int deaths = 0;
  const auto token = std::shared_ptr<void>(nullptr, [&](void*) { ++deaths; });
  ASSERT_TRUE(reactor_.add(make_handler([token](Events) {}), pair_.ours.handle(), Events::readable));
  reactor_.post([token] {});
  reactor_.schedule_after(1h, [token] {});
  EXPECT_EQ(token.use_count(), 4);
  owner_.reset();
  EXPECT_EQ(token.use_count(), 1);
}

TEST_F(ReactorTest, RunsTimersWhenTheirTimeHasCome) {
  std::string order;
  reactor_.schedule_after(20ms, [&] { order += 'b'; });
  reactor_.schedule_after(10ms, [&] { order += 'a'; });
  EXPECT_EQ(run_ready(), 0U);
  clock_.advance(10ms);
  EXPECT_EQ(run_ready(), 1U);
  clock_.advance(1h);
  EXPECT_EQ(run_ready(), 1U);
  EXPECT_EQ(order, "ab");
}

TEST_F(ReactorTest, CancelledTimersDoNotRun) {
  const TimerId id = reactor_.schedule_after(1ms, [&] { ++calls_; });
  EXPECT_TRUE(reactor_.cancel(id));
  EXPECT_FALSE(reactor_.cancel(id));
  TimerId second;
  reactor_.schedule_after(1ms, [&] { EXPECT_TRUE(reactor_.cancel(second)); });
  second = reactor_.schedule_after(1ms, [&] { ++calls_; });
  clock_.advance(2ms);
  EXPECT_EQ(run_ready(), 1U);
  EXPECT_EQ(calls_, 0);
}

TEST_F(ReactorTest, ATimerMayScheduleItselfWithoutStarvingOthers) {
  std::function<void()> again = [&] {
    ++calls_;
    reactor_.schedule_after(0s, again);
  };
  reactor_.schedule_after(0s, again);
  EXPECT_EQ(run_ready(), 1U);
  EXPECT_EQ(run_ready(), 1U);
  EXPECT_EQ(calls_, 2);
}

TEST_F(ReactorTest, RunsPostedFunctionsInOrderAndThoseTheyPostInTheNextRound) {
  std::string order;
  reactor_.post([&] {
    order += 'a';
    reactor_.post([&] { order += 'c'; });
  });
  reactor_.post([&] { order += 'b'; });
  EXPECT_EQ(run_ready(), 2U);
  EXPECT_EQ(order, "ab");
  EXPECT_EQ(run_ready(), 1U);
  EXPECT_EQ(order, "abc");
}

TEST_F(ReactorTest, AHandlerMayRunTheReactorItself) {
  Pair other_pair;
  int inner = 0;
  const auto nested = make_handler([&](Events) {
    ++calls_;
    pair_.drain();
    other_pair.poke();
    while (inner == 0) (void)reactor_.run_once();
  });
  const auto other = make_handler([&](Events) {
    ++inner;
    other_pair.drain();
  });
  ASSERT_TRUE(reactor_.add(nested, pair_.ours.handle(), Events::readable));
  ASSERT_TRUE(reactor_.add(other, other_pair.ours.handle(), Events::readable));
  pair_.poke();
  EXPECT_EQ(run_ready(), 1U);
  EXPECT_EQ(calls_, 1);
  EXPECT_EQ(inner, 1);
}

TEST_F(ReactorTest, TellsWhetherWorkIsPendingWithoutDoingIt) {
  EXPECT_FALSE(reactor_.work_pending());
  reactor_.post([&] { ++calls_; });
  EXPECT_TRUE(reactor_.work_pending());
  EXPECT_TRUE(reactor_.work_pending());
  EXPECT_EQ(calls_, 0);
  EXPECT_EQ(run_ready(), 1U);
  EXPECT_FALSE(reactor_.work_pending());
  reactor_.schedule_after(1ms, [] {});
  EXPECT_FALSE(reactor_.work_pending());
  clock_.advance(1ms);
  EXPECT_TRUE(reactor_.work_pending());
  EXPECT_EQ(run_ready(), 1U);
  ASSERT_TRUE(reactor_.add(counter_, pair_.ours.handle(), Events::readable));
  EXPECT_FALSE(reactor_.work_pending());
  pair_.poke();
  EXPECT_TRUE(reactor_.work_pending());
  EXPECT_EQ(run_ready(), 1U);
}

TEST_F(ReactorTest, TicksOnlyWhileWanted) {
  bool wanted = true;
  reactor_.set_tick(10ms, [&] {
    ++calls_;
    return wanted;
  });
  clock_.advance(1h);
  run_ready();
  EXPECT_EQ(calls_, 0);
  reactor_.start_tick();
  run_ready();
  EXPECT_EQ(calls_, 0);  // one interval after the start, not before
  for (int i = 1; i <= 3; ++i) {
    clock_.advance(10ms);
    run_ready();
    run_ready();
    EXPECT_EQ(calls_, i);
  }
  wanted = false;
  clock_.advance(10ms);
  run_ready();
  EXPECT_EQ(calls_, 4);
  clock_.advance(1h);
  run_ready();
  EXPECT_EQ(calls_, 4);
  reactor_.start_tick();
  run_ready();
  clock_.advance(10ms);
  run_ready();
  EXPECT_EQ(calls_, 5);
}

TEST_F(ReactorTest, DispatchesAllThatIsReadyAtOnceAndCountsIt) {
  Pair other;
  ASSERT_TRUE(reactor_.add(counter_, pair_.ours.handle(), Events::readable));
  int others = 0;
  const auto second = make_handler([&](Events) { ++others; });
  ASSERT_TRUE(reactor_.add(second, other.ours.handle(), Events::readable));
  reactor_.schedule_after(1ms, [&] { ++others; });
  reactor_.post([&] { ++others; });
  pair_.poke();
  other.poke();
  clock_.advance(1ms);
  EXPECT_EQ(run_ready(), 4U);
  EXPECT_EQ(calls_, 1);
  EXPECT_EQ(others, 3);
}

TEST_F(ReactorTest, DispatchesNothingMoreOnceItIsStopped) {
  reactor_.post([&] {
    ++calls_;
    reactor_.stop();
  });
  reactor_.post([&] { ++calls_; });
  (void)reactor_.run_once(Deadline::now());
  EXPECT_EQ(calls_, 1);
}

// A tick that is wanted during the look, which finds nothing, is not forgotten.
TEST_F(ReactorTest, ATickWantedDuringTheLookGoesOn) {
  int looks = 0;
  reactor_.set_tick(1ms, [&] {
    if (++looks == 1) reactor_.start_tick();
    return false;
  });
  reactor_.start_tick();
  for (int i = 0; i < 10; ++i) {
    (void)run_ready();
    clock_.advance(1ms);
  }
  EXPECT_EQ(looks, 2);
}

TEST_F(ReactorTest, StopEndsItForGood) {
  reactor_.post([&] { ++calls_; });
  reactor_.stop();
  EXPECT_EQ(reactor_.run_once().error().code, Code::cancelled);
  reactor_.run();
  EXPECT_FALSE(reactor_.work_pending());
  EXPECT_EQ(calls_, 0);
}

}  // namespace
}  // namespace corbel::reactor
