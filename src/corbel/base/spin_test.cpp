// SPDX-License-Identifier: Apache-2.0
#include "corbel/base/spin.hpp"

#include <gtest/gtest.h>

namespace corbel::base {
namespace {

using namespace std::chrono_literals;

TEST(Spin, LooksUntilItSees) {
  Spin spin(1h, 2);
  int looks = 0;
  EXPECT_TRUE(spin.until(Deadline::none(), [&] { return ++looks == 1000; }));
  EXPECT_EQ(looks, 1000);
}

TEST(Spin, EndsAfterItsTimeAndAtTheDeadline) {
  Spin brief(1us, 2);
  EXPECT_FALSE(brief.until(Deadline::none(), [] { return false; }));
  Spin lasting(1h, 2);
  EXPECT_FALSE(lasting.until(Deadline::after(1ms), [] { return false; }));
  EXPECT_FALSE(lasting.until(Deadline::now(), [] { return false; }));
}

TEST(Spin, DoesNotLookWithoutTimeNorWithOneProcessor) {
  for (Spin spin : {Spin(), Spin(0s, 2), Spin(1h, 1)}) {
    EXPECT_FALSE(spin.until(Deadline::none(), [] { return ADD_FAILURE(), true; }));
  }
}

TEST(Spin, LooksSeldomAfterLookingInVain) {
  Spin spin(1us, 2);
  int spells = 0;
  const auto waits = [&](int count, bool seen) {
    spells = 0;
    for (int i = 0; i < count; ++i) {
      bool first = true;
      spin.until(Deadline::none(), [&] { return spells += std::exchange(first, false) ? 1 : 0, seen; });
    }
    return spells;
  };
  EXPECT_EQ(waits(1 + 2 + 4 + 8 + 16 + 32, false), 6);  // ever fewer
  EXPECT_EQ(waits(640, false), 10);                     // one in 64
  EXPECT_EQ(waits(64, true), 1);                        // found something:
  EXPECT_EQ(waits(10, true), 10);                       // always from now on
}

}  // namespace
}  // namespace corbel::base
