// SPDX-License-Identifier: Apache-2.0
// What clients say, octet by octet, and what they do with what comes back: against servers made by hand.
#include "corbel/ior/profile.hpp"
#include "corbel/orb/parts.hpp"
#include "corbel/orb/statistics.hpp"
#include "support.hpp"

namespace corbel::bidirectional_test {
namespace {

using BiDirPolicy::BOTH;
using test::FakePeer;
using test::Reader;
using test::Received;
namespace answer = test::answer;

constexpr std::uint32_t kListenPoints = 5;

/// The data of a context of a request in GIOP 1.2; nothing if it has none.
std::vector<test::Octets> contexts_of(const Received& request, std::uint32_t id) {
  Reader reader(request.octets, request.little_endian, 12 + 4 + 4 + 2);
  reader.align(4);
  (void)reader.octets();  // key
  (void)reader.string();
  std::vector<test::Octets> found;
  for (std::uint32_t left = reader.u32(); left > 0; --left) {
    const std::uint32_t context = reader.u32();
    auto data = reader.octets();
    if (context == id) found.push_back(std::move(data));
  }
  return found;
}

GuestRef guest_at(const Orb& orb, const FakePeer& peer) {
  return IDL::traits<Guests::Guest>::unchecked_narrow(orb->string_to_object(peer.ior()));
}

TEST(Offers, AreMadeOnceForEachConnection) {
  FakePeer peer({answer::text("yes")});
  ClientSide client;
  const GuestRef remote = guest_at(client.orb, peer);
  for (int i = 0; i < 3; ++i) (void)remote->ask("");
  const auto messages = peer.messages();
  ASSERT_EQ(messages.size(), 3U);
  const auto offered = contexts_of(messages[0], kListenPoints);
  ASSERT_EQ(offered.size(), 1U);
  Reader points(offered[0], offered[0].at(0) == 1, 4);
  EXPECT_EQ(points.u32(), 1U);
  EXPECT_EQ(points.string(), "127.0.0.2");
  const std::string port = ":" + std::to_string(points.u16());
  EXPECT_EQ(points.position(), offered[0].size());
  EXPECT_NE(client.orb->object_to_string(client.guest), "");
  for (std::size_t i = 1; i < 3; ++i) EXPECT_TRUE(contexts_of(messages[i], kListenPoints).empty()) << i;
  for (const auto& message : messages) EXPECT_EQ(message.request_id % 2, 0U) << "the originator's ids are even";
  EXPECT_EQ(contexts_of(messages[0], 1).size(), 1U) << "code sets";
  EXPECT_NE(port, ":0");
  const auto conversations = orb::conversations(*client.orb.ref());
  ASSERT_EQ(conversations.size(), 1U);
  EXPECT_FALSE(conversations[0].accepted) << "though it is read like those that are";
}

TEST(Offers, AreNotMadeByThoseWhoHaveNothingToCallBack) {
  FakePeer peer({answer::text("yes")});
  ClientSide client(BiDirPolicy::NORMAL);
  (void)guest_at(client.orb, peer)->ask("");
  EXPECT_TRUE(contexts_of(peer.last(), kListenPoints).empty());
}

TEST(Offers, AreNotMadeInOlderVersions) {
  FakePeer peer({answer::text("yes")});
  ClientSide client;
  auto profile = peer.profile();
  profile.minor = 1;
  const auto old =
      IDL::traits<Guests::Guest>::unchecked_narrow(client.orb->string_to_object(test::ior_string({profile})));
  EXPECT_EQ(old->ask(""), "yes");
  EXPECT_EQ(peer.last().contexts, std::vector<std::uint32_t>{1});
}

// A connection that was made before there was anything to offer is left.
TEST(Offers, AreMadeOverANewConnection) {
  FakePeer peer({answer::text("yes")});
  Orb orb;
  const GuestRef remote = guest_at(orb, peer);
  for (int i = 0; i < 2; ++i) (void)remote->ask("");
  EXPECT_EQ(peer.connections(), 1U);
  const auto servant = CORBA::make_reference<Guest>();
  (void)Orb::activate<Guests::Guest>(orb.adapter(BOTH), servant);
  for (int i = 0; i < 2; ++i) (void)remote->ask("");
  EXPECT_EQ(peer.connections(), 2U);
  EXPECT_EQ(contexts_of(peer.messages()[2], kListenPoints).size(), 1U);
  EXPECT_EQ(guest_at(orb, peer)->ask(""), "yes");
  EXPECT_EQ(peer.connections(), 2U);
}

/// The ports that a request offers to call back at, in their order.
std::vector<std::uint16_t> offered_ports(const Received& request) {
  std::vector<std::uint16_t> ports;
  const auto offered = contexts_of(request, kListenPoints);
  if (offered.size() != 1) return ports;
  Reader points(offered[0], offered[0].at(0) == 1, 4);
  for (std::uint32_t left = points.u32(); left > 0; --left) {
    (void)points.string();
    ports.push_back(points.u16());
  }
  return ports;
}

TEST(Offers, FollowWhatTheOrbListensAtWhileConnectionsAreOpen) {
  FakePeer peer({answer::text("yes")});
  ClientSide client;
  const GuestRef remote = guest_at(client.orb, peer);
  (void)remote->ask("");
  const auto first = offered_ports(peer.last());
  ASSERT_EQ(first.size(), 1U);

  const std::string second = orb::listen(*client.orb.ref(), "tcp://127.0.0.1:0").at(0);
  (void)remote->ask("");
  auto ports = offered_ports(peer.last());
  ASSERT_EQ(ports.size(), 2U) << "the endpoint that was added";
  EXPECT_TRUE(second.ends_with(":" + std::to_string(ports[0] == first[0] ? ports[1] : ports[0]))) << second;

  ASSERT_TRUE(orb::stop_listening(*client.orb.ref(), second));
  (void)remote->ask("");
  EXPECT_EQ(offered_ports(peer.last()), first) << "the endpoint that was closed";
  EXPECT_EQ(peer.connections(), 3U);
  for (int i = 0; i < 2; ++i) (void)remote->ask("");
  EXPECT_EQ(peer.connections(), 3U);
  EXPECT_FALSE(orb::stop_listening(*client.orb.ref(), second));
  (void)remote->ask("");
  EXPECT_EQ(peer.connections(), 3U) << "nothing has changed";
}

// --- what comes back ---

/// The key in a reference.
std::string key_of(const GuestRef& guest) {
  for (const auto& profile : guest->_target()->ior().profiles) {
    if (auto iiop = ior::decode_iiop_profile(profile)) return std::string(base::as_text(iiop->object_key));
  }
  return {};
}

/// Answers the first request with octets before the answer itself, and then whatever the client sends with nothing.
class AskedBack : public ::testing::Test {
 protected:
  /// What the client sends besides its request, when the server has sent `octets` to it.
  std::vector<Received> after(const test::Octets& octets, std::size_t count) {
    peer_.set({[octets](test::Conversation& conversation, const Received& request) {
      conversation.send(octets);
      conversation.reply(request, 0, [](test::Writer& body) { body.string("yes"); });
    }});
    EXPECT_EQ(guest_at(client_.orb, peer_)->ask(""), "yes");
    EXPECT_TRUE(peer_.wait_for_messages(1 + count));
    auto messages = peer_.messages();
    messages.erase(messages.begin());
    return messages;
  }
  static std::uint32_t id_of(const Received& reply) { return Reader(reply.octets, reply.little_endian, 12).u32(); }
  static std::uint32_t status_of(const Received& reply) {
    Reader reader(reply.octets, reply.little_endian, 16);
    return reader.u32();
  }

