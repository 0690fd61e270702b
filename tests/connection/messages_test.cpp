// SPDX-License-Identifier: Apache-2.0
// What changes where the carrier keeps messages, and which combinations there cannot be.
#include <thread>

#include "corbel/messaging/giop/codec.hpp"
#include "harness.hpp"

namespace corbel::connection {
namespace {

using namespace std::chrono_literals;
using base::Code;
using base::Deadline;
using base::Stage;

/// The transport inproc with other traits.
class Described final : public transport::Factory {
 public:
  explicit Described(const transport::Traits& traits) : traits_(traits) {}
  std::string_view scheme() const noexcept override { return "odd"; }
  transport::Traits traits() const noexcept override { return traits_; }
  base::Result<transport::EndpointPtr> parse(std::string_view address) const override { return inner_->parse(address); }
  std::unique_ptr<transport::Connector> make_connector() const override { return inner_->make_connector(); }
  base::Result<std::unique_ptr<transport::Acceptor>> listen(const transport::Endpoint& endpoint,
                                                            const transport::Options& options) const override {
    return inner_->listen(endpoint, options);
  }
  base::Result<transport::Reachable> decode(const ior::TaggedProfile& profile,
                                            const cdr::Limits& limits) const override {
    return transport::make_tcp()->decode(profile, limits);
  }

 private:
  const std::shared_ptr<const transport::Factory> inner_ = transport::make_inproc();
  const transport::Traits traits_;
};

TEST(Combinations, ARefusalNamesTheNeedThatIsNotMet) {
  const auto refusal = [](const transport::Traits& traits) {
    const Registry registry({messaging::make_giop(), messaging::make_giop_lite()},
                            {std::make_shared<Described>(traits)}, {1, 2}, {});
    const auto point = registry.parse_endpoint("odd://name");
    EXPECT_EQ(point ? base::Error() : point.error(), registry.why_unfit("odd://name").empty()
                                                         ? base::Error()
                                                         : base::error(Stage::configure, Code::unsupported));
    return registry.why_unfit("odd://name");
  };
  EXPECT_EQ(refusal({}), "");
  EXPECT_EQ(refusal({.reliable = false}), "protocol 'giop' needs a transport that loses nothing, which 'odd' does not");
  EXPECT_EQ(refusal({.ordered = false}),
            "protocol 'giop' needs a transport that keeps the order, which 'odd' does not");
  EXPECT_EQ(refusal({.byte_stream = false}),
            "protocol 'giop' needs a transport that says how large its messages may be, which 'odd' does not");
  EXPECT_EQ(refusal({.byte_stream = false, .largest_message = 100}), "");
  EXPECT_EQ(refusal({.byte_stream = false, .reliable = false, .ordered = false, .largest_message = 100}), "");
  const transport::Traits group{.byte_stream = false, .group_profile = 3, .largest_message = 100};
  EXPECT_EQ(refusal(group), "");
  const Registry registry({messaging::make_giop(), messaging::make_giop_lite()}, {std::make_shared<Described>(group)},
                          {1, 2}, {});
  EXPECT_EQ(registry.why_unfit("giop_lite+odd://name"),
            "protocol 'giop_lite' needs a transport that has one peer at its other end, which 'odd' does not");
}

// References come from elsewhere, where the protocol may be spoken over what is here by that name.
TEST(Combinations, AProfileLeadsToNoTransportThatDoesNotMeetTheProtocolsNeeds) {
  ior::IiopProfile profile;
  profile.version = {1, 2};
  profile.host = "127.0.0.1";
  profile.port = 1;
  profile.object_key = {'k'};
  const ior::Ior ior{"", {ior::encode_profile(profile)}};
  const auto routes = [&](const transport::Traits& traits) {
    return Registry({messaging::make_giop()}, {std::make_shared<Described>(traits)}, {1, 2}, {}).routes(ior, {});
  };
  EXPECT_TRUE(routes({}));
  const auto none = routes({.reliable = false});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error(), base::error(Stage::resolve, Code::no_profile));
}

class Messages : public testing::Test {
 protected:
  static std::size_t largest(Connection& connection) { return connection.transport().traits().largest_message; }

