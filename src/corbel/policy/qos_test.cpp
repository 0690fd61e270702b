// SPDX-License-Identifier: Apache-2.0
#include "corbel/policy/qos.hpp"

#include <gtest/gtest.h>

namespace corbel::policy {
namespace {

TEST(ProtocolPreference, ReadsCombinationsAndBareTransports) {
  auto preference = ProtocolPreference::parse("giop_lite+unix,tcp");
  ASSERT_TRUE(preference);
  ASSERT_EQ(preference->size(), 2U);
  EXPECT_EQ(preference->combinations()[0], (Combination{"giop_lite", "unix"}));
  EXPECT_EQ(preference->combinations()[1], (Combination{"", "tcp"}));
}

TEST(ProtocolPreference, RanksByFirstMatchAndUnlistedLast) {
  auto preference = ProtocolPreference::parse("giop_lite+unix,tcp");
  ASSERT_TRUE(preference);
  EXPECT_EQ(preference->rank("giop_lite", "unix"), 0U);
  EXPECT_EQ(preference->rank("giop", "tcp"), 1U);
  EXPECT_EQ(preference->rank("giop", "unix"), 2U);
}

TEST(ProtocolPreference, RefusesEmptyWordsAndOddCharacters) {
  for (const char* text : {"", ",", "tcp,", "+tcp", "giop+", "giop++tcp", "a b", "giop+tcp+unix"}) {
    EXPECT_FALSE(ProtocolPreference::parse(text)) << text;
  }
}

}  // namespace
}  // namespace corbel::policy
