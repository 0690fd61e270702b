// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <latch>
#include <thread>

#include "corbel/reactor/reactor.hpp"
#include "corbel/reactor/test_support.hpp"

namespace corbel::reactor {
namespace {

using base::Deadline;
using testing::make_handler;
using testing::Pair;
using namespace std::chrono_literals;

/// What other threads do must end a wait without end; each of these would hang otherwise.
class ReactorWaitTest : public ::testing::Test {
 protected:
  std::unique_ptr<Reactor> owner_ = *Reactor::create();
  Reactor& reactor_ = *owner_;
};

TEST_F(ReactorWaitTest, EndsByPostNotifyTimerTickAndStop) {
  for (int round = 0; round < 200; ++round) {
    std::atomic<int> ran = 0;
    std::thread other([&] {
      reactor_.post([&] { ran = 1; });
      while (ran < 1) std::this_thread::yield();
      reactor_.schedule_after(1us, [&] { ran = 2; });
    });
    while (ran < 2) ASSERT_TRUE(reactor_.run_once());
    other.join();
  }
  std::thread notifier([&] { reactor_.notify(); });
  EXPECT_EQ(*reactor_.run_once(), 0U);
  notifier.join();
  bool ticked = false;
  reactor_.set_tick(1ms, [&] {
    ticked = true;
    return false;
  });
  std::thread ticker([&] { reactor_.start_tick(); });
  while (!ticked) ASSERT_TRUE(reactor_.run_once());
  ticker.join();
  std::thread stopper([&] { reactor_.stop(); });
  reactor_.run();
  stopper.join();
}

TEST_F(ReactorWaitTest, ANotificationBeforeTheWaitIsNotLost) {
  reactor_.notify();
  EXPECT_EQ(*reactor_.run_once(), 0U);
}

TEST_F(ReactorWaitTest, EndsAtItsDeadline) {
  EXPECT_EQ(*reactor_.run_once(Deadline::after(5ms)), 0U);
}

TEST_F(ReactorWaitTest, HandlersMayComeAndGoFromOtherThreadsWhileItRuns) {
  std::thread loop([&] { reactor_.run(); });
  std::atomic<int> deaths = 0;
  constexpr int kRounds = 500;
  const auto churn = [&] {
    Pair pair;
    for (int i = 0; i < kRounds; ++i) {
      std::latch called(1);
      std::atomic<bool> first = true;
      auto handler = make_handler(
          [&](Events) {
            pair.drain();
            if (first.exchange(false)) called.count_down();
          },
          [&] { ++deaths; });
      ASSERT_TRUE(reactor_.add(handler, pair.ours.handle(), Events::readable, Trigger::edge));
      pair.poke();
      called.wait();
      reactor_.remove(*handler);
      while (handler->reference_count() > 1) std::this_thread::yield();  // removal wakes the loop
    }
  };
  std::thread one(churn), two(churn);
  one.join();
  two.join();
  reactor_.stop();
  loop.join();
  EXPECT_EQ(deaths, 2 * kRounds);
}

}  // namespace
}  // namespace corbel::reactor