  FakePeer peer_;
  ClientSide client_;
};

TEST_F(AskedBack, AnswersForItsObjects) {
  const auto request = test::raw_request(1, key_of(client_.guest), "ask", [](test::Writer& body) { body.string("!"); });
  const auto sent = after(request, 1);
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].type, test::kReply);
  EXPECT_EQ(id_of(sent[0]), 1U);
  EXPECT_EQ(status_of(sent[0]), 0U);
  EXPECT_EQ(client_.servant->asked, 1);
}

TEST_F(AskedBack, AnswersWhereObjectsAre) {
  test::Writer locate;
  locate.giop(test::kLocateRequest, 2).u32(3).u16(0).align(4).octets(test::octets_of(key_of(client_.guest)));
  const auto sent = after(locate.finish(), 1);
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].type, test::kLocateReply);
  EXPECT_EQ(status_of(sent[0]), 1U) << "OBJECT_HERE";
}

TEST_F(AskedBack, RefusesWhatIsNotForServers) {
  const auto hidden = CORBA::make_reference<Guest>();
  const auto reference = Orb::activate<Guests::Guest>(client_.orb.adapter(BiDirPolicy::NORMAL), hidden);
  for (const std::string& key : {key_of(reference), std::string("NameService"), std::string("\0junk", 5)}) {
    const std::size_t before = peer_.messages().size();
    peer_.set({[&](test::Conversation& conversation, const Received& request) {
      conversation.send(test::raw_request(1, key, "ask", [](test::Writer& body) { body.string("!"); }));
      conversation.reply(request, 0, [](test::Writer& body) { body.string("yes"); });
    }});
    EXPECT_EQ(guest_at(client_.orb, peer_)->ask(""), "yes");
    ASSERT_TRUE(peer_.wait_for_messages(before + 2));
    EXPECT_EQ(status_of(peer_.messages().back()), 2U) << "a system exception";
  }
  EXPECT_EQ(hidden->asked, 0);
}

