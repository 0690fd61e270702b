// SPDX-License-Identifier: Apache-2.0
#include "common/machine.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

namespace bench {
namespace {

TEST(Machine, TakesOthersForBusyAndNotItself) {
  const Ticks before{.stolen = 5, .busy = 100, .own = 10, .total = 1000};
  const Ticks after{.stolen = 5, .busy = 400, .own = 310, .total = 2000};
  EXPECT_EQ(load_of_others(before, after), 0);
  Ticks others = after;
  others.busy += 500;
  EXPECT_EQ(load_of_others(before, others), 0.5 * static_cast<double>(sysconf(_SC_NPROCESSORS_ONLN)));
  EXPECT_EQ(load_of_others(before, before), 0);
}

TEST(Machine, CountsItsOwnTime) {
  const Ticks before = processor_ticks();
  for (Ticks now = before; now.own < before.own + 5;) now = processor_ticks();
  const Ticks after = processor_ticks();
  EXPECT_GE(after.own, before.own + 5);
  EXPECT_GE(after.total, before.total);
}

}  // namespace
}  // namespace bench
