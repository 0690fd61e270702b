// SPDX-License-Identifier: Apache-2.0
// What a client puts on the wire, octet for octet, and that the server made by hand behaves as it says.
#include "support.hpp"
#include "support/byte_order.hpp"

namespace corbel::calls_test {
namespace {

using test::FakePeer;
namespace answer = test::answer;

TEST(FakePeer, IsAskedWithTheseOctetsAndNoOthers) {
  for (std::uint8_t minor = 0; minor <= 2; ++minor) {
    FakePeer peer({answer::text("well")});
    Client client;
    auto profile = peer.profile("a key");
    profile.minor = minor;
    profile.code_sets = minor > 0;
    auto thing = client.thing({profile});
    EXPECT_EQ(thing->ask("how"), "well");
    EXPECT_EQ(thing->ask("now"), "well");
    ASSERT_EQ(peer.requests(), 2U);
    EXPECT_EQ(peer.connections(), 1U);
    const auto messages = peer.messages();
    for (std::size_t i = 0; i < 2; ++i) {
      test::Writer wanted(test::kLittleEndian);
      const bool tells_code_sets = i == 0 && minor > 0;
      const auto contexts = [&] {
        wanted.u32(tells_code_sets ? 1 : 0);
        if (tells_code_sets) wanted.u32(1).u32(12).octet(test::kOrderFlag).align(4).u32(0x05010001).u32(0x00010109);
      };
      wanted.giop(test::kRequest, minor);
      if (minor < 2) contexts();
      wanted.u32(messages[i].request_id).octet(minor < 2 ? 1 : 3);
      if (minor > 0) wanted.octet(0).octet(0).octet(0);
      if (minor == 2) wanted.u16(0).align(4);
      wanted.octets(test::octets_of("a key")).string("ask");
      if (minor == 2) contexts();
      if (minor < 2) wanted.u32(0);
      if (minor == 2) wanted.align(8);
      wanted.string(i == 0 ? "how" : "now");
      EXPECT_EQ(messages[i].octets, wanted.finish()) << "GIOP 1." << int{minor} << ", request " << i;
      EXPECT_EQ(messages[i].key, "a key");
      EXPECT_EQ(messages[i].operation, "ask");
      EXPECT_EQ(messages[i].contexts.size(), tells_code_sets ? 1U : 0U);
    }
    EXPECT_EQ(messages[1].request_id, messages[0].request_id + 2);
  }
}

TEST(FakePeer, GivesTheAnswersInTurnAndRepeatsTheLast) {
  FakePeer peer({answer::text("one"), answer::user_exception("IDL:Calls/Refused:1.0"), answer::text("three")});
  Client client;
  auto thing = client.thing(peer.ior());
  EXPECT_EQ(thing->ask(""), "one");
  EXPECT_THROW(thing->ask(""), Calls::Refused);
  EXPECT_EQ(thing->ask(""), "three");
  EXPECT_EQ(thing->ask(""), "three");
  EXPECT_EQ(peer.requests(), 4U);
}

TEST(FakePeer, TellsClientsThatItEnds) {
  FakePeer peer({answer::text("")});
  Client client;
  auto thing = client.thing(peer.ior());
  thing->ask("");
  ASSERT_TRUE(peer.wait_for_open(1));
  peer.close_all(true);
  ASSERT_TRUE(peer.wait_for_open(0));
  thing->ask("");
  EXPECT_EQ(peer.connections(), 2U);
  EXPECT_EQ(peer.requests(), 2U);
}

TEST(FakePeer, PortsThatRefuseAndPortsThatAreSilentDoSo) {
  const test::RefusingPort refusing;
  const test::SilentPort silent;
  Client client({"-ORBConnectTimeout", "50"});
  EXPECT_EQ(ending_of([&] { client.thing({refusing.profile()})->act(); }).what, "TRANSIENT NO");
  EXPECT_EQ(ending_of([&] { client.thing({silent.profile()})->act(); }).what, "TIMEOUT NO");
}

TEST(FakePeer, SendsHalfAMessageOrResets) {
  FakePeer peer({answer::half(answer::text("whole"), 20), answer::reset()});
  Client client;
  auto thing = client.thing(peer.ior());
  EXPECT_EQ(ending_of([&] { thing->ask(""); }).what, "COMM_FAILURE MAYBE");
  EXPECT_EQ(ending_of([&] { thing->ask(""); }).what, "COMM_FAILURE MAYBE");
  EXPECT_EQ(peer.requests(), 2U);
}

}  // namespace
}  // namespace corbel::calls_test
