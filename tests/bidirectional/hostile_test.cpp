// SPDX-License-Identifier: Apache-2.0
// Clients that say of themselves what is not so.
#include <new>

#include "raw_guest.hpp"
#include "support/allocations.hpp"

namespace corbel::bidirectional_test {
namespace {

using BiDirPolicy::BOTH;
using test::FakePeer;
using test::ProfileData;
namespace answer = test::answer;

constexpr const char* kHost = "192.0.2.7";  // of no host; never connected to

ProfileData profile_at(const std::string& host, std::uint16_t port) {
  ProfileData profile;
  profile.host = host;
  profile.port = port;
  return profile;
}

/// Calls the guest that entered last, which the peer answers if it is asked.
class Hostile : public ::testing::Test {
 protected:
  bool calls_over(RawGuest& guest) {
    bool answered = false;
    std::thread answers([&] {
      const std::uint32_t id = guest.await_request();
      EXPECT_EQ(id % 2, 1U) << "the ids of the acceptor are odd";
      guest.answer(id, "here");
      answered = id != 0;
    });
    EXPECT_EQ(server_.servant->guest()->ask(""), "here");
    answers.join();
    return answered;
  }
  void expect_well() {
    ClientSide client;
    const HostRef host = client.host(server_.ior());
    host->enter(client.guest);
    EXPECT_EQ(host->call_back("well"), "host, guest: well");
  }

  ServerSide server_{BOTH, {"-ORBConnectTimeout", "2000"}};
};

TEST_F(Hostile, HonestOnesAreCalled) {
  RawGuest guest(server_);
  ASSERT_TRUE(guest.enter(profile_at(kHost, 4000), points_context({{kHost, 4000}})));
  EXPECT_TRUE(calls_over(guest));
  EXPECT_TRUE(calls_over(guest));
}

// Each allocation is refused once, here or there.
TEST_F(Hostile, WantOfMemoryForWhatTheySayEndsNoServer) {
  const test::Octets points = points_context({{"a-host-whose-name-needs-memory", 4000}, {kHost, 4000}});
  bool refused = true;
  for (std::size_t first = 0; refused; ++first) {
    RawGuest guest(server_);
    test::refuse_allocations(first, 1);
    try {
      (void)guest.enter(profile_at(kHost, 4000), points);
    } catch (const std::bad_alloc&) {
    }
    refused = test::allocations_since() > first;
    test::refuse_allocations(0, 0);
  }
  expect_well();
}

TEST_F(Hostile, PointsMayComeLaterAndBeMore) {
  RawGuest guest(server_);
  ASSERT_TRUE(guest.enter(profile_at(kHost, 4000), points_context({{"other", 1}})));
  ASSERT_TRUE(guest.enter(profile_at(kHost, 4000), points_context({{kHost, 4000}, {"other", 1}})));
  EXPECT_TRUE(calls_over(guest));
}

// The point of listen points: what is not listed is somewhere else.
TEST_F(Hostile, OtherHostsAndPortsAreConnectedTo) {
  FakePeer elsewhere({answer::text("elsewhere")});
  RawGuest guest(server_);
  for (const Points& points :
       {Points{}, Points{{"127.0.0.1", static_cast<std::uint16_t>(elsewhere.port() ^ 1)}},
        Points{{"localhost", elsewhere.port()}}, Points{{"", elsewhere.port()}}, Points{{"127.0.0.1", 0}}}) {
    ASSERT_TRUE(guest.enter(elsewhere.profile(), points_context(points)));
    EXPECT_EQ(server_.servant->guest()->ask(""), "elsewhere");
  }
  EXPECT_TRUE(guest.peer().silent());
}

// A peer that claims another's endpoint gets what goes through its own references, and nothing else.
TEST_F(Hostile, CallsMeantForOthersAreNotDiverted) {
  FakePeer victim({answer::text("victim")});
  RawGuest thief(server_);
  ASSERT_TRUE(thief.enter(victim.profile(), points_context({{"127.0.0.1", victim.port()}})));
  EXPECT_TRUE(calls_over(thief)) << "its own reference";
  RawGuest honest(server_);
  ASSERT_TRUE(honest.enter(victim.profile(), {}));
  EXPECT_EQ(server_.servant->guest()->ask(""), "victim") << "another's";
  const auto own = IDL::traits<Guests::Guest>::unchecked_narrow(server_.orb->string_to_object(victim.ior()));
  EXPECT_EQ(own->ask(""), "victim") << "the server's";
  EXPECT_TRUE(thief.peer().silent());
}

// Calls that are forwarded to another's endpoint are not diverted either.
TEST_F(Hostile, ForwardsAreFollowedWhereTheyLead) {
  FakePeer victim({answer::text("victim")});
  for (const bool permanent : {false, true}) {
    FakePeer directory({answer::forward({victim.profile()}, permanent)});
    RawGuest thief(server_);
    ASSERT_TRUE(thief.enter(directory.profile(), points_context({{"127.0.0.1", victim.port()}})));
    for (int i = 0; i < 2; ++i) EXPECT_EQ(server_.servant->guest()->ask(""), "victim") << permanent;
    EXPECT_TRUE(thief.peer().silent());
  }
}

// Calls of references that another server answers with are not diverted either.
TEST_F(Hostile, WhatOthersAnswerIsTheirs) {
  FakePeer victim({answer::text("victim")});
  FakePeer directory({answer::status(0, [&](test::Writer& body) { test::write_ior(body, {victim.profile()}); })});
  RawGuest thief(server_);
  ASSERT_TRUE(thief.enter(directory.profile(), points_context({{"127.0.0.1", victim.port()}})));
  const GuestRef found = IDL::traits<Guests::Guest>::unchecked_narrow(server_.servant->guest()->partner());
  EXPECT_EQ(found->ask(""), "victim");
  EXPECT_TRUE(thief.peer().silent());
}

TEST_F(Hostile, TheServersOwnEndpointStaysItsOwn) {
  RawGuest thief(server_);
  ProfileData own = profile_at("127.0.0.1", RawGuest::port_of(server_));
  own.key = RawGuest::key_of(server_);
  ASSERT_TRUE(thief.enter(own, points_context({{"127.0.0.1", own.port}})));
  EXPECT_FALSE(server_.servant->guest()->_non_existent());
  EXPECT_TRUE(thief.peer().silent());
}

// A server whose objects call each other over connections: these do not become those of a client.
TEST_F(Hostile, TheServersOwnEndpointStaysItsOwnOverConnections) {
  const ServerSide server(BOTH, {"-ORBCollocation", "off", "-ORBCallTimeout", "5000"});
  RawGuest thief(server);
  ProfileData own = profile_at("127.0.0.1", RawGuest::port_of(server));
  own.key = RawGuest::key_of(server);
  ASSERT_TRUE(thief.enter(own, points_context({{"127.0.0.1", own.port}})));
  EXPECT_FALSE(server.servant->guest()->_non_existent());
  EXPECT_TRUE(thief.peer().silent());
}

TEST_F(Hostile, OceansOfPointsAreCutOff) {
  Points many;
  for (std::uint16_t i = 1; i < 20'000; ++i) many.emplace_back("host" + std::to_string(i), i);
  RawGuest guest(server_);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(guest.enter(profile_at("host31", 31), points_context(many)));
  }
  EXPECT_TRUE(calls_over(guest));
  ASSERT_TRUE(guest.enter(profile_at("host19999.invalid", 19'999), points_context({{"host19999.invalid", 19'999}})));
  const std::string ending = ending_of([&] { (void)server_.servant->guest()->ask(""); });
  EXPECT_TRUE(ending == "TRANSIENT NO" || ending == "TIMEOUT NO") << ending;  // a name server may be slow to deny
  EXPECT_TRUE(guest.peer().silent()) << "one too many";
  const std::string longest(255, 'h');
  RawGuest other(server_);
  ASSERT_TRUE(other.enter(profile_at(longest, 1), points_context({{longest + "h", 1}, {longest, 1}})));
  EXPECT_TRUE(calls_over(other));
  expect_well();
}

