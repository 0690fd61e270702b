// SPDX-License-Identifier: Apache-2.0
#include "common/usage.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <future>
#include <thread>

namespace bench {
namespace {

constexpr pid_t kNobody = (1 << 22) + 1;  // beyond the largest number that Linux gives

TEST(Usage, OfARunningProcessIsPositive) {
  EXPECT_GT(usage_of(getpid()).cpu_ns, 0);
  const Memory memory = memory_of(getpid());
  EXPECT_GT(memory.resident, 0);
  EXPECT_GE(memory.resident, memory.exclusive);
  EXPECT_GT(mapped_files_of(getpid()), 0);
}

TEST(Usage, KeepsTheProcessorTimeOfThreadsThatEnded) {
  constexpr double kMuch = 20e6;
  std::promise<void> has_worked;
  std::promise<void> may_end;
  const double before = usage_of(getpid()).cpu_ns;
  std::thread thread([&] {
    while (usage_of(getpid()).cpu_ns < before + kMuch) {
    }
    has_worked.set_value();
    may_end.get_future().wait();
  });
  has_worked.get_future().wait();
  const Usage during = usage_of(getpid());
  may_end.set_value();
  thread.join();
  // The system may show it a little longer.
  Usage after = usage_of(getpid());
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (after.switches.size() >= during.switches.size() && std::chrono::steady_clock::now() < until) {
    std::this_thread::yield();
    after = usage_of(getpid());
  }
  EXPECT_GE(after.cpu_ns, before + kMuch);
  EXPECT_GE(after.cpu_ns, during.cpu_ns);
  EXPECT_LT(after.switches.size(), during.switches.size());
}

TEST(Usage, CountsTheSwitchesOfThreadsThatCameAndNeverLessThanNone) {
  const Usage before{0, {{1, 10}, {2, 500}, {4, 9}}};
  const Usage after{0, {{1, 13}, {3, 4}, {4, 2}}};  // 2 has ended, 3 began, 4 is another thread
  EXPECT_EQ(switches_between(before, after), 3 + 4 + 2);
  EXPECT_EQ(switches_between(before, {}), 0);
}

TEST(Usage, OfNoProcessIsZero) {
  EXPECT_EQ(usage_of(kNobody).cpu_ns, 0);
  EXPECT_TRUE(usage_of(kNobody).switches.empty());
  EXPECT_EQ(memory_of(kNobody).resident, 0);
  EXPECT_EQ(mapped_files_of(kNobody), 0);
}

}  // namespace
}  // namespace bench
