// SPDX-License-Identifier: Apache-2.0
// Connections over which both sides ask: what they are lent for, and the end of what one side asks.
#include <memory>
#include <string>

#include "corbel/base/kept_log.hpp"
#include "corbel/connection/lender.hpp"
#include "corbel/ipc/stream.hpp"
#include "corbel/transport/stream_transport.hpp"
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

// As when the ORB ends: what is asked there afterwards would be answered to callers that are gone.
TEST(SharedConnections, WhoseCallsWereEndedCarryNoneThatBeginLater) {
  Harness other("tcp://127.0.0.1:0");
  Harness harness("tcp://127.0.0.1:0");
  const ConnectionPtr own = other.connect();
  ASSERT_TRUE(own);
  const auto shared = harness.server().share(own);
  ASSERT_TRUE(shared && *shared);
  std::string answer;
  EXPECT_TRUE(other.call(*own, "x", answer).ok());
  harness.server().end_calls();
  EXPECT_FALSE(own->failed());
  EXPECT_EQ(other.call(*own, "x", answer).error(), base::error(Stage::send, Code::closed));
}

// They wait with the replies, and are lost with as much in the log as others.
TEST(SharedConnections, WhosePeerReadsNothingTellOnceThatTheyDropOneways) {
  Server::Settings serving;
  serving.limits.reply_backlog = 1000;
  Harness harness("tcp://127.0.0.1:0", serving);
  auto ends = *ipc::make_stream_pair();
  const auto kept = std::make_shared<base::KeptLog>();
  const base::Log log({.levels = base::KeptLog::everything(), .sink = kept});
  OnewayCounters counters;
  Connection::Settings settings;
  settings.version = {1, 2};
  settings.log = &log;
  settings.oneway_counters = &counters;
  const ConnectionPtr own(
      new Connection(std::make_unique<transport::StreamTransport<ipc::UnixAddress>>("near", std::move(ends.first)),
                     messaging::make_giop(), settings));
  const auto shared = harness.server().share(own);
  ASSERT_TRUE(shared && *shared);
  messaging::OutgoingRequest request;
  request.operation = "tell";
  request.response = messaging::Response::none;
  const std::string much(100'000, 'x');
  const auto body = [&](cdr::Encoder& encoder) { encoder.put_string(much); };
  while (counters.dropped < 5) ASSERT_TRUE(own->post_oneway(request, body, base::Deadline::none()));
  EXPECT_EQ(kept->count("oneway messages dropped"), 1U);
  EXPECT_EQ(kept->wait_for("oneway messages dropped").value("limit"), "-ORBMaxReplyBacklog");
  own->cut(base::error(Stage::wait, Code::cancelled));
}

}  // namespace
}  // namespace corbel::connection
