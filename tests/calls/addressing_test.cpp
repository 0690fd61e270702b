// SPDX-License-Identifier: Apache-2.0
// Servers that do not take the key of an object, but its profile or its reference (CORBA 3.3 part 2, 9.4.2.1).
#include "corbel/ior/profile.hpp"
#include "support.hpp"

namespace corbel::calls_test {
namespace {

using test::FakePeer;
using test::Received;
using test::RefusingPort;
namespace answer = test::answer;

constexpr std::uint16_t kByKey = 0;
constexpr std::uint16_t kByProfile = 1;
constexpr std::uint16_t kByReference = 2;
constexpr std::uint32_t kNeedsAddressingMode = 5;

/// Answers requests that name their target so, and wants that of all others.
test::Answer takes(std::uint16_t by) {
  return [by](test::Conversation& conversation, const Received& request) {
    if (request.addressing == by) {
      conversation.reply(request, 0, [](test::Writer& body) { body.string("found"); });
    } else {
      conversation.reply(request, kNeedsAddressingMode, [by](test::Writer& body) { body.u16(by); });
    }
  };
}

/// What a request says behind the disposition.
struct Target {
  std::uint32_t selected = 0;
  std::string type_id;
  std::vector<ior::TaggedProfile> profiles;
};
Target target_of(const Received& request) {
  Target target;
  test::Reader reader(request.octets, request.little_endian, 24);
  const bool whole = request.addressing == kByReference;
  if (whole) target.selected = reader.u32();
  if (whole) target.type_id = reader.string();
  for (std::uint32_t left = whole ? reader.u32() : 1; left > 0; --left) {
    ior::TaggedProfile profile;
    profile.tag = reader.u32();
    const test::Octets data = reader.octets();
    profile.data.assign(data.begin(), data.end());
    target.profiles.push_back(std::move(profile));
  }
  return target;
}

std::vector<std::uint16_t> modes(const FakePeer& peer) {
  std::vector<std::uint16_t> all;
  for (const auto& message : peer.messages()) all.push_back(message.addressing);
  return all;
}

TEST(Addressing, IsByProfileOrReferenceForServersThatWantIt) {
  for (const std::uint16_t by : {kByProfile, kByReference}) {
    const RefusingPort dead;
    FakePeer peer({takes(by)});
    Client client;
    const auto thing = client.thing({dead.profile(), peer.profile("the key")});
    const ior::Ior& ior = thing->_target()->ior();
    EXPECT_EQ(thing->ask(""), "found");
    EXPECT_EQ(modes(peer), (std::vector<std::uint16_t>{kByKey, by}));
    const Target target = target_of(peer.last());
    EXPECT_EQ(peer.last().operation, "ask");
    if (by == kByProfile) {
      EXPECT_EQ(target.profiles, std::vector{ior.profiles.at(1)});
    } else {
      EXPECT_EQ(target.selected, 1U);
      EXPECT_EQ(target.type_id, ior.type_id);
      EXPECT_EQ(target.profiles, ior.profiles);
    }
    EXPECT_EQ(thing->ask(""), "found");
    EXPECT_EQ(thing->async_ask("").get(), "found");
    EXPECT_EQ(modes(peer), (std::vector<std::uint16_t>{kByKey, by, by, by})) << "known from then on";
    EXPECT_EQ(peer.connections(), 1U);
    peer.close_all(true);
    EXPECT_EQ(thing->ask(""), "found");
    EXPECT_EQ(peer.last().addressing, by) << "on other connections, too";
  }
}

TEST(Addressing, OfAsynchronousCallsIsTheSame) {
  FakePeer peer({takes(kByReference)});
  Client client;
  const auto thing = client.thing({peer.profile()});
  EXPECT_EQ(thing->async_ask("").get(), "found");
  EXPECT_EQ(thing->async_ask("").get(), "found");
  EXPECT_EQ(modes(peer), (std::vector<std::uint16_t>{kByKey, kByReference, kByReference}));
}

TEST(Addressing, BehindAForwardIsByTheReferenceThatWasForwardedTo) {
  FakePeer peer({takes(kByReference)});
  FakePeer forwarder({answer::forward({peer.profile("moved")})});
  Client client;
  const auto thing = client.thing({forwarder.profile()});
  EXPECT_EQ(thing->ask(""), "found");
  const auto profiles = target_of(peer.last()).profiles;
  ASSERT_EQ(profiles.size(), 1U);
  const auto iiop = ior::decode_iiop_profile(profiles[0]);
  ASSERT_TRUE(iiop);
  EXPECT_EQ(base::as_text(iiop->object_key), "moved");
  EXPECT_EQ(forwarder.requests(), 1U);
  EXPECT_EQ(forwarder.last().addressing, kByKey);
}

TEST(Addressing, ChangesWhenTheServerChangesItsMind) {
  FakePeer peer({takes(kByProfile)});
  Client client;
  const auto thing = client.thing({peer.profile()});
  EXPECT_EQ(thing->ask(""), "found");
  peer.set({takes(kByKey)});
  EXPECT_EQ(thing->ask(""), "found");
  peer.set({takes(kByReference)});
  EXPECT_EQ(thing->ask(""), "found");
  EXPECT_EQ(modes(peer), (std::vector<std::uint16_t>{kByKey, kByProfile, kByProfile, kByKey, kByKey, kByReference}));
}

TEST(Addressing, IsChangedOnceInACall) {
  const auto wants = [](std::uint16_t by) {
    return answer::status(kNeedsAddressingMode, [by](test::Writer& body) { body.u16(by); });
  };
  FakePeer fickle({wants(kByProfile), wants(kByReference), wants(kByProfile), wants(kByReference)});
  FakePeer other({answer::text("other")});
  Client client;
  EXPECT_EQ(ending_of([&] { client.thing({fickle.profile()})->ask(""); }).what, "NO_IMPLEMENT NO");
  EXPECT_EQ(fickle.requests(), 2U);
  EXPECT_EQ(client.thing({fickle.profile(), other.profile()})->ask(""), "other") << "nothing was executed";
  EXPECT_EQ(fickle.requests(), 4U);
}

TEST(Addressing, ThatDoesNotExistIsNotTried) {
  const auto wants = [](const std::function<void(test::Writer&)>& body) {
    return answer::status(kNeedsAddressingMode, body);
  };
  for (const auto& strange : {wants([](test::Writer& body) { body.u16(3); }), wants([](test::Writer&) {}),
                              wants([](test::Writer& body) { body.u16(kByKey); })}) {
    FakePeer peer({strange});
    Client client;
    EXPECT_EQ(ending_of([&] { client.thing({peer.profile()})->ask(""); }).what, "NO_IMPLEMENT NO");
    EXPECT_EQ(peer.requests(), 1U);
  }
}

TEST(Addressing, OfOnewaysThatAreAnsweredIsTheSame) {
  FakePeer peer({takes(kByProfile)});
  Client client({"-ORBSyncScope", "server"});
  client.thing({peer.profile()})->note(1);
  EXPECT_EQ(modes(peer), (std::vector<std::uint16_t>{kByKey, kByProfile}));
}

}  // namespace
}  // namespace corbel::calls_test
