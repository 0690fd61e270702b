// SPDX-License-Identifier: Apache-2.0
// Threads that are not the pool's, and count among its handlers nevertheless.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <latch>
#include <memory>
#include <thread>
#include <vector>

#include "corbel/reactor/test_support.hpp"
#include "corbel/reactor/thread_pool.hpp"

namespace corbel::reactor {
namespace {

using namespace std::chrono_literals;

class PlacesTest : public ::testing::Test {
 protected:
  static ThreadPoolOptions most(unsigned threads) {
    return {.min_threads = 1, .max_threads = threads, .idle_timeout = 10s};
  }
  /// A thread of the pool waits on the reactor.
  static void await_leader(ThreadPool& pool) {
    while (pool.try_lead([] {})) std::this_thread::yield();
  }
  static void finish(ThreadPool& pool) {
    pool.stop();
    EXPECT_TRUE(pool.join());
  }

  std::unique_ptr<Reactor> owner_ = *Reactor::create();
  Reactor& reactor_ = *owner_;
};

TEST_F(PlacesTest, AndHandlersAreTogetherNeverMoreThanMayBe) {
  for (const unsigned most_busy : {1U, 2U, 3U}) {
    const auto owner = *Reactor::create();
    ThreadPool pool(*owner, most(most_busy));
    ASSERT_TRUE(pool.start());
    std::atomic<unsigned> inside = 0, largest = 0, handled = 0, placed = 0;
    const auto run = [&](std::atomic<unsigned>& count) {
      const unsigned now = ++inside;
      for (unsigned seen = largest; now > seen && !largest.compare_exchange_weak(seen, now);) {
      }
      for (int i = 0; i < 20; ++i) std::this_thread::yield();
      --inside;
      ++count;
    };
    std::vector<std::thread> others;
    for (int t = 0; t < 3; ++t) {
      others.emplace_back([&] {
        for (int i = 0; i < 100; ++i) {
          const ThreadPool::Place place(pool);
          ASSERT_TRUE(place);
          run(placed);
        }
      });
    }
    for (int i = 0; i < 300; ++i) {
      owner->post([&] { run(handled); });
      std::this_thread::yield();
    }
    for (auto& other : others) other.join();
    while (handled < 300) std::this_thread::yield();
    EXPECT_EQ(placed, 300U);
    EXPECT_LE(largest, most_busy);
    EXPECT_FALSE(pool.starving());
    finish(pool);
  }
}

TEST_F(PlacesTest, TheLeaderWaitsForOneWithWhatItHasToRun) {
  ThreadPool pool(reactor_, most(1));
  ASSERT_TRUE(pool.start());
  std::atomic<bool> released = false;
  std::latch ran(2);
  await_leader(pool);
  {
    const ThreadPool::Place place(pool);
    ASSERT_TRUE(place);
    for (int i = 0; i < 2; ++i) {
      reactor_.post([&] {
        EXPECT_TRUE(released);
        ran.count_down();
      });
    }
    while (!pool.starving()) std::this_thread::yield();
    released = true;
  }
  ran.wait();
  finish(pool);
}

TEST_F(PlacesTest, WhoTakesTheLastOneWhileNobodyLeadsLeavesThePoolWithoutALeader) {
  ThreadPool pool(reactor_, most(2));  // not started: nobody leads
  const ThreadPool::Place first(pool);
  EXPECT_TRUE(first);
  EXPECT_FALSE(pool.starving());
  std::thread([&] {
    const ThreadPool::Place last(pool);
    EXPECT_TRUE(last);
    EXPECT_TRUE(pool.starving()) << "who runs a loop of its own has to help";
  }).join();
}

TEST_F(PlacesTest, AreGivenInTurnAlsoIfThePoolNeverRunsOutOfWork) {
  ThreadPool pool(reactor_, most(1));
  ASSERT_TRUE(pool.start());
  std::atomic<bool> enough = false;
  const std::function<void()> again = [&] {
    if (!enough) reactor_.post([&] { again(); });
  };
  reactor_.post([&] { again(); });
  for (int i = 0; i < 200; ++i) {
    const ThreadPool::Place place(pool);
    ASSERT_TRUE(place);
  }
  enough = true;
  finish(pool);
}

TEST_F(PlacesTest, WhoIsInAHandlerHasOneAlready) {
  ThreadPool pool(reactor_, most(1));
  ASSERT_TRUE(pool.start());
  std::latch done(2);
  reactor_.post([&] {
    const ThreadPool::Place place(pool);
    EXPECT_TRUE(place);
    done.count_down();
  });
  {
    const ThreadPool::Place outer(pool);
    const ThreadPool::Place inner(pool);
    EXPECT_TRUE(outer);
    EXPECT_TRUE(inner);
  }
  reactor_.post([&] { done.count_down(); });
  done.wait();
  finish(pool);
}

TEST_F(PlacesTest, WhoHasOneMayWorkInThePool) {
  ThreadPool pool(reactor_, most(1));
  ASSERT_TRUE(pool.start());
  {
    const ThreadPool::Place place(pool);
    std::atomic<bool> ran = false;
    std::thread poster([&] { reactor_.post([&] { ran = true; }); });
    poster.join();
    while (!ran) {  // by this thread, or by another one once this is over: the leader may have it already
      pool.try_work();
      if (pool.starving()) break;
    }
  }
  std::latch called(1);
  reactor_.post([&] { called.count_down(); });
  called.wait();
  finish(pool);
}

TEST_F(PlacesTest, NobodyWaitsForOneWhenItEnds) {
  for (const bool stops : {false, true}) {
    const auto owner = *Reactor::create();
    ThreadPool pool(*owner, most(1));
    ASSERT_TRUE(pool.start());
    std::latch entered(1), go(1);
    owner->post([&] {
      entered.count_down();
      go.wait();
    });
    entered.wait();
    std::atomic<int> told = 0;
    std::vector<std::thread> waiting;
    for (int t = 0; t < 2; ++t) {
      waiting.emplace_back([&] {
        const ThreadPool::Place place(pool);
        EXPECT_FALSE(place);
        ++told;
      });
    }
    stops ? pool.stop() : pool.lead_always();
    for (auto& thread : waiting) thread.join();
    EXPECT_EQ(told, 2);
    EXPECT_FALSE(ThreadPool::Place(pool)) << "nor later";
    go.count_down();
    finish(pool);
  }
}

TEST_F(PlacesTest, TheLeaderThatWaitsForOneGoesOnAtTheEnd) {
  for (const bool stops : {false, true}) {
    const auto owner = *Reactor::create();
    ThreadPool pool(*owner, most(1));
    ASSERT_TRUE(pool.start());
    std::latch ran(1);
    await_leader(pool);
    const ThreadPool::Place place(pool);
    owner->post([&] { ran.count_down(); });
    while (!pool.starving()) std::this_thread::yield();
    stops ? pool.stop() : pool.lead_always();
    ran.wait();
    finish(pool);
  }
}

}  // namespace
}  // namespace corbel::reactor
