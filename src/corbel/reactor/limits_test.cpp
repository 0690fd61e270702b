// SPDX-License-Identifier: Apache-2.0
// What must stop, and what must not: ticks, batches, waits, and the pool's turns.
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>

#include <semaphore>
#include <thread>
#include <utility>

#include "corbel/reactor/test_support.hpp"
#include "corbel/reactor/thread_pool.hpp"

namespace corbel::reactor {
namespace {

using base::Code;
using base::Deadline;
using testing::make_handler;
using testing::Pair;
using namespace std::chrono_literals;
using Signal = std::counting_semaphore<>;

constexpr auto kPatience = 20s;

TEST(ReactorLimits, ATickThatSaysSoStops) {
  ManualClock clock;
  auto reactor = *Reactor::create(clock);
  int looks = 0;
  reactor->set_tick(1s, [&] {
    ++looks;
    return looks % 2 == 1;  // goes on once
  });
  reactor->start_tick();
  for (int i = 0; i < 6; ++i) {
    (void)reactor->run_once(Deadline::now());
    clock.advance(2s);
  }
  EXPECT_EQ(looks, 2);
}

TEST(ReactorLimits, WhatIsLeftOfABatchIsNotDispatchedAfterStop) {
  auto reactor = *Reactor::create();
  int calls = 0;
  Pair pairs[2];
  for (Pair& pair : pairs) {
    pair.poke();
    ASSERT_TRUE(reactor->add(make_handler([&](Events) {
                               ++calls;
                               reactor->stop();
                             }),
                             pair.ours.handle(), Events::readable));
  }
  EXPECT_EQ(*reactor->run_once(Deadline::now()), 1U);
  EXPECT_EQ(calls, 1);
  EXPECT_FALSE(reactor->work_pending());
}

TEST(ReactorLimits, ATimerEndsALongerWait) {
  auto reactor = *Reactor::create();
  bool called = false;
  reactor->schedule_after(1ms, [&] { called = true; });
  const auto begin = std::chrono::steady_clock::now();
  while (!called) ASSERT_TRUE(reactor->run_once(Deadline::after(kPatience)));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, kPatience);
}

TEST(ReactorLimits, WhatIsNotRegisteredCannotBeChanged) {
  auto reactor = *Reactor::create();
  const auto handler = make_handler([](Events) {});
  const auto changed = reactor->modify(*handler, Events::writable, Trigger::level);
  ASSERT_FALSE(changed);
  EXPECT_EQ(changed.error().code, Code::not_found);
}

TEST(ReactorLimits, ASignalEndsAWaitAndNotTheReactor) {
  struct sigaction action {};
  action.sa_handler = [](int) {};
  struct sigaction before {};
  sigaction(SIGUSR2, &action, &before);
  auto reactor = *Reactor::create();
  std::atomic<bool> ended = false;
  bool good = false;
  std::thread waiting([&] {
    good = reactor->run_once().ok();
    ended = true;
  });
  while (!ended) {  // the first may come before the wait
    pthread_kill(waiting.native_handle(), SIGUSR2);
    std::this_thread::yield();
  }
  waiting.join();
  sigaction(SIGUSR2, &before, nullptr);
  EXPECT_TRUE(good);
}

class PoolLimits : public ::testing::Test {
 protected:
  /// Calls `then` each time the pair is poked.
  void watch(Pair& pair, std::function<void()> then, Promotion promotion = Promotion::before_dispatch) {
    ASSERT_TRUE(reactor_->add(make_handler([&pair, then = std::move(then)](Events) {
                                while (pair.drain()) {
                                }
                                then();
                              }),
                              pair.ours.handle(), Events::readable, Trigger::edge, promotion));
  }
  static void wait_for_idle(const ThreadPool& pool, unsigned count) {
    while (pool.idle_count() != count) std::this_thread::yield();
  }

