// SPDX-License-Identifier: Apache-2.0
// What texts say of all that ships, and would not be told when it changes.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "corbel/builtins/builtins.hpp"

namespace {

// README.md, docs/deployment.md.
TEST(GuideTexts, ServersThatAreToldNothingListenWhereTheTextsSay) {
  std::set<std::string> schemes;
  for (const auto& each : corbel::builtins::components().transports) {
    if (each->default_address()) schemes.emplace(each->scheme());
  }
  EXPECT_EQ(schemes, (std::set<std::string>{"tcp", "unix"}));
}

}  // namespace
