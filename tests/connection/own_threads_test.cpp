// SPDX-License-Identifier: Apache-2.0
#include "corbel/connection/own_threads.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <latch>

using namespace std::chrono_literals;  // NOLINT: a test

namespace corbel::connection {
namespace {

TEST(OwnThreads, AreWaitedForUntilTheDeadlineAndNoneBeginsAfterwards) {
  OwnThreads threads;
  std::latch go_on(1);
  std::atomic<int> ended{0};
  ASSERT_TRUE(threads.start([&] { ++ended; }));
  ASSERT_TRUE(threads.start([&] {
    go_on.wait();
    ++ended;
  }));
  EXPECT_FALSE(threads.join(base::Deadline::after(10ms))) << "one still waits";
  const auto refused = threads.start([] {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, base::Code::cancelled);
  go_on.count_down();
  EXPECT_TRUE(threads.join(base::Deadline::after(20s)));
  EXPECT_EQ(ended, 2);
  EXPECT_TRUE(threads.join()) << "as often as one likes";
}

}  // namespace
}  // namespace corbel::connection