  std::unique_ptr<Reactor> reactor_ = *Reactor::create();
};

TEST_F(PoolLimits, WhoFollowedTakesTheTurnWhenSomebodyHasBorrowedIt) {
  Pair pair;  // tells of its end, which a thread of the pool might hear
  std::atomic<bool> done = false;
  ThreadPool pool(*reactor_, {.min_threads = 0});
  watch(
      pair, [&] { done = true; }, Promotion::by_handler);
  base::Status status;
  std::thread joined;
  ASSERT_TRUE(pool.try_lead([&] {
    joined = std::thread([&] { status = pool.join_until([&] { return done.load(); }, Deadline::after(kPatience)); });
    wait_for_idle(pool, 1);
  }));
  pair.poke();
  joined.join();
  EXPECT_TRUE(status);
}

TEST_F(PoolLimits, WhoLeavesGivesTheTurnOn) {
  ThreadPool pool(*reactor_, {.min_threads = 0});
  Pair first;
  Pair second;
  std::atomic<bool> one = false;
  std::atomic<bool> other = false;
  watch(
      first, [&] { one = true; }, Promotion::by_handler);
  watch(
      second, [&] { other = true; }, Promotion::by_handler);
  base::Status status;
  Signal leads(0);
  std::thread leader([&] {
    (void)pool.join_until([&] {
      leads.release();
      return one.load();
    });
  });
  leads.acquire();
  std::thread follower([&] { status = pool.join_until([&] { return other.load(); }, Deadline::after(kPatience)); });
  wait_for_idle(pool, 1);
  first.poke();
  leader.join();
  second.poke();
  follower.join();
  EXPECT_TRUE(status);
}

TEST_F(PoolLimits, ATurnThatWasTakenIsGivenAgain) {
  ThreadPool pool(*reactor_, {.min_threads = 2, .max_threads = 2, .idle_timeout = 1h});
  ASSERT_TRUE(pool.start());
  Pair quick;
  Pair blocking;
  Signal called(0);
  Signal in(0);
  Signal let_go(0);
  watch(quick, [&] { called.release(); });
  watch(blocking, [&] {
    in.release();
    let_go.acquire();
  });
  wait_for_idle(pool, 1);
  quick.poke();
  ASSERT_TRUE(called.try_acquire_for(kPatience));
  wait_for_idle(pool, 1);
  blocking.poke();
  ASSERT_TRUE(in.try_acquire_for(kPatience));
  quick.poke();
  EXPECT_TRUE(called.try_acquire_for(kPatience));
  let_go.release();
  pool.stop();
  EXPECT_TRUE(pool.join());
}

TEST_F(PoolLimits, TheLeastThreadsStayHoweverLongTheyAreIdle) {
  ThreadPool pool(*reactor_, {.min_threads = 3, .max_threads = 3, .idle_timeout = 1ms});
  ASSERT_TRUE(pool.start());
  wait_for_idle(pool, 2);
  Signal rung(0);
  reactor_->schedule_after(50ms, [&] { rung.release(); });
  ASSERT_TRUE(rung.try_acquire_for(kPatience));
  EXPECT_EQ(pool.thread_count(), 3U);
  pool.stop();
  EXPECT_TRUE(pool.join());
}

TEST_F(PoolLimits, WhoEndsForIdlenessIsIdleNoLonger) {
  ThreadPool pool(*reactor_, {.min_threads = 1, .max_threads = 4, .idle_timeout = 1ms});
  ASSERT_TRUE(pool.start());
  Pair pairs[3];
  Signal in(0);
  Signal let_go(0);
  for (Pair& pair : pairs) {
    watch(pair, [&] {
      in.release();
      let_go.acquire();
    });
    pair.poke();
  }
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(in.try_acquire_for(kPatience));
  let_go.release(3);
  while (pool.thread_count() != 1) std::this_thread::yield();
  EXPECT_EQ(pool.idle_count(), 0U);
  pool.stop();
  EXPECT_TRUE(pool.join());
}

// The calling thread is one of those, whether the pool has counted it already or not.
TEST_F(PoolLimits, AThreadIsSpareIfOneMoreMayBeInAHandler) {
  for (const unsigned most : {1U, 2U}) {
    for (const Promotion promotion : {Promotion::before_dispatch, Promotion::by_handler}) {
      const auto reactor = std::exchange(reactor_, *Reactor::create());
      Pair pair;
      bool spare = false;
      bool done = false;
      ThreadPool pool(*reactor_, {.min_threads = 0, .max_threads = most});
      watch(
          pair,
          [&] {
            spare = pool.has_spare_thread();
            done = true;
          },
          promotion);
      pair.poke();
      ASSERT_TRUE(pool.join_until([&] { return done; }, Deadline::after(kPatience)));
      EXPECT_EQ(spare, most == 2) << most;
      pool.stop();
    }
  }
}

TEST_F(PoolLimits, WhoIsCalledAwayIsSoUntilTheLastHasLeft) {
  ThreadPool pool(*reactor_, {.min_threads = 0});
  pool.call_away();
  EXPECT_FALSE(pool.starving()) << "there is no thread to call";
  const auto once = [](auto then) {
    return [then, asked = false]() mutable {
      if (!std::exchange(asked, true)) then();
      return true;
    };
  };
  auto inner = once([&] { pool.call_away(); });
  auto outer = once([&] {
    ASSERT_TRUE(pool.join_until(inner));
    EXPECT_TRUE(pool.called_away());
  });
  ASSERT_TRUE(pool.join_until(outer));
  EXPECT_FALSE(pool.starving());
  EXPECT_FALSE(pool.called_away());
}

}  // namespace
}  // namespace corbel::reactor
