// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/invocation_policies.hpp"

#include <gtest/gtest.h>

namespace corbel::orb {
namespace {

TEST(InvocationPolicies, TellTheEarlierOfTheEndTimes) {
  policy::ClientPolicies policies;
  policies.request_end = 0x0102030405060708;
  EXPECT_EQ(end_time(encode_invocation_policies(policies)), 0x0102030405060708U);
  policies.reply_end = 5;
  EXPECT_EQ(end_time(encode_invocation_policies(policies)), 5U);
  policies.request_end = 4;
  EXPECT_EQ(end_time(encode_invocation_policies(policies)), 4U);
  policies.request_end = policy::kNever;
  EXPECT_EQ(end_time(encode_invocation_policies(policies)), 5U);
}

TEST(InvocationPolicies, OfRelativeTimesAreNone) {
  policy::ClientPolicies policies;
  policies.round_trip = policies.request = policies.connect = std::chrono::seconds(1);
  EXPECT_TRUE(encode_invocation_policies(policies).empty());
  EXPECT_TRUE(InvocationContexts(policies).all().empty());
}

// As another ORB writes them, big-endian and with policies that we do not know.
TEST(InvocationPolicies, AreReadInBothByteOrders) {
  const base::Bytes octets = {0, 0, 0, 0,  0, 0, 0, 2,                           // two policies
                              0, 0, 0, 25, 0, 0, 0, 2,  0, 9, 0, 0,              // something of another type
                              0, 0, 0, 28, 0, 0, 0, 24, 0, 0, 0, 0, 0, 0, 0, 0,  // RequestEndTime
                              1, 2, 3, 4,  5, 6, 7, 8,  0, 0, 0, 0, 0, 0, 0, 0};
  EXPECT_EQ(end_time(octets), 0x0102030405060708U);
}

TEST(InvocationPolicies, ThatMakeNoSenseSayNothing) {
  policy::ClientPolicies policies;
  policies.request_end = 1;
  const base::Bytes whole = encode_invocation_policies(policies);
  for (std::size_t size = 0; size < whole.size() - 8; ++size) {
    EXPECT_EQ(end_time(base::ConstByteSpan(whole).first(size)), policy::kNever) << size;
  }
  EXPECT_EQ(end_time(base::Bytes{0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff}), policy::kNever);
}

}  // namespace
}  // namespace corbel::orb
