// SPDX-License-Identifier: Apache-2.0
// Connections over which both sides ask: what they are lent for, and the end of what one side asks.
#include <string>

#include "corbel/connection/lender.hpp"
#include "harness.hpp"
#include "scripted.hpp"

namespace corbel::connection {
namespace {

TEST(Lenders, HaveSoManyEndpointsAndNoMore) {
  Scripted::Acts acts;
  const ConnectionPtr connection = connect(acts);
  const LenderPtr lender = base::make_shared<Lender>(*connection);
  const auto endpoint = [](std::size_t number) { return "tcp://host:" + std::to_string(number); };
  for (std::size_t i = 1; i <= Lender::kMostEndpoints; ++i) EXPECT_TRUE(lender->add(endpoint(i))) << i;
  EXPECT_FALSE(lender->add(endpoint(0)));
  EXPECT_FALSE(lender->lends(endpoint(0)));
  EXPECT_TRUE(lender->add(endpoint(1))) << "it is there already";
  EXPECT_EQ(lender->lends(endpoint(Lender::kMostEndpoints)), connection);
  lender->end();
  EXPECT_FALSE(lender->lends(endpoint(1)));
}

// As when the ORB ends: what is asked there afterwards would be answered to those who are gone.
TEST(SharedConnections, WhoseCallsWereEndedCarryNoneThatBeginLater) {
  Harness other("tcp://127.0.0.1:0");
  Harness harness("tcp://127.0.0.1:0");
  const ConnectionPtr own = other.connect();
  ASSERT_TRUE(own && harness.server().share(own));
  std::string answer;
  EXPECT_TRUE(other.call(*own, "x", answer).ok());
  harness.server().end_calls();
  EXPECT_FALSE(own->failed());
  EXPECT_EQ(other.call(*own, "x", answer).error(), base::error(Stage::send, Code::closed));
}

}  // namespace
}  // namespace corbel::connection
