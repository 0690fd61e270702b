// SPDX-License-Identifier: Apache-2.0
#include "common/usage.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <climits>

namespace bench {
namespace {

TEST(Usage, OfARunningProcessIsPositive) {
  EXPECT_GT(usage_of(getpid()).cpu_ns, 0);
  const Memory memory = memory_of(getpid());
  EXPECT_GT(memory.resident, 0);
  EXPECT_GE(memory.resident, memory.exclusive);
  EXPECT_GT(mapped_files_of(getpid()), 0);
}

TEST(Usage, OfNoProcessIsZero) {
  EXPECT_EQ(usage_of(INT_MAX).cpu_ns, 0);
  EXPECT_EQ(usage_of(INT_MAX).switches, 0);
  EXPECT_EQ(memory_of(INT_MAX).resident, 0);
  EXPECT_EQ(mapped_files_of(INT_MAX), 0);
}

}  // namespace
}  // namespace bench
