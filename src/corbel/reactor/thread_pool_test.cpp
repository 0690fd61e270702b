// SPDX-License-Identifier: Apache-2.0
#include "corbel/reactor/thread_pool.hpp"

#include <gtest/gtest.h>

#include <latch>
#include <memory>
#include <vector>

#include "corbel/reactor/test_support.hpp"

namespace corbel::reactor {
namespace {

using base::Code;
using base::Deadline;
using testing::make_handler;
using testing::Pair;
using namespace std::chrono_literals;

class ThreadPoolTest : public ::testing::Test {
 protected:
  /// Watches ours of a pair in the mode of pools: drain, rearm, call.
  testing::HandlerPtr watch(Pair& pair, std::function<void()> then, Promotion promotion = Promotion::before_dispatch) {
    auto self = std::make_shared<EventHandler*>(nullptr);
    auto handler = make_handler([this, &pair, self, then = std::move(then)](Events) {
      while (pair.drain()) {
      }
      then();
      (void)reactor_.rearm(**self);
    });
    *self = handler.get();
    EXPECT_TRUE(reactor_.add(handler, pair.ours.handle(), Events::readable, Trigger::one_shot, promotion));
    return handler;
  }

  /// Before what the handlers use goes: no thread is in a handler any more.
  static void finish(ThreadPool& pool) {
    pool.stop();
    pool.join();
  }

