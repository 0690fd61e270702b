// SPDX-License-Identifier: Apache-2.0
#include "corbel/base/thread_value.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "corbel/base/kept_memory.hpp"

namespace corbel::base {
namespace {

using Numbers = std::vector<int>;

/// Runs a function when the thread's other values have ended, if it was asked for before them.
struct Last {
  std::function<void()> run;
  ~Last() {
    if (run) run();
  }
  static Last& here() {
    thread_local Last last;
    return last;
  }
};

TEST(ThreadValue, IsEachThreadsOwnAndStays) {
  ThreadValue<Numbers>::here() = {1, 2};
  std::thread([] { EXPECT_TRUE(ThreadValue<Numbers>::here().empty()); }).join();
  EXPECT_EQ(ThreadValue<Numbers>::here(), Numbers({1, 2}));
}

TEST(ThreadValue, EndsWithItsThreadAndIsAnotherForWhatComesLater) {
  static int ended = 0;
  struct Counted {
    Counted() = default;
    ~Counted() { ++ended; }
    Numbers numbers;
  };
  bool asked = false;
  std::thread([&] {
    Last::here().run = [&] {
      EXPECT_EQ(ended, 1);
      auto& later = ThreadValue<Counted>::here();
      EXPECT_TRUE(later.numbers.empty());
      later.numbers.assign(100, 7);
      EXPECT_EQ(&ThreadValue<Counted>::here(), &later);
      asked = true;
    };
    ThreadValue<Counted>::here().numbers.assign(100, 1);
  }).join();
  EXPECT_TRUE(asked);
  EXPECT_EQ(ended, 2);
}

TEST(ThreadValue, KeptMemoryMayBeGivenAfterTheThreadsOwnHasEnded) {
  bool asked = false;
  std::thread([&] {
    Last::here().run = [&] {
      EXPECT_EQ(KeptMemory::octets(), 0U);
      auto& kept = KeptValue<std::string>::here();
      kept.give(std::string(1000, 'x'));
      EXPECT_GE(kept.take().capacity(), 1000U);
      asked = true;
    };
    KeptValue<std::string>::here().give(std::string(2000, 'y'));
  }).join();
  EXPECT_TRUE(asked);
}

}  // namespace
}  // namespace corbel::base
