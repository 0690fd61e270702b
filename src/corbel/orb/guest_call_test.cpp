// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/guest_call.hpp"

#include <gtest/gtest.h>

#include <atomic>

namespace corbel::orb {
namespace {

TEST(GuestCall, OneThreadAtATimeAndAsOftenAsItLikes) {
  GuestCall call;
  EXPECT_TRUE(call.begin());
  EXPECT_FALSE(call.begin());
  std::thread([&] { EXPECT_FALSE(call.begin()); }).join();
  EXPECT_TRUE(call.done());
  EXPECT_TRUE(call.begin());
  EXPECT_TRUE(call.done());
}

TEST(GuestCall, DoesNotBeginAfterItsEnd) {
  GuestCall call;
  EXPECT_TRUE(call.end());
  EXPECT_FALSE(call.begin());
  EXPECT_TRUE(call.end());
}

TEST(GuestCall, ItsEndFromWithinDoesNotWait) {
  GuestCall call;
  EXPECT_TRUE(call.begin());
  EXPECT_FALSE(call.end());
  EXPECT_FALSE(call.done());
  EXPECT_FALSE(call.begin());
}

TEST(GuestCall, ItsEndWaitsForTheThreadThatIsInIt) {
  GuestCall call;
  std::atomic<bool> inside{false}, left{false};
  std::thread other([&] {
    EXPECT_TRUE(call.begin());
    inside = true;
    for (int i = 0; i < 50; ++i) std::this_thread::yield();
    left = true;
    (void)call.done();
  });
  while (!inside) std::this_thread::yield();
  EXPECT_TRUE(call.end());
  EXPECT_TRUE(left);
  other.join();
}

}  // namespace
}  // namespace corbel::orb