  std::unique_ptr<Reactor> owner_ = *Reactor::create();
  Reactor& reactor_ = *owner_;
};

TEST_F(ThreadPoolTest, WhenAskedToLeadsWhileAllThreadsAreInHandlers) {
  for (const bool joined : {false, true}) {
    const auto owner = *Reactor::create();
    ThreadPoolOptions options;
    options.max_threads = 1;
    ThreadPool pool(*owner, options);
    ASSERT_TRUE(pool.start());
    std::thread another;
    if (joined) another = std::thread([&] { pool.run(); });
    std::latch inside(1);
    std::latch go(1);
    owner->post([&] {
      inside.count_down();
      go.wait();
    });
    inside.wait();
    std::latch looked(1);
    owner->schedule_after(1ms, [&] { looked.count_down(); });
    pool.lead_always();
    looked.wait();
    go.count_down();
    finish(pool);
    if (joined) another.join();
  }
}

TEST_F(ThreadPoolTest, RunsHandlersOnItsThreads) {
  ThreadPool pool(reactor_);
  ASSERT_TRUE(pool.start());
  std::latch called(1);
  Pair pair;
  const auto self = std::this_thread::get_id();
  watch(pair, [&] {
    EXPECT_NE(std::this_thread::get_id(), self);
    called.count_down();
  });
  pair.poke();
  called.wait();
  finish(pool);
}

TEST_F(ThreadPoolTest, BlockedHandlersDoNotKeepOthersWaiting) {
  ThreadPool pool(reactor_, {.min_threads = 1, .max_threads = 8, .idle_timeout = 10s});
  ASSERT_TRUE(pool.start());
  constexpr int kBlocked = 7;
  std::latch all_in(kBlocked), let_go(1), last(1);
  std::vector<Pair> pairs(kBlocked);
  for (Pair& pair : pairs) {
    watch(pair, [&] {
      all_in.count_down();
      let_go.wait();
    });
    pair.poke();
  }
  all_in.wait();
  Pair another;
  watch(another, [&] { last.count_down(); });
  another.poke();
  last.wait();
  EXPECT_EQ(pool.thread_count(), 8U);
  let_go.count_down();
  finish(pool);
}

TEST_F(ThreadPoolTest, NeverExceedsItsLimitAndGoesOnWhenAHandlerReturns) {
  ThreadPool pool(reactor_, {.min_threads = 2, .max_threads = 2, .idle_timeout = 10s});
  ASSERT_TRUE(pool.start());
  std::latch both_in(2), let_go(1), third(1);
  std::atomic<bool> released = false;
  std::vector<Pair> pairs(2);
  for (Pair& pair : pairs) {
    watch(pair, [&] {
      both_in.count_down();
      let_go.wait();
    });
    pair.poke();
  }
  both_in.wait();
  Pair another;
  watch(another, [&] {
    EXPECT_TRUE(released);
    third.count_down();
  });
  another.poke();
  EXPECT_EQ(pool.thread_count(), 2U);
  released = true;
  let_go.count_down();
  third.wait();
  finish(pool);
}

TEST_F(ThreadPoolTest, IdleThreadsAboveTheMinimumEnd) {
  ThreadPool pool(reactor_, {.min_threads = 1, .max_threads = 4, .idle_timeout = 1ms});
  ASSERT_TRUE(pool.start());
  std::latch all_in(3), let_go(1);
  std::vector<Pair> pairs(3);
  for (Pair& pair : pairs) {
    watch(pair, [&] {
      all_in.count_down();
      let_go.wait();
    });
    pair.poke();
  }
  all_in.wait();
  EXPECT_GT(pool.thread_count(), 1U);
  let_go.count_down();
  while (pool.thread_count() > 1) std::this_thread::yield();
  std::latch again(1);
  reactor_.post([&] { again.count_down(); });
  again.wait();
  finish(pool);
}

TEST_F(ThreadPoolTest, AHandlerThatPromotesItselfRunsAsLeaderUntilThen) {
  ThreadPool pool(reactor_, {.min_threads = 2, .max_threads = 2, .idle_timeout = 10s});
  ASSERT_TRUE(pool.start());
  while (pool.idle_count() != 1) std::this_thread::yield();
  std::latch other_ran(1), done(1);
  Pair pair;
  watch(
      pair,
      [&] {
        EXPECT_EQ(pool.idle_count(), 1U);  // no thread was woken
        reactor_.post([&] { other_ran.count_down(); });
        ThreadPool::promote_follower();
        ThreadPool::promote_follower();  // no longer leader: nothing to give
        other_ran.wait();                // needs another leader
        done.count_down();
      },
      Promotion::by_handler);
  pair.poke();
  done.wait();
  finish(pool);
}

TEST_F(ThreadPoolTest, TheApplicationsThreadMayBeItsOnlyThread) {
  ThreadPool pool(reactor_, {.min_threads = 0, .max_threads = 0, .idle_timeout = 10s});
  ASSERT_TRUE(pool.start());
  const auto self = std::this_thread::get_id();
  Pair pair;
  watch(pair, [&] {
    EXPECT_EQ(std::this_thread::get_id(), self);
    pool.stop();
  });
  pair.poke();
  pool.run();
  EXPECT_EQ(pool.thread_count(), 0U);
}

TEST_F(ThreadPoolTest, JoinUntilReturnsWhenItsConditionHolds) {
  ThreadPool pool(reactor_, {.min_threads = 2, .max_threads = 4, .idle_timeout = 10s});
  ASSERT_TRUE(pool.start());
  for (int round = 0; round < 300; ++round) {
    std::atomic<bool> done = false;
    std::thread setter([&] {
      done = true;
      pool.notify();
    });
    EXPECT_TRUE(pool.join_until([&] { return done.load(); }));
    setter.join();
  }
  finish(pool);
}

TEST_F(ThreadPoolTest, JoinUntilGivesUpAtItsDeadlineAndWhenStopped) {
  ThreadPool pool(reactor_);
  ASSERT_TRUE(pool.start());
  const auto never = [] { return false; };
  EXPECT_EQ(pool.join_until(never, Deadline::now()).error().code, Code::timed_out);
  EXPECT_EQ(pool.join_until(never, Deadline::after(5ms)).error().code, Code::timed_out);
  std::thread stopper([&] { pool.stop(); });
  EXPECT_EQ(pool.join_until(never).error().code, Code::cancelled);
  stopper.join();
  finish(pool);
}

TEST_F(ThreadPoolTest, AHandlerMayWorkForThePoolWhileItWaits) {
  ThreadPool pool(reactor_, {.min_threads = 1, .max_threads = 1, .idle_timeout = 10s});
  ASSERT_TRUE(pool.start());
  std::latch done(1);
  Pair outer, inner;
  std::atomic<bool> inner_ran = false;
  watch(outer, [&] {
    inner.poke();
    EXPECT_TRUE(pool.join_until([&] { return inner_ran.load(); }));  // on the pool's only thread
    done.count_down();
  });
  watch(inner, [&] { inner_ran = true; });
  outer.poke();
  done.wait();
  finish(pool);
}

TEST_F(ThreadPoolTest, StoppingTheReactorEndsThePool) {
  ThreadPool pool(reactor_, {.min_threads = 3, .max_threads = 3, .idle_timeout = 10s});
  ASSERT_TRUE(pool.start());
  reactor_.stop();
  pool.run();
  pool.join();
  EXPECT_EQ(pool.thread_count(), 0U);
}

TEST_F(ThreadPoolTest, MayBeStoppedFromAHandler) {
  ThreadPool pool(reactor_, {.min_threads = 2, .max_threads = 4, .idle_timeout = 10s});
  ASSERT_TRUE(pool.start());
  reactor_.post([&] { pool.stop(); });
  pool.run();
  pool.join();
}

TEST_F(ThreadPoolTest, TicksWhileAHandlerIsStuck) {
  ThreadPool pool(reactor_, {.min_threads = 1, .max_threads = 2, .idle_timeout = 10s});
  std::latch ticked(3);
  std::atomic<int> ticks = 0;
  reactor_.set_tick(1ms, [&] {
    if (ticks < 3) ticked.count_down();
    return ++ticks < 3;
  });
  ASSERT_TRUE(pool.start());
  std::latch done(1);
  Pair pair;
  watch(pair, [&] {
    reactor_.start_tick();
    ticked.wait();
    done.count_down();
  });
  pair.poke();
  done.wait();
  finish(pool);
}

// The limit is for handlers, whichever thread runs them.
TEST_F(ThreadPoolTest, ItsLimitCountsTheApplicationsThreadsToo) {
  for (const unsigned most : {1U, 2U}) {
    const auto owner = *Reactor::create();
    ThreadPool pool(*owner, {.min_threads = most, .max_threads = most, .idle_timeout = 10s});
    ASSERT_TRUE(pool.start());
    std::vector<std::thread> joined;
    for (int i = 0; i < 3; ++i) joined.emplace_back([&] { pool.run(); });
    std::atomic<unsigned> inside = 0, largest = 0, done = 0;
    for (int i = 0; i < 200; ++i) {
      owner->post([&] {
        const unsigned now = ++inside;
        for (unsigned seen = largest; now > seen && !largest.compare_exchange_weak(seen, now);) {
        }
        for (int k = 0; k < 50; ++k) std::this_thread::yield();
        --inside;
        ++done;
      });
    }
    while (done < 200) std::this_thread::yield();
    EXPECT_LE(largest, most);
    finish(pool);
    for (auto& thread : joined) thread.join();
  }
}

TEST_F(ThreadPoolTest, TellsThatNobodyWaitsBecauseAsManyRunAsMay) {
  ThreadPool pool(reactor_, {.min_threads = 1, .max_threads = 1, .idle_timeout = 10s});
  ASSERT_TRUE(pool.start());
  EXPECT_FALSE(pool.starving());
  std::latch entered(1), let_go(1), after(1);
  reactor_.post([&] {
    entered.count_down();
    let_go.wait();
  });
  entered.wait();
  EXPECT_TRUE(pool.starving());
  reactor_.post([&] { after.count_down(); });
  let_go.count_down();
  after.wait();
  finish(pool);
}

TEST_F(ThreadPoolTest, WhoLedOnlyForAMomentWakesWhoWaitsForThat) {
  ThreadPool pool(reactor_, {.min_threads = 0, .max_threads = 1, .idle_timeout = 10s});
  std::thread follower;
  EXPECT_TRUE(pool.try_lead([&] {
    follower = std::thread([&] { pool.run(); });
    while (pool.idle_count() == 0) std::this_thread::yield();
  }));
  std::latch called(1);
  reactor_.post([&] { called.count_down(); });
  called.wait();
  finish(pool);
  follower.join();
}

TEST_F(ThreadPoolTest, WhoLeavesThePoolLeavesItToWhoWaits) {
  ThreadPool pool(reactor_, {.min_threads = 0, .max_threads = 1, .idle_timeout = 10s});
  std::atomic<bool> enough = false;
  std::atomic<bool> leads = false;
  std::thread first([&] {
    EXPECT_TRUE(pool.join_until([&] {
      leads = true;
      return enough.load();
    }));
  });
  while (!leads) std::this_thread::yield();
  std::thread second([&] { pool.run(); });
  while (pool.idle_count() == 0) std::this_thread::yield();
  enough = true;
  pool.notify();
  first.join();
  std::latch called(1);
  reactor_.post([&] { called.count_down(); });
  called.wait();
  finish(pool);
  second.join();
}

TEST_F(ThreadPoolTest, JoiningGivesUpAtItsDeadline) {
  ThreadPool pool(reactor_, {.min_threads = 1, .max_threads = 2, .idle_timeout = 10s});
  ASSERT_TRUE(pool.start());
  std::latch entered(1), let_go(1);
  reactor_.post([&] {
    entered.count_down();
    let_go.wait();
  });
  entered.wait();
  pool.stop();
  EXPECT_FALSE(pool.join(Deadline::after(5ms)));
  let_go.count_down();
  EXPECT_TRUE(pool.join());
}

TEST_F(ThreadPoolTest, ServesManyHandlesFromManyThreadsWithoutLosingAnEvent) {
  constexpr int kPairs = 16, kRounds = 200;
  std::vector<Pair> pairs(kPairs);
  ThreadPool pool(reactor_, {.min_threads = 2, .max_threads = 6, .idle_timeout = 1ms});
  ASSERT_TRUE(pool.start());
  for (Pair& pair : pairs) {
    watch(pair, [&pair] { EXPECT_TRUE(pair.ours.send_n(base::as_bytes("y"))); });
  }
  const auto client = [&](int first) {
    base::Octet room[1];
    for (int round = 0; round < kRounds; ++round) {
      for (int i = first; i < first + kPairs / 2; ++i) pairs[static_cast<std::size_t>(i)].poke();
      for (int i = first; i < first + kPairs / 2; ++i) {
        ASSERT_TRUE(pairs[static_cast<std::size_t>(i)].theirs.recv_n(room, Deadline::after(60s)));
      }
    }
  };
  std::thread one(client, 0), two(client, kPairs / 2);
  one.join();
  two.join();
  finish(pool);
}

}  // namespace
}  // namespace corbel::reactor
