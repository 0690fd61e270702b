// SPDX-License-Identifier: Apache-2.0
// Handlers that are probably short: no other thread is woken to lead, unless they are not.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <latch>
#include <mutex>
#include <set>
#include <thread>

#include "corbel/reactor/test_support.hpp"
#include "corbel/reactor/thread_pool.hpp"

namespace corbel::reactor {
namespace {

using namespace std::chrono_literals;
using testing::Pair;

/// A pool, and handlers that run on it.
struct Served {
  Served() { EXPECT_TRUE(pool_.start()); }
  /// Before what the handlers use goes.
  void finish() {
    pool_.stop();
    (void)pool_.join();
  }
  /// Runs `then` on the leader, with Promotion::by_handler, whenever the pair is poked.
  void watch(Pair& pair, std::function<void()> then) {
    auto self = std::make_shared<EventHandler*>(nullptr);
    auto handler = testing::make_handler([this, &pair, self, then = std::move(then)](Events) {
      while (pair.drain()) {
      }
      (void)reactor_.rearm(**self);
      then();
    });
    *self = handler.get();
    EXPECT_TRUE(reactor_.add(handler, pair.ours.handle(), Events::readable, Trigger::one_shot, Promotion::by_handler));
  }
  /// Pokes the pair so many times, each time when the time before has been handled.
  void poke(Pair& pair, int times) {
    for (int i = 0; i < times; ++i) {
      const int before = handled_;
      pair.poke();
      while (handled_ == before) std::this_thread::yield();
    }
  }

  std::unique_ptr<Reactor> owner_ = *Reactor::create();
  Reactor& reactor_ = *owner_;
  std::atomic<int> handled_{0};
  ThreadPool pool_{reactor_, {.min_threads = 2, .max_threads = 4}};
};

class QuickTurns : public ::testing::Test, protected Served {};

TEST_F(QuickTurns, ChangeNoThreads) {
  std::mutex mutex;
  std::vector<std::thread::id> ran;
  Pair pair;
  watch(pair, [&] {
    ThreadPool::promote_follower_if_slow();
    {
      const std::lock_guard lock(mutex);
      ran.push_back(std::this_thread::get_id());
    }
    ++handled_;
  });
  int fewest = 500;
  for (int tries = 0; tries < 10 && fewest >= 250; ++tries) {  // the machine may be slow
    poke(pair, 500);
    const std::lock_guard lock(mutex);
    int changes = 0;
    for (std::size_t i = 1; i < ran.size(); ++i) changes += ran[i] != ran[i - 1] ? 1 : 0;
    fewest = std::min(fewest, changes);
    ran.clear();
  }
  finish();
  EXPECT_LT(fewest, 250);  // each time, if a follower is woken for each
}

TEST_F(QuickTurns, ThatAreSlowAreTakenOver) {
  Pair pair;
  Pair other;
  std::latch released(1);
  std::atomic<bool> waits = false;
  std::latch over(1);
  watch(pair, [&] {
    ThreadPool::promote_follower_if_slow();
    ++handled_;
    if (!waits) return;
    released.wait();
    over.count_down();
  });
  watch(other, [&] { released.count_down(); });
  poke(pair, 20);  // a follower watches now
  waits = true;
  poke(pair, 1);
  other.poke();
  over.wait();
  finish();
}

// Also by those that join only while they wait for something, and leave in between.
TEST_F(QuickTurns, MayBeWatchedByThreadsThatJoin) {
  Pair pair;
  std::atomic<bool> ends = false;
  watch(pair, [&] {
    ThreadPool::promote_follower_if_slow();
    ++handled_;
  });
  std::thread guest([&] {
    while (!ends) (void)pool_.join_until([] { return false; }, base::Deadline::after(5ms));
  });
  poke(pair, 500);
  ends = true;
  guest.join();
  poke(pair, 20);
  finish();
}

// One that finds out that it is going to wait says so, and then the follower does not have to.
TEST(QuickTurn, ThatWaitsAfterAllGivesItsTurnAtOnce) {
  auto fewest = std::chrono::steady_clock::duration::max();
  for (int tries = 0; tries < 50 && fewest >= 9ms; ++tries) {  // the machine may be slow
    Served served;
    Pair pair;
    Pair other;
    std::latch released(1);
    std::atomic<bool> waits = false;
    served.watch(pair, [&] {
      ThreadPool::promote_follower_if_slow();
      if (waits) {
        ThreadPool::promote_follower();
        released.wait();
      }
      ++served.handled_;
    });
    served.watch(other, [&] { released.count_down(); });
    served.poke(pair, 20);  // a follower watches now
    waits = true;
    other.poke();
    const auto begun = std::chrono::steady_clock::now();
    served.poke(pair, 1);
    fewest = std::min(fewest, std::chrono::steady_clock::now() - begun);
    served.finish();
  }
  EXPECT_LT(fewest, 9ms);  // the follower that watches looks every 10 ms
}

// What needs another thread does not wait for long each time.
TEST_F(QuickTurns, AreNotExpectedForAWhileAfterASlowOne) {
  Pair pair;
  Pair other;
  std::atomic<int> released{0};
  watch(pair, [&] {
    ThreadPool::promote_follower_if_slow();
    const int before = released;
    other.poke();
    while (released == before) std::this_thread::yield();
    ++handled_;
  });
  watch(other, [&] { ++released; });
  poke(pair, 20);
  auto fewest = std::chrono::steady_clock::duration::max();
  for (int tries = 0; tries < 10 && fewest >= 800ms; ++tries) {  // the machine may be slow
    const auto begun = std::chrono::steady_clock::now();
    poke(pair, 100);
    fewest = std::min(fewest, std::chrono::steady_clock::now() - begun);
  }
  EXPECT_LT(fewest, 800ms);  // a second and more if each waited to be taken over
  finish();
}

}  // namespace
}  // namespace corbel::reactor
