// SPDX-License-Identifier: Apache-2.0
// Carriers that shake hands and keep octets inside, at the server.
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <future>
#include <thread>

#include "carriers/masked.hpp"
#include "corbel/messaging/giop/codec.hpp"
#include "harness.hpp"

namespace corbel::connection {
namespace {

using namespace std::chrono_literals;
using base::Code;
using base::Deadline;

class HandShakes : public testing::Test {
 protected:
  static Server::Settings impatient() {
    Server::Settings settings;
    settings.limits.message = 50ms;
    return settings;
  }
  /// A peer that speaks TCP and knows nothing of masks.
  std::unique_ptr<transport::Transport> stranger(Harness& harness) {
    const std::string text = harness.route.endpoint->text();
    const auto tcp = transport::make_tcp();
    const auto endpoint = tcp->parse(text.substr(text.find("://") + 3));
    return *tcp->make_connector()->connect(**endpoint, {}, Deadline::after(10s));
  }
  static void say(transport::Transport& to, const base::Bytes& octets) {
    const cdr::Segment whole{octets.data(), octets.size()};
    EXPECT_TRUE(to.send({&whole, 1}, Deadline::after(10s)));
  }
  /// What comes before the end.
  static std::size_t until_end(transport::Transport& from) {
    base::Octet room[256];
    for (std::size_t total = 0;;) {
      const auto count = from.receive(room, Deadline::after(20s));
      if (!count) {
        EXPECT_NE(count.error().code, Code::timed_out);
        return total;
      }
      total += *count;
    }
  }
};

TEST_F(HandShakes, APeerThatSaysNothingHoldsNobodyUp) {
  Server::Settings settings;
  settings.serving.threads = 2;
  Harness harness("masked://127.0.0.1:0", settings);
  std::vector<std::unique_ptr<transport::Transport>> silent;
  for (int i = 0; i < 20; ++i) {
    silent.push_back(stranger(harness));
    if (i % 2 == 0) say(*silent.back(), base::Bytes(5, 'x'));
  }
  const auto connection = harness.connect();
  ASSERT_TRUE(connection);
  std::string answer;
  ASSERT_TRUE(harness.call(*connection, "hello", answer));
  EXPECT_EQ(answer, "hello");
}

TEST_F(HandShakes, APeerThatDoesNotFinishIsCutOffWithoutAWord) {
  Harness harness("masked://127.0.0.1:0", impatient());
  for (const std::size_t octets : {0U, 1U, 15U}) {
    const auto peer = stranger(harness);
    if (octets != 0) say(*peer, base::Bytes(octets, 'x'));
    EXPECT_EQ(until_end(*peer), 0U) << "after " << octets;
  }
}

TEST_F(HandShakes, AServerThatEndsTellsThoseNothingThatHaveNotShakenHands) {
  auto harness = std::make_unique<Harness>("masked://127.0.0.1:0");
  const auto peer = stranger(*harness);
  say(*peer, base::Bytes(3, 'x'));
  const auto other = harness->connect();  // by now the server knows the first one
  ASSERT_TRUE(other);
  harness.reset();
  EXPECT_EQ(until_end(*peer), 0U);
}

TEST_F(HandShakes, WhatIsNoRecordEndsItsConnectionAndNoOther) {
  Harness harness("masked://127.0.0.1:0");
  const auto peer = stranger(harness);
  say(*peer, base::Bytes(16, 'n'));  // the number
  say(*peer, base::Bytes(2, 0));     // a record without octets
  EXPECT_EQ(until_end(*peer), 16U + 2 + 12) << "the server's number, and MessageError in a record";
  const auto connection = harness.connect();
  std::string answer;
  ASSERT_TRUE(connection && harness.call(*connection, "hello", answer));
}

TEST_F(HandShakes, RequestsInsideTheCarrierDoNotWaitForASlowUpcall) {
  std::promise<void> second_ran;
  auto ran = second_ran.get_future().share();
  Harness harness("masked://127.0.0.1:0");
  harness.serve = [&](Connection& c, const messaging::IncomingRequest& request, cdr::Decoder& body) {
    if (request.operation == "slow") (void)ran.wait_for(20s);
    if (request.operation == "quick") second_ran.set_value();
    Harness::echo(c, request, body);
  };
  const auto masked = carriers::make_masked(transport::make_tcp());
  const auto peer = *masked->make_connector()->connect(*harness.route.endpoint, {}, Deadline::after(10s));
  // Two records that the server takes in with one receive.
  const auto cork = [&](int on) { EXPECT_EQ(::setsockopt(peer->handle(), IPPROTO_TCP, TCP_CORK, &on, sizeof on), 0); };
  cork(1);
  const messaging::giop::Giop giop({1, 2});
  for (const char* operation : {"slow", "quick"}) {
    cdr::Encoder encoder{cdr::Format{}};
    messaging::OutgoingRequest request;
    request.object_key = harness.route.object_key;
    request.operation = operation;
    giop.encode_request(encoder, 2, request, [](cdr::Encoder& e) { e.put_string("x"); });
    say(*peer, encoder.to_bytes());
  }
  cork(0);
  EXPECT_EQ(ran.wait_for(10s), std::future_status::ready) << "the slow one was waited for";
}

TEST(WithoutAHandle, AServedConnectionIsReadWhileItsUpcallIsSlow) {
  std::promise<void> slow_runs, second_ran;
  auto ran = second_ran.get_future().share();
  Harness harness("bare://");
  harness.serve = [&](Connection& c, const messaging::IncomingRequest& request, cdr::Decoder& body) {
    if (request.operation == "slow") {
      slow_runs.set_value();
      (void)ran.wait_for(20s);
    } else {
      second_ran.set_value();
    }
    Harness::echo(c, request, body);
  };
  const auto connection = harness.connect();
  ASSERT_TRUE(connection);
  std::thread slow([&] {
    std::string answer;
    EXPECT_TRUE(harness.call(*connection, "first", answer, Deadline::after(30s), "slow"));
    EXPECT_EQ(answer, "first");
  });
  slow_runs.get_future().wait();
  std::string answer;
  EXPECT_TRUE(harness.call(*connection, "second", answer, Deadline::after(30s), "quick"));
  EXPECT_EQ(answer, "second");
  EXPECT_EQ(ran.wait_for(0s), std::future_status::ready);
  slow.join();
}

TEST(WithoutAHandle, AServedConnectionThatIsIdleTooLongIsClosed) {
  Server::Settings settings;
  settings.limits.idle = 1000ms;
  Harness harness("bare://", settings);
  auto connection = harness.connect();
  ASSERT_TRUE(connection);
  std::string answer;
  bool called = harness.call(*connection, "x", answer).ok();
  // A busy machine may have been idle so long before the call.
  for (int tries = 1; !called && tries < 5; ++tries) {
    connection = harness.connect();
    called = connection && harness.call(*connection, "x", answer).ok();
  }
  ASSERT_TRUE(called);
  // CloseConnection, and then the end.
  base::Octet room[64];
  std::size_t total = 0;
  for (;;) {
    const auto count = connection->transport().receive(base::ByteSpan(room).subspan(total), Deadline::after(20s));
    if (!count) {
      EXPECT_EQ(count.error().code, Code::closed);
      break;
    }
    total += *count;
  }
  EXPECT_EQ(total, 12U);
}

}  // namespace
}  // namespace corbel::connection
