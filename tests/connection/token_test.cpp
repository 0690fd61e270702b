// SPDX-License-Identifier: Apache-2.0
#include "corbel/connection/token.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace corbel::connection {
namespace {

using namespace std::chrono_literals;

TEST(Token, HasOneOwnerAtATime) {
  Token token;
  int owners = 0;
  int turns = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 500; ++i) {
        ASSERT_TRUE(token.lock_until(base::Deadline::after(60s)));
        EXPECT_EQ(++owners, 1);
        if (i % 8 == 0) std::this_thread::yield();
        --owners;
        ++turns;
        token.unlock();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(turns, 2000);
}

TEST(Token, IsNotWaitedForBeyondTheDeadline) {
  Token token;
  token.lock();
  EXPECT_FALSE(token.try_lock());
  EXPECT_FALSE(token.lock_until(base::Deadline::now()));
  EXPECT_FALSE(token.lock_until(base::Deadline::after(20ms)));
  token.unlock();
  EXPECT_TRUE(token.lock_until(base::Deadline::now()));
  token.unlock();
}

// A waiter that gave up has left its mark: that must keep no thread from taking it, nor any asleep.
TEST(Token, IsPassedOnAlsoWhenOneThatWaitedHasGivenUp) {
  Token token;
  token.lock();
  std::thread late([&] { EXPECT_FALSE(token.lock_until(base::Deadline::after(10ms))); });
  late.join();
  std::thread next([&] {
    EXPECT_TRUE(token.lock_until(base::Deadline::after(60s)));
    token.unlock();
  });
  token.unlock();
  next.join();
  EXPECT_TRUE(token.try_lock());
  token.unlock();
}

}  // namespace
}  // namespace corbel::connection
