// SPDX-License-Identifier: Apache-2.0
// References in messages, and keys that clients make up.
#include "support.hpp"

namespace corbel::bridge_test {
namespace {

Bridged::Card card_of(std::vector<TargetRef> who) {
  return Bridged::Card(7, "names:", std::move(who));
}

TEST(References, CallBacksGoThroughTheBridge) {
  Side server("server", "unix://");
  Between between(with_types(), {"tcp://127.0.0.1:0", "giop_lite+unix://"});
  Side client("client");
  const TargetRef target = client.target(between.add(server.reference()));
  EXPECT_EQ(target->call_back(card_of({client.servant->own, client.servant->own})), "names: client client");
  EXPECT_EQ(between.bridge.counts().forwarded, 3U);
  EXPECT_EQ(between.bridge.counts().references, 2U) << "the same reference is kept once";
  EXPECT_EQ(between.bridge.counts().by_types, 1U) << "the others went octet for octet";
}

TEST(References, WithoutTypesTheyStayAsTheyAre) {
  Side server("server");
  Between between;
  Side client("client");
  const TargetRef target = client.target(between.add(server.reference()));
  EXPECT_EQ(target->call_back(card_of({client.servant->own})), "names: client");
  EXPECT_EQ(between.bridge.counts().forwarded, 1U) << "the call-back went past the bridge";
}

TEST(References, KeepTheirIdentity) {
  Side server("server");
  Between between(with_types());
  Side client("client");
  const std::string reference = between.add(server.reference());
  const TargetRef target = client.target(reference);
  EXPECT_TRUE(target->is_own(target)) << "the server gets its own reference back";
  const TargetRef back = target->same(client.servant->own);
  EXPECT_TRUE(back->_is_equivalent(client.servant->own)) << "and so does the client";
  EXPECT_EQ(target->same(nullptr), nullptr);
  try {
    target->refuse("no");
    ADD_FAILURE() << "nothing was raised";
  } catch (const Bridged::Refused& refused) {
    EXPECT_TRUE(refused.who()->_is_equivalent(target)) << "what the server hands out is what was published";
    EXPECT_EQ(key_of(client.orb->object_to_string(refused.who())), key_of(reference));
    EXPECT_EQ(refused.who()->name(), "server");
  }
}

TEST(References, AnObjectHandedOutIsCalledThroughTheBridge) {
  Side third("third"), server("server");
  Between between(with_types());
  const Side client("client");
  const TargetRef target = client.target(between.add(server.reference()));
  const TargetRef foreign = client.target(third.reference());
  // There and back it is what it was; handed out by the server it leads through the bridge.
  EXPECT_EQ(target->same(foreign)->name(), "third");
  server.servant->own = third.servant->own;
  try {
    target->refuse("no");
    ADD_FAILURE() << "nothing was raised";
  } catch (const Bridged::Refused& refused) {
    const std::uint64_t before = between.bridge.counts().forwarded;
    EXPECT_EQ(refused.who()->name(), "third");
    EXPECT_EQ(between.bridge.counts().forwarded, before + 1);
    // Handles cannot be made up: one octet more or less, or another one, is no handle.
    const std::string key = key_of(client.orb->object_to_string(refused.who()));
    ASSERT_EQ(key.size(), 20U);
    test::RawPeer raw(port_of(client.orb->object_to_string(refused.who())));
    const auto answered = [&](const std::string& with) {
      EXPECT_TRUE(raw.send(test::raw_request(5, with, "name")));
      const auto reply = raw.message();
      return reply ? std::string(reply->begin(), reply->end()) : std::string();
    };
    EXPECT_NE(answered(key).find("third"), std::string::npos);
    for (std::size_t at = 0; at < key.size(); ++at) {
      std::string other = key;
      other[at] = static_cast<char>(other[at] ^ 1);
      EXPECT_NE(answered(other).find("OBJECT_NOT_EXIST"), std::string::npos) << at;
    }
    for (const std::string& other : {key.substr(1), key + 'x', key.substr(0, 8), std::string(), third.reference(),
                                     std::string("tcp://127.0.0.1:1"), std::string(60'000, 'k')})
      EXPECT_NE(answered(other).find("OBJECT_NOT_EXIST"), std::string::npos);
  }
}

TEST(References, AreBounded) {
  test::FakePeer peer({test::answer::done()});
  bridge::Settings settings = with_types();
  settings.references = 4;
  settings.reference_octets = 400;
  Side server("server");
  Between between(settings);
  const Side client("client");
  const TargetRef target = client.target(between.add(server.reference()));
  for (int i = 0; i < 50; ++i) {
    (void)target->same(client.target(test::ior_string({peer.profile("key " + std::to_string(i))})));
  }
  EXPECT_EQ(between.bridge.counts().references, 5U) << "four, and the one that was added";
  EXPECT_EQ(ending_of([&] {
              (void)target->same(client.target(test::ior_string({peer.profile(std::string(500, 'k'))})));
            }).substr(0, 10),
            "MARSHAL NO");
  EXPECT_EQ(peer.requests(), 0U);
}

TEST(References, LeadNeitherNowhereNorInCircles) {
  Side server("server");
  Between between;
  const std::string reference = between.add(server.reference(), "k");
  EXPECT_EQ(ending_of([&] { between.add(reference, "circle"); }).substr(0, 9), "BAD_PARAM");
  EXPECT_EQ(ending_of([&] { between.add(server.reference(), "k"); }).substr(0, 9), "BAD_PARAM") << "the key is taken";
  EXPECT_EQ(ending_of([&] { between.add("IOR:00", "x"); }).substr(0, 9), "BAD_PARAM");
  EXPECT_EQ(ending_of([&] { between.add("corbaloc:unknown:x/y", "x"); }).substr(0, 9), "BAD_PARAM");
  const auto minor = [](base::Stage stage, base::Code code) {
    return static_cast<int>(corba::vendor_minor(stage, code) - corba::kCorbelVmcid);
  };
  using base::Code, base::Stage;
  EXPECT_EQ(own_minor_of([&] { between.add(reference, "circle"); }), minor(Stage::resolve, Code::no_profile));
  EXPECT_EQ(own_minor_of([&] { between.add(server.reference(), "k"); }), minor(Stage::configure, Code::address_in_use));
  // Under the object's own key it is also there.
  EXPECT_EQ(key_of(between.add(server.reference())), key_of(server.reference()));
}

/// Bridges may stand in a row: what was handed out by one can be added to another, and has its key there, too.
TEST(References, OfAnotherBridgeCanBeAdded) {
  test::FakePeer peer({test::answer::text("there")});
  Between between;
  const Side client("client");
  const std::string handle = std::string("\0cbB\0\0\0\0", 8) + "handle of 12";
  EXPECT_EQ(client.target(between.add(test::ior_string({peer.profile(handle)})))->echo("x"), "there");
  EXPECT_EQ(peer.last().key, handle);
}

TEST(References, WithKeysThatNobodyMaySendAreRefused) {
  Side server("server");
  Between between({}, {"tcp://127.0.0.1:0"}, {"-ORBMaxObjectKey", "100"});
  const Side client("client");
  EXPECT_EQ(client.target(between.add(server.reference(), std::string(100, 'k')))->name(), "server");
  EXPECT_EQ(ending_of([&] { between.add(server.reference(), std::string(101, 'k')); }).substr(0, 9), "BAD_PARAM");
}

/// What clients are told of code sets is what the server takes: bodies are not converted.
TEST(References, SayWhatTheServerUnderstands) {
  Side server("server", "giop_lite+tcp://127.0.0.1:0");
  test::FakePeer old_peer;
  Between between;
  const auto component = [](const std::string& reference) {
    const auto ior = ior::from_string(reference);
    const auto body = ior::decode_iiop_profile(ior->profiles.at(0));
    const auto* found = ior::find_component(body->components, ior::ComponentTag::code_sets);
    return found == nullptr ? std::nullopt : std::optional(*ior::decode_code_sets(*found));
  };
  const auto lite = component(between.add(server.reference(), "lite"));
  ASSERT_TRUE(lite);
  EXPECT_EQ(lite->for_char.native, static_cast<std::uint32_t>(cdr::CodeSet::utf_8));
  EXPECT_TRUE(lite->for_char.conversions.empty()) << "nothing but UTF-8 can be passed on";
  auto profile = old_peer.profile();
  profile.code_sets = false;
  EXPECT_FALSE(component(between.add(test::ior_string({profile}), "old")));
}

}  // namespace
}  // namespace corbel::bridge_test