  Harness harness_{"packet://"};
  ConnectionPtr connection_ = harness_.connect();
  std::string answer_;
};

TEST_F(Messages, ARequestBeyondTheLargestIsRefusedAndNothingElseHarmed) {
  const std::string large(largest(*connection_), 'x');
  const auto refused = harness_.call(*connection_, large, answer_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), base::error(Stage::encode, Code::too_large));
  messaging::OutgoingRequest oneway;
  oneway.object_key = harness_.route.object_key;
  oneway.operation = "echo";
  oneway.response = messaging::Response::none;
  const auto body = [&](cdr::Encoder& encoder) { encoder.put_string(large); };
  EXPECT_EQ(connection_->send_oneway(oneway, body, Deadline::none()).error().code, Code::too_large);
  EXPECT_EQ(connection_->post_oneway(oneway, body, Deadline::none()).error().code, Code::too_large);
  EXPECT_FALSE(connection_->failed());
  EXPECT_TRUE(harness_.call(*connection_, "still", answer_));
  EXPECT_EQ(answer_, "still");
}

TEST_F(Messages, AReplyBeyondTheLargestIsRefusedToTheServantAndNothingElseHarmed) {
  const std::string large(largest(*connection_), 'x');
  harness_.serve = [&](Connection& c, const messaging::IncomingRequest& request, cdr::Decoder&) {
    const auto reply = [&](const std::string& text) {
      return c.reply(request.origin, messaging::ReplyStatus::no_exception, {},
                     [&](cdr::Encoder& encoder) { encoder.put_string(text); });
    };
    EXPECT_EQ(reply(large).error(), base::error(Stage::encode, Code::too_large));
    EXPECT_TRUE(reply("small"));
  };
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(harness_.call(*connection_, "x", answer_));
    EXPECT_EQ(answer_, "small");
  }
}

TEST_F(Messages, RepliesThatWaitForTheirPeerRemainMessages) {
  // No thread reads the replies until far more have been asked for than fit into the socket.
  const std::string text(20000, 'r');
  const auto connector = transport::make_packet()->make_connector();
  const auto peer = *connector->connect(*harness_.route.endpoint, {}, Deadline::after(10s));
  const messaging::giop::Giop giop({1, 2});
  constexpr std::uint32_t kRequests = 40;
  for (std::uint32_t i = 0; i < kRequests; ++i) {
    cdr::Encoder encoder{cdr::Format{}};
    messaging::OutgoingRequest request;
    request.object_key = harness_.route.object_key;
    request.operation = "echo";
    giop.encode_request(encoder, 2 * i, request, [&](cdr::Encoder& e) { e.put_string(text); });
    const auto sent = peer->send_some(encoder.segments(), Deadline::after(200ms));
    if (!sent) {
      EXPECT_EQ(sent.error().code, Code::would_block) << "the server reads no more from one that takes no replies";
      ASSERT_GT(i, 2U);
      break;
    }
  }
  base::Bytes room(peer->traits().largest_message);
  std::size_t replies = 0;
  for (;; ++replies) {
    const auto size = peer->receive(room, Deadline::after(replies < 3 ? 20s : 300ms));
    if (!size) break;
    const auto frame = giop.decode_frame(base::ConstByteSpan(room).first(*size), {});
    ASSERT_TRUE(frame) << "reply " << replies;
    EXPECT_EQ(frame->message_size, *size) << "reply " << replies;
  }
  EXPECT_GT(replies, 2U);
}

TEST_F(Messages, WhatIsNotExactlyOneMessageEndsItsConnectionAndNoOther) {
  const messaging::giop::Giop giop({1, 2});
  cdr::Encoder encoder{cdr::Format{}};
  messaging::OutgoingRequest request;
  request.object_key = harness_.route.object_key;
  request.operation = "echo";
  giop.encode_request(encoder, 2, request, [](cdr::Encoder& e) { e.put_string("x"); });
  const base::Bytes whole = encoder.to_bytes();
  base::Bytes twice = whole;
  twice.insert(twice.end(), whole.begin(), whole.end());
  const base::Bytes half(whole.begin(), whole.end() - 4);
  const base::Bytes less_than_a_header(whole.begin(), whole.begin() + 5);
  for (const base::Bytes& hostile : {twice, half, less_than_a_header}) {
    const auto connector = transport::make_packet()->make_connector();
    const auto peer = *connector->connect(*harness_.route.endpoint, {}, Deadline::after(10s));
    const cdr::Segment segment{hostile.data(), hostile.size()};
    ASSERT_TRUE(peer->send({&segment, 1}, Deadline::after(10s)));
    base::Bytes room(peer->traits().largest_message);
    auto size = peer->receive(room, Deadline::after(20s));
    ASSERT_TRUE(size);
    EXPECT_EQ(giop.decode_frame(base::ConstByteSpan(room).first(*size), {})->type,
              messaging::MessageType::message_error);
    size = peer->receive(room, Deadline::after(20s));
    ASSERT_FALSE(size);
    EXPECT_NE(size.error().code, Code::timed_out);
  }
  EXPECT_TRUE(harness_.call(*connection_, "x", answer_));
}

}  // namespace
}  // namespace corbel::connection
