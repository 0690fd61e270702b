// SPDX-License-Identifier: Apache-2.0
#include "corbel/reactor/timer_queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace corbel::reactor {
namespace {

TimePoint at(int nanoseconds) {
  return TimePoint(base::Duration(nanoseconds));
}

/// Runs everything that is due.
void run_due(TimerQueue& queue, int now) {
  const auto before = queue.next_sequence();
  while (auto callback = queue.pop_due(at(now), before)) (*callback)();
}

TEST(TimerQueue, PopsInOrderOfTimeThenOfScheduling) {
  TimerQueue queue;
  std::string order;
  queue.schedule(at(3), [&] { order += 'd'; });
  queue.schedule(at(1), [&] { order += 'a'; });
  queue.schedule(at(2), [&] { order += 'b'; });
  queue.schedule(at(2), [&] { order += 'c'; });
  EXPECT_EQ(queue.earliest(), at(1));
  run_due(queue, 2);
  EXPECT_EQ(order, "abc");
  run_due(queue, 9);
  EXPECT_EQ(order, "abcd");
  EXPECT_EQ(queue.earliest(), std::nullopt);
}

TEST(TimerQueue, CancelsOnce) {
  TimerQueue queue;
  const TimerId id = queue.schedule(at(1), [] { ADD_FAILURE() << "was cancelled"; });
  EXPECT_TRUE(queue.cancel(id));
  EXPECT_FALSE(queue.cancel(id));
  EXPECT_FALSE(queue.cancel(TimerId()));
  EXPECT_FALSE(queue.cancel({.slot = 77, .generation = 1}));
  run_due(queue, 9);
}

TEST(TimerQueue, AnOldIdDoesNotCancelANewTimerInTheSameSlot) {
  TimerQueue queue;
  const TimerId old = queue.schedule(at(1), [] {});
  run_due(queue, 1);
  const TimerId fresh = queue.schedule(at(2), [] {});
  EXPECT_EQ(old.slot, fresh.slot);
  EXPECT_FALSE(queue.cancel(old));
  EXPECT_EQ(queue.size(), 1U);
}

TEST(TimerQueue, DoesNotRunInTheSameRoundWhatARoundSchedules) {
  TimerQueue queue;
  int runs = 0;
  std::function<void()> again = [&] {
    ++runs;
    queue.schedule(at(1), again);
  };
  queue.schedule(at(1), again);
  run_due(queue, 5);
  EXPECT_EQ(runs, 1);
  run_due(queue, 5);
  EXPECT_EQ(runs, 2);
}

TEST(TimerQueue, StaysInOrderUnderRandomSchedulingAndCancelling) {
  std::mt19937 random(7);
  TimerQueue queue;
  std::vector<std::pair<TimerId, int>> expected;
  std::vector<int> ran;
  for (int i = 0; i < 5000; ++i) {
    const int when = static_cast<int>(random() % 1000);
    expected.emplace_back(queue.schedule(at(when), [&ran, when] { ran.push_back(when); }), when);
    if (random() % 3 == 0) {
      const std::size_t victim = random() % expected.size();
      EXPECT_TRUE(queue.cancel(expected[victim].first));
      expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(victim));
    }
  }
  EXPECT_EQ(queue.size(), expected.size());
  run_due(queue, 1000);
  EXPECT_TRUE(queue.empty());
  EXPECT_TRUE(std::is_sorted(ran.begin(), ran.end()));
  EXPECT_EQ(ran.size(), expected.size());
}

}  // namespace
}  // namespace corbel::reactor
