// SPDX-License-Identifier: Apache-2.0
#include "corbel/ipc/process.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <thread>

namespace corbel::ipc {
namespace {

int nice_of_thread() {
  return ::getpriority(PRIO_PROCESS, 0);
}

TEST(Process, OneThreadGivesWayAndOthersDoNot) {
  const int before = nice_of_thread();
  const int policy = ::sched_getscheduler(0);
  int with = before;
  int twice = before;
  int inside = before;
  std::thread([&] {
    give_way();
    with = nice_of_thread();
    std::thread([&] { inside = nice_of_thread(); }).join();
    give_way();
    twice = nice_of_thread();
  }).join();
  const bool has_less = policy != SCHED_IDLE;
  EXPECT_EQ(with, has_less ? std::min(before + 10, 19) : before);
  EXPECT_EQ(inside, with);
  EXPECT_EQ(twice, has_less ? std::min(before + 20, 19) : before);
  EXPECT_EQ(nice_of_thread(), before);
  EXPECT_EQ(::sched_getscheduler(0), policy);
}

TEST(Process, TheFirstThreadIsTheOneThatRunsMain) {
  EXPECT_TRUE(on_first_thread());
  bool other = true;
  std::thread([&] { other = on_first_thread(); }).join();
  EXPECT_FALSE(other);
}

}  // namespace
}  // namespace corbel::ipc
