// SPDX-License-Identifier: Apache-2.0
// What is not logged costs nothing: no memory, no look at the fields, no call.
#include <gtest/gtest.h>

#include <string>

#include "corbel/base/kept_log.hpp"
#include "corbel/base/log.hpp"
#include "support/allocations.hpp"

namespace corbel::base {
namespace {

TEST(LogCost, IsNothingWhereItIsOff) {
  const Log none;
  const Log warns({.levels = LogLevels::all(LogLevel::warning), .sink = std::make_shared<KeptLog>()});
  int looked = 0;
  const auto look = [&] {
    ++looked;
    return std::string(1000, 'x');
  };
  const std::size_t before = test::allocations();
  for (int i = 0; i < 1000; ++i) {
    CORBEL_LOG(none, server, error, "off for good", {"field", look()});
    CORBEL_LOG(warns, server, trace, "call served", {"field", look()}, {"i", i});
  }
  EXPECT_EQ(test::allocations(), before);
  EXPECT_EQ(looked, 0);
}

TEST(LogCost, IsOneOctetPerModule) {
  // One load: the level lies in the log itself, not behind a pointer.
  EXPECT_LE(sizeof(Log), kLogModules + sizeof(void*));
  EXPECT_TRUE(std::atomic<LogLevel>::is_always_lock_free);
}

}  // namespace
}  // namespace corbel::base
