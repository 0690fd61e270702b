// SPDX-License-Identifier: Apache-2.0
// Conversations over carriers that lose, repeat and reorder messages.
#include "corbel/ipc/datagram.hpp"
#include "eventually.hpp"
#include "harness.hpp"

namespace corbel::connection {
namespace {

using base::Code;
using base::Deadline;
using base::Stage;
using transport::faulty::Script;
using transport::faulty::Side;
using namespace std::chrono_literals;

class Datagrams : public testing::TestWithParam<const char*> {
 protected:
  void send(const base::Bytes& octets) {
    const cdr::Segment whole{octets.data(), octets.size()};
    ASSERT_TRUE(connection_->transport().send({&whole, 1}, Deadline::none()));
  }
  void works() {
    ASSERT_TRUE(harness_.call(*connection_, "still", answer_));
    EXPECT_EQ(answer_, "still");
    EXPECT_FALSE(connection_->failed());
  }

  Harness harness_{GetParam()};
  ConnectionPtr connection_ = harness_.connect();
  std::string answer_;
};

TEST_P(Datagrams, ACallWhoseRequestOrReplyIsLostEndsInItsTimeAndTheNextGoesThrough) {
  for (const Side side : {Side::connecting, Side::accepting}) {
    works();
    Script script;
    script.lose_every = 1;
    harness_.plan->set(side, script);
    const auto lost = harness_.call(*connection_, "lost", answer_, Deadline::after(20ms));
    ASSERT_FALSE(lost);
    EXPECT_EQ(lost.error(), base::error(Stage::wait, Code::timed_out));
    harness_.plan->set(side, {});
    works();
  }
}

TEST_P(Datagrams, WhatComesTwiceOrOutOfOrderDoesNoHarm) {
  Script script;
  script.repeat_every = 2;
  script.overtake_every = 7;
  harness_.plan->set(Side::accepting, script);
  harness_.plan->set(Side::connecting, script);
  int answered = 0;
  for (int i = 0; i < 60; ++i) {
    const std::string text = std::to_string(i);
    answered += harness_.call(*connection_, text, answer_, Deadline::after(100ms)) && answer_ == text ? 1 : 0;
  }
  EXPECT_GE(answered, 30);
  harness_.plan->set(Side::accepting, {});
  harness_.plan->set(Side::connecting, {});
  works();
}

TEST_P(Datagrams, WhatMakesNoSenseIsDroppedAndTheConversationGoesOn) {
  works();
  base::Bytes cut{'G', 'I', 'O', 'P', 1, 2, 1, 0, 200, 0, 0, 0, 1, 2, 3};
  base::Bytes too_long{'G', 'I', 'O', 'P', 1, 2, 1, 0, 4, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8};
  for (const base::Bytes& octets :
       {base::Bytes{0}, base::Bytes(5, 'x'), base::Bytes(3000, 0xff), cut, too_long, base::Bytes(100, 0)}) {
    send(octets);
    works();
  }
}

TEST_P(Datagrams, ARequestBeyondTheLargestIsRefusedAndNothingElseHarmed) {
  const std::string large(connection_->transport().traits().largest_message, 'x');
  EXPECT_EQ(harness_.call(*connection_, large, answer_).error(), base::error(Stage::encode, Code::too_large));
  works();
}

// A datagram may be forged, or overtake what was sent before it.
TEST_P(Datagrams, AnEndThatIsAnnouncedSaysNothingOfWhatHasBeenExecuted) {
  works();
  std::atomic<int> executed{0};
  for (const bool close : {true, false}) {
    harness_.serve = [&](Connection& c, const messaging::IncomingRequest&, cdr::Decoder&) {
      cdr::Encoder encoder;
      if (close ? c.session().put_close(encoder) : c.session().put_error(encoder)) {
        (void)c.transport().send(encoder.segments(), Deadline::now());
      }
      ++executed;  // at last: then this is replaced
    };
    EXPECT_EQ(harness_.call(*connection_, "once", answer_, Deadline::after(50ms)).error(),
              base::error(Stage::wait, Code::timed_out));
    ASSERT_TRUE(test::eventually([&] { return executed == (close ? 1 : 2); }));
    harness_.serve = [](Connection& c, const messaging::IncomingRequest& request, cdr::Decoder& body) {
      Harness::echo(c, request, body);
    };
    works();
  }
  EXPECT_EQ(executed, 2);
}

TEST_P(Datagrams, AServerThatEndsAConversationDoesNotSaySo) {
  works();
  for (const ConnectionPtr& each : harness_.server().all_live()) each->close();
  base::Bytes room(100'000);
  EXPECT_EQ(connection_->transport().receive(room, Deadline::now()).error().code, Code::would_block);
  const Deadline deadline = Deadline::after(20s);
  while (!harness_.call(*connection_, "anew", answer_, Deadline::after(20ms))) ASSERT_FALSE(deadline.expired());
  EXPECT_EQ(answer_, "anew");
}

TEST_P(Datagrams, CallsToAServerThatHasGoneFailBeforeTheirTime) {
  works();
  const auto port = connection_->transport().peer();
  const auto nobody = ipc::UdpSocket::open(ipc::InetAddress::loopback_v4())->local_address();  // closed at once
  ASSERT_TRUE(nobody);
  Route route = harness_.route;
  route.endpoint = *transport::make_udp()->parse(nobody->to_string());
  route.key = nobody->to_string();
  bool fresh = false;
  const auto connection = *harness_.cache().acquire(route, Deadline::after(10s), fresh);
  const auto lost = harness_.call(*connection, "nobody", answer_);
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code, Code::lost);
}

INSTANTIATE_TEST_SUITE_P(All, Datagrams, testing::Values("udp://127.0.0.1:0", "giop_lite+udp://127.0.0.1:0"),
                         [](const auto& test) { return test.param[0] == 'u' ? "giop" : "giop_lite"; });

}  // namespace
}  // namespace corbel::connection