TEST_F(Hostile, ContextsThatMakeNoSenseAreIgnored) {
  test::Octets cut = points_context({{kHost, 4000}, {kHost, 4001}});
  cut.resize(cut.size() - 3);
  test::Octets endless = points_context({{kHost, 4000}});
  endless[8] = 0xff;
  endless[11] = 0x7f;
  for (const test::Octets& context :
       {cut, endless, points_context({{kHost, 4000}}, 0xffffffff), points_context({{kHost, 4000}}, 2), test::Octets{1},
        test::Octets{1, 0, 0, 0, 1}, test::Octets(100, 0xff)}) {
    RawGuest guest(server_);
    ASSERT_TRUE(guest.enter(profile_at("127.0.0.1", 1), context));
    EXPECT_EQ(ending_of([&] { (void)server_.servant->guest()->ask(""); }), "TRANSIENT NO");
    EXPECT_TRUE(guest.peer().silent());
  }
  expect_well();
}

TEST_F(Hostile, OfAListThatEndsInNonsenseNotEvenTheBeginningIsTaken) {
  FakePeer elsewhere({answer::text("elsewhere")});
  test::Octets cut = points_context({{"127.0.0.1", elsewhere.port()}, {kHost, 4001}});
  cut.resize(cut.size() - 3);
  RawGuest guest(server_);
  ASSERT_TRUE(guest.enter(elsewhere.profile(), cut));
  EXPECT_EQ(server_.servant->guest()->ask(""), "elsewhere");
  EXPECT_TRUE(guest.peer().silent());
}

TEST_F(Hostile, PointsWithoutPortsTakeNoPlaceOfOthers) {
  Points points;
  for (int i = 1; i <= 40; ++i) points.emplace_back("192.0.2.1" + std::to_string(i), 0);
  points.emplace_back(kHost, 4000);
  RawGuest guest(server_);
  ASSERT_TRUE(guest.enter(profile_at(kHost, 4000), points_context(points)));
  EXPECT_TRUE(calls_over(guest));
}

// CORBA 3.3 part 2, 9.8: from GIOP 1.2 on.
TEST_F(Hostile, OlderVersionsCannotOfferAnything) {
  FakePeer elsewhere({answer::text("elsewhere")});
  for (const std::uint8_t minor : {std::uint8_t{0}, std::uint8_t{1}}) {
    RawGuest guest(server_);
    ASSERT_TRUE(guest.enter(elsewhere.profile(), points_context({{"127.0.0.1", elsewhere.port()}}), minor));
    EXPECT_EQ(server_.servant->guest()->ask(""), "elsewhere");
    EXPECT_TRUE(guest.peer().silent());
  }
}

TEST_F(Hostile, AnswersThatNobodyAskedForEndTheConversation) {
  RawGuest guest(server_);
  ASSERT_TRUE(guest.enter(profile_at(kHost, 4000), points_context({{kHost, 4000}})));
  guest.answer(77, "surprise");
  const auto rest = guest.peer().rest();
  ASSERT_TRUE(rest.has_value());
  EXPECT_EQ(rest->at(7), test::kMessageError);
  expect_well();
}

}  // namespace
}  // namespace corbel::bidirectional_test
