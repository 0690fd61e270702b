// SPDX-License-Identifier: Apache-2.0
#include "corbel/base/condition.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace corbel::base {
namespace {

TEST(Condition, HandsTurnsBetweenThreadsAndLosesNone) {
  constexpr int kTurns = 2000;
  Mutex mutex;
  Condition changed;
  int turn = 0;
  const auto play = [&](int mine) {
    for (int i = 0; i < kTurns; ++i) {
      std::unique_lock lock(mutex);
      while (turn % 2 != mine) changed.wait(lock);
      ++turn;
      changed.notify_one();
    }
  };
  std::thread other(play, 1);
  play(0);
  other.join();
  EXPECT_EQ(turn, 2 * kTurns);
}

TEST(Condition, WakesAll) {
  Mutex mutex;
  Condition changed;
  bool go = false;
  int gone = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      std::unique_lock lock(mutex);
      while (!go) changed.wait(lock);
      ++gone;
    });
  }
  {
    const std::lock_guard lock(mutex);
    go = true;
    changed.notify_all();
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(gone, 4);
}

TEST(Condition, EndsAtTheDeadlineWithTheLockHeld) {
  Mutex mutex;
  Condition changed;
  std::unique_lock lock(mutex);
  const Deadline deadline = Deadline::after(std::chrono::milliseconds(5));
  while (!deadline.expired()) changed.wait(lock, deadline);
  EXPECT_TRUE(lock.owns_lock());
  EXPECT_FALSE(mutex.try_lock());
}

}  // namespace
}  // namespace corbel::base
