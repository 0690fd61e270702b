// SPDX-License-Identifier: Apache-2.0
#include "priorities.hpp"

#include <gtest/gtest.h>

#include <pthread.h>
#include <sched.h>

#include <thread>
#include <utility>

namespace corbel::real_time {
namespace {

TEST(DefaultMapping, GivesEachNativePriorityOfAClassAnEqualShare) {
  DefaultMapping mapping(1, 99);
  std::int16_t native = 0;
  EXPECT_TRUE(mapping.to_native(0, native) && native == 1);
  EXPECT_TRUE(mapping.to_native(32767, native) && native == 99);
  EXPECT_TRUE(mapping.to_native(16384, native) && native == 50);
  EXPECT_FALSE(mapping.to_native(-1, native));
}

TEST(DefaultMapping, FindsTheWayBackFromEachNativePriority) {
  DefaultMapping mapping(1, 99);
  for (std::int16_t there = 1; there <= 99; ++there) {
    std::int16_t corba = 0;
    std::int16_t back = 0;
    ASSERT_TRUE(mapping.to_CORBA(there, corba));
    ASSERT_TRUE(mapping.to_native(corba, back));
    EXPECT_EQ(back, there);
    if (corba == 0) continue;
    ASSERT_TRUE(mapping.to_native(static_cast<std::int16_t>(corba - 1), back));  // it is the lowest that leads there
    EXPECT_EQ(back, there - 1);
  }
  std::int16_t corba = 0;
  EXPECT_FALSE(mapping.to_CORBA(0, corba));
  EXPECT_FALSE(mapping.to_CORBA(100, corba));
}

TEST(DefaultMapping, OfNoRealTimeClassIsTheSameNumber) {
  DefaultMapping mapping(Scheduling::other);
  std::int16_t other = 0;
  EXPECT_TRUE(mapping.to_native(12345, other) && other == 12345);
  EXPECT_TRUE(mapping.to_CORBA(12345, other) && other == 12345);
}

TEST(ThreadPriority, IsOfTheThreadAndOfTheRequestThatItRuns) {
  Priorities priorities({});
  std::thread([&] {
    EXPECT_FALSE(priorities.get());
    EXPECT_EQ(priorities.get_or_native(), 0);
    EXPECT_TRUE(priorities.set(5));
    const auto outer = priorities.begin(10);
    const auto inner = priorities.begin(20);
    EXPECT_EQ(priorities.get(), 20);
    EXPECT_TRUE(priorities.set(21));
    EXPECT_EQ(priorities.get(), 21);
    std::thread([&] { EXPECT_FALSE(priorities.get()); }).join();
    priorities.end(*inner);
    EXPECT_EQ(priorities.get(), 10);
    priorities.end(*outer);
    EXPECT_EQ(priorities.get(), 5);
    EXPECT_FALSE(priorities.set(-1));
    EXPECT_EQ(priorities.get(), 5);
    EXPECT_EQ(priorities.begin(-1), nullptr);
  }).join();
}

TEST(ThreadPriority, OfARequestThatEndedElsewhereIsOver) {
  Priorities priorities({});
  std::thread([&] {
    const auto held = priorities.begin(10);
    std::thread([&] { priorities.end(*held); }).join();
    EXPECT_FALSE(priorities.get());
  }).join();
}

TEST(ThreadPriority, ThatTheSystemRefusesIsToldAndHoldsAllTheSame) {
  Priorities priorities({.scheduling = Scheduling::fifo});
  std::thread([&] {  // its scheduling ends with it
    EXPECT_TRUE(priorities.set(100));
    EXPECT_EQ(priorities.get(), 100);
    const std::string refused = priorities.refused();
    if (!refused.empty()) {
      EXPECT_NE(refused.find("priority 1 of SCHED_FIFO"), std::string::npos) << refused;
    }
    EXPECT_TRUE(priorities.set(200));
    EXPECT_EQ(priorities.refused(), refused);
  })
      .join();
}

/// Class and priority of the calling thread in the operating system.
std::pair<int, int> native_here() {
  int policy = -1;
  sched_param parameters{};
  EXPECT_EQ(::pthread_getschedparam(::pthread_self(), &policy, &parameters), 0);
  return {policy, parameters.sched_priority};
}

TEST(ThreadPriority, EndsInTheOperatingSystemWithTheRequest) {
  Priorities priorities({.scheduling = Scheduling::fifo});
  std::thread([&] {
    const auto before = native_here();
    const auto outer = priorities.begin(100);
    const auto during = native_here();
    if (!priorities.refused().empty()) GTEST_SKIP() << priorities.refused();
    EXPECT_EQ(during, (std::pair{SCHED_FIFO, 1}));
    const auto inner = priorities.begin(32767);
    EXPECT_EQ(native_here().second, 99);
    priorities.end(*inner);
    EXPECT_EQ(native_here(), during);
    priorities.end(*outer);
    EXPECT_EQ(native_here(), before);
    // A pool's thread keeps the priority of its lane.
    const auto of_pool = priorities.begin(100, Priority{16384});
    priorities.end(*of_pool);
    EXPECT_EQ(native_here(), (std::pair{SCHED_FIFO, 50}));
    // Another thread that answers is none of its concern.
    const auto elsewhere = priorities.begin(32767);
    std::thread([&] {
      const auto its = native_here();
      priorities.end(*elsewhere);
      EXPECT_EQ(native_here(), its);
    }).join();
    EXPECT_EQ(native_here().second, 99);
    priorities.settle();
    EXPECT_EQ(native_here(), before);
  }).join();
}

/// Knows 0 to 9.
class Few final : public RTCORBA::PriorityMapping {
 public:
  bool to_native(std::int16_t corba_priority, std::int16_t& native_priority) override {
    native_priority = corba_priority;
    return corba_priority >= 0 && corba_priority < 10;
  }
  bool to_CORBA(std::int16_t, std::int16_t&) override { return false; }
};

TEST(ThreadPriority, IsMappedByTheApplicationIfItWants) {
  Priorities priorities({.mapping = std::make_shared<Few>()});
  EXPECT_TRUE(priorities.is_mapped(9));
  EXPECT_FALSE(priorities.is_mapped(10));
  EXPECT_FALSE(priorities.set(10));
  EXPECT_EQ(priorities.get_or_native(), 0);
}

}  // namespace
}  // namespace corbel::real_time
