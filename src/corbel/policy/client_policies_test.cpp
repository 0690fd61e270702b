// SPDX-License-Identifier: Apache-2.0
#include "corbel/policy/client_policies.hpp"

#include <gtest/gtest.h>

namespace corbel::policy {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kSecondUnits = 10'000'000;

TEST(PolicyTimes, AreRoundedUpSoThatTheShortestIsNoneOfThoseWithoutALimit) {
  EXPECT_EQ(units_of(0ns), 0U);
  EXPECT_EQ(units_of(-1ns), 0U);
  EXPECT_EQ(units_of(1ns), 1U);
  EXPECT_EQ(units_of(100ns), 1U);
  EXPECT_EQ(units_of(101ns), 2U);
  EXPECT_EQ(units_of(1s), kSecondUnits);
}

TEST(PolicyTimes, OfMoreThanACenturyHaveNoLimit) {
  constexpr std::uint64_t kCentury = std::uint64_t{100} * 365 * 24 * 3600 * kSecondUnits;
  EXPECT_EQ(duration_of(0), base::Duration::zero());
  EXPECT_EQ(duration_of(kSecondUnits), 1s);
  EXPECT_EQ(duration_of(kCentury), std::chrono::hours(24) * 365 * 100);
  EXPECT_EQ(duration_of(kCentury + 1), base::Duration::zero());
  EXPECT_EQ(duration_of(kNever), base::Duration::zero());
}

TEST(PolicyTimes, AreOverFromTheirMomentOn) {
  const UtcTime now = utc_now();
  EXPECT_EQ(until(0), base::Duration::zero());
  EXPECT_EQ(until(now), base::Duration::zero());
  const base::Duration rest = until(utc_now() + 3600 * kSecondUnits);
  EXPECT_GT(rest, base::Duration::zero());
  EXPECT_LE(rest, 1h);
  EXPECT_EQ(until(kNever), base::Duration::max());
  EXPECT_EQ(until(kNever - 1), base::Duration::max()) << "more than a century";
}

TEST(ClientOverrides, ReplaceWhatTheySetAndNothingElse) {
  ClientPolicies policies;
  ClientOverrides overrides;
  overrides.apply_to(policies);
  EXPECT_EQ(policies, ClientPolicies());
  ClientPolicies wanted;
  wanted.round_trip = 1s;
  wanted.request = 2s;
  wanted.connect = 3s;
  wanted.request_end = 4;
  wanted.reply_end = 5;
  wanted.sync_scope = SyncScope::with_server;
  wanted.rebind = Rebind::no_reconnect;
  wanted.buffering.time = 6s;
  overrides = {wanted.round_trip,  wanted.request,   wanted.connect,
               wanted.request_end, wanted.reply_end, wanted.sync_scope,
               wanted.rebind,      wanted.buffering, nullptr};
  overrides.apply_to(policies);
  EXPECT_EQ(policies, wanted);
}

}  // namespace
}  // namespace corbel::policy
