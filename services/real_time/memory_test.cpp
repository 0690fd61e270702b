// SPDX-License-Identifier: Apache-2.0
// Memory that stays, and stacks of a size of their own.
#include <gtest/gtest.h>

#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <fstream>
#include <string>

#include "memory.hpp"
#include "test_support.hpp"

namespace corbel::real_time {
namespace {

/// What the process has locked, in KiB.
long locked() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word != "VmLck:") continue;
    long kibibytes = 0;
    status >> kibibytes;
    return kibibytes;
  }
  return -1;
}

class Memory : public ::testing::Test {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "the sanitizers leave no memory locked";
#endif
  }
  ~Memory() override {
    (void)::munlockall();
  }
};

TEST_F(Memory, IsLockedOrTheRefusalIsTold) {
  const RealTime real_time({.memory = MemoryLock::touched});
  if (real_time.refused().empty()) {
    EXPECT_GT(locked(), 0);
  } else {
    EXPECT_NE(real_time.refused().find("locking the memory"), std::string::npos);
  }
}

TEST_F(Memory, IsLeftAloneUnlessAskedFor) {
  const long before = locked();
  const RealTime real_time;
  EXPECT_EQ(locked(), before);
  EXPECT_EQ(real_time.refused(), "");
}

TEST_F(Memory, WhatTheSystemRefusesIsToldAndNothingElse) {
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_MEMLOCK, &limit), 0);
  const uid_t self = ::geteuid();
  if (self == 0) {  // to root nothing is refused
    ASSERT_EQ(::seteuid(65534), 0);
  }
  rlimit none = limit;
  none.rlim_cur = 0;
  ASSERT_EQ(::setrlimit(RLIMIT_MEMLOCK, &none), 0);
  EXPECT_NE(lock_memory(MemoryLock::all), "");
  EXPECT_EQ(::setrlimit(RLIMIT_MEMLOCK, &limit), 0);
  EXPECT_EQ(::seteuid(self), 0);
}

std::size_t stack_here() {
  pthread_attr_t attributes;
  std::size_t size = 0;
  if (::pthread_getattr_np(::pthread_self(), &attributes) != 0) return 0;
  (void)::pthread_attr_getstacksize(&attributes, &size);
  (void)::pthread_attr_destroy(&attributes);
  return size;
}

TEST(Stacks, OfAPoolHaveAtLeastTheSizeThatItWasMadeWith) {
  TwoOrbs orbs(Settings{.lane_endpoints = {"tcp://127.0.0.1:0"}});
  const auto seen = [&](std::uint32_t stack) {
    std::atomic<std::size_t> size{0};
    const auto pool = orbs.rt->create_threadpool(stack, 1, 0, 1, false, 0, 0);
    const auto object = orbs.object(orbs.adapter({orbs.rt->create_threadpool_policy(pool)}), [&] {
      size = stack_here();
      return std::int16_t{0};
    });
    (void)object->priority();
    return size.load();
  };
  // The C library may give a larger stack that another thread has left, so no more can be said. Usual are 8 MiB.
  EXPECT_GE(seen(48U << 20), 48U << 20);
  EXPECT_GE(seen(1), 256U << 10);  // no less would do
  EXPECT_GE(seen(0), 256U << 10);
}

}  // namespace
}  // namespace corbel::real_time
