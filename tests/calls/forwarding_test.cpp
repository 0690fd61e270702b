// SPDX-License-Identifier: Apache-2.0
// The list of places and its order: profiles, forwards, and the way back (SPE 2001, section 3.3.5 and figure 12).
#include <list>

#include "support.hpp"

namespace corbel::calls_test {
namespace {

using test::FakePeer;
using test::RefusingPort;
namespace answer = test::answer;

constexpr auto kNoUsableProfile = corba::minor::kNoUsableProfile;

/// Peers by name, all of which tell one journal.
struct Peers {
  FakePeer& add(const std::string& name, std::vector<test::Answer> answers) {
    FakePeer::Settings settings;
    settings.name = name;
    settings.journal = &journal;
    return all.emplace_back(std::move(answers), std::move(settings));
  }
  test::Journal journal;
  std::list<FakePeer> all;
};

test::Answer busy() {
  return answer::system_exception("TRANSIENT", 1);
}
test::Answer missing() {
  return answer::system_exception("OBJECT_NOT_EXIST", 1, 0x4f4d0001);
}

/// The example of figure 12: P2 forwards to P5 and P6, and P6 to P7, P8 and P9.
struct Figure12 {
  explicit Figure12(const test::Answer& last) {
    auto& p1 = peers.add("P1", {busy()});
    auto& p2 = peers.add("P2", {});
    auto& p3 = peers.add("P3", {busy()});
    auto& p4 = peers.add("P4", {last});
    auto& p5 = peers.add("P5", {busy()});
    auto& p6 = peers.add("P6", {});
    auto& p7 = peers.add("P7", {busy()});
    auto& p8 = peers.add("P8", {busy()});
    auto& p9 = peers.add("P9", {busy()});
    p2.set({answer::forward({p5.profile(), p6.profile()})});
    p6.set({answer::forward({p7.profile(), p8.profile(), p9.profile()})});
    reference = test::ior_string({p1.profile(), p2.profile(), p3.profile(), p4.profile()});
  }
  static constexpr const char* kOrder = "P1 P2 P5 P6 P7 P8 P9 P3 P4";
  Peers peers;
  std::string reference;
};

TEST(Forwarding, FollowsThePapersExampleToTheLetter) {
  Figure12 figure(answer::text("home"));
  Client client;
  EXPECT_EQ(client.thing(figure.reference)->ask(""), "home");
  EXPECT_EQ(figure.peers.journal.all(), Figure12::kOrder);
  for (auto& peer : figure.peers.all) EXPECT_EQ(peer.connections(), 1U);
}

TEST(Forwarding, FollowsThePapersExampleToTheLetterAsynchronously) {
  Figure12 figure(answer::text("home"));
  Client client;
  EXPECT_EQ(client.thing(figure.reference)->async_ask("").get(), "home");
  EXPECT_EQ(figure.peers.journal.all(), Figure12::kOrder);
}

TEST(Forwarding, StaysWhereItGotThroughAndTellsTheWholeWayIfNobodyDoes) {
  Figure12 figure(answer::text("home"));
  Client client;
  auto thing = client.thing(figure.reference);
  thing->ask("");
  thing->ask("");
  EXPECT_EQ(figure.peers.journal.all(), std::string(Figure12::kOrder) + " P4");
  Figure12 nobody(busy());
  const auto ending = ending_of([&] { client.thing(nobody.reference)->ask(""); });
  EXPECT_EQ(ending.what, "TRANSIENT NO");
  std::size_t at = ending.text.find("tried: ");
  ASSERT_NE(at, std::string::npos) << ending.text;
  for (const int index : {0, 1, 4, 5, 6, 7, 8, 2, 3}) {  // in the order of the paper
    at = ending.text.find(std::next(nobody.peers.all.begin(), index)->endpoint() + " (", at);
    ASSERT_NE(at, std::string::npos) << "P" << index + 1 << " in " << ending.text;
  }
}

TEST(Forwarding, NamesEveryPlaceThatRefusedAndWhy) {
  const RefusingPort one;
  const RefusingPort two;
  FakePeer forwarder({answer::forward({two.profile()})});
  Client client;
  const auto ending = ending_of([&] { client.thing({one.profile(), forwarder.profile()})->ask(""); });
  EXPECT_EQ(ending.what, "TRANSIENT NO");
  EXPECT_NE(ending.text.find("connecting to " + two.endpoint() + ": connect: refused (Connection refused)"),
            std::string::npos)
      << ending.text;
  EXPECT_NE(ending.text.find("tried: " + one.endpoint() + " (connect: refused (Connection refused)), " +
                             forwarder.endpoint() + " (forwarded to " + two.endpoint() + "), " + two.endpoint() +
                             " (connect: refused (Connection refused))"),
            std::string::npos)
      << ending.text;
  EXPECT_EQ(forwarder.requests(), 1U);
}

TEST(Forwarding, AfterAFailedForwardTheNextProfileIsTried) {
  const RefusingPort dead;
  FakePeer inner({answer::forward({dead.profile()})});
  FakePeer outer({answer::forward({inner.profile()})});
  FakePeer real({answer::text("real")});
  Client client;
  EXPECT_EQ(client.thing({outer.profile(), real.profile()})->ask(""), "real");
  EXPECT_EQ(outer.requests(), 1U);
  EXPECT_EQ(inner.requests(), 1U);
  EXPECT_EQ(real.requests(), 1U);
}

TEST(Forwarding, APlaceThatForwardsToADeadOneIsAskedOnceACall) {
  const RefusingPort dead;
  FakePeer peer({answer::forward({dead.profile()})});
  Client client;
  auto thing = client.thing(peer.ior());
  for (unsigned call = 1; call <= 3; ++call) {
    const auto ending = ending_of([&] { thing->ask(""); });
    EXPECT_EQ(ending.what, "TRANSIENT NO");
    EXPECT_NE(ending.text.find(dead.endpoint()), std::string::npos) << ending.text;
    EXPECT_EQ(peer.requests(), call);
  }
}

TEST(Forwarding, AForwardToNothingIsNotExecutedAndTheNextProfileIsTried) {
  for (const auto& forward : {answer::forward({}), answer::status(3, [](test::Writer& body) {
                                body.string("IDL:x:1.0").u32(1).u32(0x12345678).octets({1, 2, 3});
                              })}) {
    FakePeer peer({forward});
    FakePeer real({answer::text("real")});
    Client client;
    const auto ending = ending_of([&] { client.thing(peer.ior())->ask(""); });
    EXPECT_EQ(ending.what, "TRANSIENT NO");
    EXPECT_EQ(ending.minor, kNoUsableProfile);
    EXPECT_NE(ending.text.find(peer.endpoint()), std::string::npos) << ending.text;
    EXPECT_EQ(client.thing({peer.profile(), real.profile()})->ask(""), "real");
    EXPECT_EQ(peer.requests(), 2U);
    EXPECT_EQ(real.requests(), 1U);
  }
}

TEST(Forwarding, IsRememberedAndTheOldPlaceNotAskedAgain) {
  for (const bool permanent : {false, true}) {
    FakePeer there({answer::text("there")});
    FakePeer here({answer::forward({there.profile()}, permanent)});
    Client client;
    auto thing = client.thing(here.ior());
    for (int i = 0; i < 3; ++i) EXPECT_EQ(thing->ask(""), "there");
    EXPECT_EQ(here.requests(), 1U);
    EXPECT_EQ(there.requests(), 3U);
    EXPECT_EQ(there.connections(), 1U);
    EXPECT_EQ(there.last().key, "key");
    EXPECT_EQ(client.orb()->object_to_string(thing), client.orb()->object_to_string(client.thing(here.ior())));
  }
}

// CORBA 3.3 part 2, 9.4.3: the forward replaces the reference.
TEST(Forwarding, ForGoodLeavesNoWayBack) {
  for (const bool permanent : {false, true}) {
    FakePeer there({answer::text("there"), missing(), answer::text("there")});
    FakePeer other({answer::text("other")});
    FakePeer here({answer::forward({there.profile()}, permanent), answer::text("here")});
    Client client;
    auto thing = client.thing({here.profile(), other.profile()});
    EXPECT_EQ(thing->ask(""), "there");
    const auto ending = ending_of([&] { thing->ask(""); });
    EXPECT_EQ(ending.what, permanent ? "OBJECT_NOT_EXIST NO" : "done");
    EXPECT_EQ(here.requests(), permanent ? 1U : 2U);
    EXPECT_EQ(other.requests(), 0U);
    EXPECT_EQ(thing->ask(""), permanent ? "there" : "here");
  }
}

TEST(Forwarding, ForGoodIsTakenBackWhenItLeadsNowhere) {
  auto there = std::make_unique<FakePeer>(std::vector<test::Answer>{answer::text("there")});
  FakePeer here({answer::forward({there->profile()}, true), answer::text("here")});
  Client client;
  auto thing = client.thing(here.ior());
  EXPECT_EQ(thing->ask(""), "there");
  there.reset();
  std::string said;
  for (int tries = 0; tries < 5 && said.empty(); ++tries) ending_of([&] { said = thing->ask(""); });
  EXPECT_EQ(said, "here");
}

TEST(Forwarding, IsFollowedAsOftenAsTheLimitSaysAndNoMore) {
  for (const unsigned limit : {0U, 1U, 3U, 10U}) {
    FakePeer peer;
    peer.set({answer::forward({peer.profile()})});
    FakePeer real({answer::text("real")});
    Client client({"-ORBForwardLimit", std::to_string(limit)});
    const auto ending = ending_of([&] { client.thing(peer.ior())->ask(""); });
    EXPECT_EQ(ending.what, "TRANSIENT NO");
    EXPECT_EQ(ending.minor, corba::vendor_minor(base::Stage::wait, base::Code::forward_loop));
    EXPECT_EQ(peer.requests(), limit + 1);
    EXPECT_NE(ending.text.find("forwarded " + std::to_string(limit + 1) + " times, last by " + peer.endpoint()),
              std::string::npos)
        << ending.text;
    EXPECT_EQ(client.thing({peer.profile(), real.profile()})->ask(""), "real");
    EXPECT_EQ(peer.requests(), 2 * (limit + 1));
    EXPECT_EQ(real.requests(), 1U);
  }
}

TEST(Forwarding, ChainsAsLongAsTheLimitAreFollowedToTheirEnd) {
  std::list<FakePeer> chain;
  chain.emplace_back(std::vector{answer::text("end")});
  for (int i = 0; i < 10; ++i) {
    auto& next = chain.back();
    chain.emplace_back(std::vector{answer::forward({next.profile()})});
  }
  Client client;
  auto thing = client.thing(chain.back().ior());
  EXPECT_EQ(thing->ask(""), "end");
  EXPECT_EQ(thing->ask(""), "end");
  for (auto& peer : chain) EXPECT_EQ(peer.requests(), &peer == &chain.front() ? 2U : 1U);
  auto& last = chain.back();
  chain.emplace_back(std::vector{answer::forward({last.profile()})});
  EXPECT_EQ(ending_of([&] { client.thing(chain.back().ior())->ask(""); }).what, "TRANSIENT NO");
  EXPECT_EQ(chain.front().requests(), 2U);
}

TEST(Forwarding, AnObjectThatComesHomeIsFoundThere) {
  FakePeer away({answer::text("away"), missing()});
  FakePeer home;
  home.set({answer::forward({away.profile()}), answer::text("home")});
  for (const bool later : {true, false}) {
    home.set({answer::forward({away.profile()}), answer::text("home")});
    away.set(later ? std::vector{answer::text("away"), missing()} : std::vector{missing()});
    Client client;
    auto thing = client.thing(home.ior());
    if (later) {
      EXPECT_EQ(thing->ask(""), "away");
    }
    EXPECT_EQ(thing->ask(""), "home");
    EXPECT_EQ(thing->ask(""), "home");
  }
  EXPECT_EQ(home.requests(), 3U + 3U);
  EXPECT_EQ(away.requests(), 2U + 1U);
}

TEST(Forwarding, AnObjectThatComesHomeIsFoundThereAsynchronously) {
  FakePeer away({answer::text("away"), missing()});
  FakePeer home;
  home.set({answer::forward({away.profile()}), answer::text("home")});
  Client client;
  auto thing = client.thing(home.ior());
  EXPECT_EQ(thing->async_ask("").get(), "away");
  EXPECT_EQ(thing->async_ask("").get(), "home");
  EXPECT_EQ(home.requests(), 2U);
  EXPECT_EQ(away.requests(), 2U);
}

TEST(Forwarding, ComesHomeThroughSeveralStepsFromWhereTheReferenceLeads) {
  FakePeer third({missing()});
  FakePeer second({answer::forward({third.profile()}), answer::text("second")});
  FakePeer first;
  first.set({answer::forward({second.profile()})});
  Client client;
  EXPECT_EQ(client.thing(first.ior())->ask(""), "second");
  EXPECT_EQ(first.requests(), 2U);
  EXPECT_EQ(second.requests(), 2U);
  EXPECT_EQ(third.requests(), 1U);
}

TEST(Forwarding, AnObjectThatIsNowhereDoesNotExistAndTheWayHomeIsGoneOnce) {
  FakePeer away({missing()});
  FakePeer home({answer::forward({away.profile()})});
  Client client;
  const auto ending = ending_of([&] { client.thing(home.ior())->ask(""); });
  EXPECT_EQ(ending.what, "OBJECT_NOT_EXIST NO");
  EXPECT_EQ(ending.minor, 0x4f4d0001U);
  EXPECT_NE(ending.text.find("raised by the server " + away.endpoint() + " in 'ask' of object 'key'"),
            std::string::npos)
      << ending.text;
  EXPECT_EQ(home.requests(), 2U);
  EXPECT_EQ(away.requests(), 1U);
}

TEST(Forwarding, TheWayHomeIsGoneOnceWhereverItLeadsTheSecondTime) {
  FakePeer first({missing()});
  FakePeer second({missing()});
  FakePeer home({answer::forward({first.profile()}), answer::forward({second.profile()}), answer::text("third time")});
  Client client;
  EXPECT_EQ(ending_of([&] { client.thing(home.ior())->ask(""); }).what, "OBJECT_NOT_EXIST NO");
  EXPECT_EQ(home.requests(), 2U);
  EXPECT_EQ(first.requests(), 1U);
  EXPECT_EQ(second.requests(), 1U);
}

TEST(Forwarding, WithItsHomeOutOfReachTheObjectMayStillExist) {
  RefusingPort dead;
  FakePeer away({missing()});
  FakePeer home({answer::forward({away.profile()}), answer::forward({dead.profile()})});
  Client client;
  EXPECT_EQ(ending_of([&] { client.thing(home.ior())->ask(""); }).what, "TRANSIENT NO");
}

TEST(Forwarding, ObjectsOfAReferenceItselfThatDoNotExistAreNotLookedForElsewhere) {
  FakePeer peer({missing()});
  FakePeer other({answer::text("other")});
  Client client;
  EXPECT_EQ(ending_of([&] { client.thing({peer.profile(), other.profile()})->ask(""); }).what, "OBJECT_NOT_EXIST NO");
  EXPECT_EQ(peer.requests(), 1U);
  EXPECT_EQ(other.requests(), 0U);
}

/// A server that was started anew at its old address gives its objects new keys.
TEST(Forwarding, AServerThatWasStartedAnewIsFoundByItsName) {
  FakePeer peer;
  std::atomic<int> generation = 1;
  const auto serve = [&](test::Conversation& conversation, const test::Received& request) {
    const std::string own = "generation " + std::to_string(generation);
    auto profile = peer.profile(own);
    if (request.key == "Name") return answer::forward({profile})(conversation, request);
    (request.key == own ? answer::text(own) : missing())(conversation, request);
  };
  peer.set({serve});
  Client client;
  auto thing = client.thing("corbaloc::127.0.0.1:" + std::to_string(peer.port()) + "/Name");
  EXPECT_EQ(thing->ask(""), "generation 1");
  EXPECT_EQ(thing->ask(""), "generation 1");
  EXPECT_EQ(peer.requests(), 3U);
  generation = 2;
  peer.close_all(true);
  ASSERT_TRUE(peer.wait_for_open(0));
  EXPECT_EQ(thing->ask(""), "generation 2");
  EXPECT_EQ(peer.requests(), 3U + 3U);
  generation = 3;  // without a new connection
  EXPECT_EQ(thing->ask(""), "generation 3");
  EXPECT_EQ(peer.requests(), 6U + 3U);
}

TEST(Forwarding, AForwardedPlaceThatDiesLeavesTheRestOfTheListAndThenTheBeginning) {
  Peers peers;
  auto& eight = peers.add("P8", {busy()});
  auto& seven = peers.add("P7", {answer::text("seven"), busy()});
  auto& one = peers.add("P1", {busy()});
  auto& two = peers.add("P2", {answer::forward({seven.profile(), eight.profile()}), answer::text("two")});
  auto& three = peers.add("P3", {busy()});
  Client client;
  auto thing = client.thing({one.profile(), two.profile(), three.profile()});
  EXPECT_EQ(thing->ask(""), "seven");
  EXPECT_EQ(peers.journal.all(), "P1 P2 P7");
  EXPECT_EQ(thing->ask(""), "two");
  EXPECT_EQ(peers.journal.all(), "P1 P2 P7 P7 P8 P3 P1 P2");
  EXPECT_EQ(thing->ask(""), "two");
}

TEST(Forwarding, AfterACallThatFoundNobodyTheNextBeginsWithTheReference) {
  Peers peers;
  auto& there = peers.add("there", {answer::text("there"), busy()});
  auto& here = peers.add("here", {answer::forward({there.profile()}), busy(), answer::text("here")});
  Client client;
  auto thing = client.thing(here.ior());
  thing->ask("");
  EXPECT_EQ(ending_of([&] { thing->ask(""); }).what, "TRANSIENT NO");
  EXPECT_EQ(thing->ask(""), "here");
  EXPECT_EQ(peers.journal.all(), "here there there here here");
}

TEST(Forwarding, ATimeOutAtAForwardedPlaceDoesNotForgetTheWay) {
  FakePeer there({answer::text("there"), answer::nothing(), answer::text("again")});
  FakePeer here({answer::forward({there.profile()})});
  Client client;
  auto thing = client.thing(here.ior());
  thing->ask("");
  client.limit_calls(std::chrono::milliseconds(2000));
  EXPECT_EQ(ending_of_begun([&] { thing->ask(""); }).what, "TIMEOUT MAYBE");
  client.limit_calls({});
  EXPECT_EQ(thing->ask(""), "again");
  EXPECT_EQ(here.requests(), 1U);
  EXPECT_EQ(there.requests(), 3U);
  EXPECT_EQ(there.connections(), 1U) << "others may be waiting on it";
}

}  // namespace
}  // namespace corbel::calls_test