// It does not tell either whether they are here.
TEST_F(AskedBack, DoesNotFindWhatIsNotForServers) {
  const auto hidden = Orb::activate<Guests::Guest>(client_.orb.adapter(BiDirPolicy::NORMAL), client_.servant);
  test::Writer locate;
  locate.giop(test::kLocateRequest, 2).u32(3).u16(0).align(4).octets(test::octets_of(key_of(hidden)));
  const auto sent = after(locate.finish(), 1);
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].type, test::kLocateReply);
  EXPECT_EQ(status_of(sent[0]), 4U) << "LOC_SYSTEM_EXCEPTION";
}

// Nothing that a server sends harms its client.
TEST_F(AskedBack, EndsConversationsThatMakeNoSense) {
  peer_.set({[](test::Conversation& conversation, const Received&) {
               test::Writer request;
               request.giop(test::kRequest, 2).u32(1).u32(0xffffffff);
               conversation.send(request.finish());
             },
             answer::text("well")});
  EXPECT_EQ(ending_of([&] { (void)guest_at(client_.orb, peer_)->ask(""); }), "MARSHAL MAYBE");
  EXPECT_EQ(guest_at(client_.orb, peer_)->ask(""), "well");
  EXPECT_EQ(peer_.connections(), 2U);
}

TEST_F(AskedBack, IsToldWhatBecameOfItsRequestsAsEver) {
  peer_.set({answer::close_connection(), answer::text("again"), answer::end()});
  EXPECT_EQ(guest_at(client_.orb, peer_)->ask(""), "again") << "CloseConnection: it was not executed";
  EXPECT_EQ(ending_of([&] { (void)guest_at(client_.orb, peer_)->ask(""); }), "COMM_FAILURE MAYBE");
  peer_.set({answer::reset()});
  EXPECT_EQ(ending_of([&] { (void)guest_at(client_.orb, peer_)->ask(""); }), "COMM_FAILURE MAYBE");
  peer_.set({answer::message_error()});
  EXPECT_EQ(ending_of([&] { (void)guest_at(client_.orb, peer_)->ask(""); }), "COMM_FAILURE MAYBE");
}

}  // namespace
}  // namespace corbel::bidirectional_test
