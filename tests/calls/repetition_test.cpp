// SPDX-License-Identifier: Apache-2.0
// How often a call is tried, and what is told when several places had their say.
#include <list>
#include <thread>

#include "support.hpp"

namespace corbel::calls_test {
namespace {

using test::FakePeer;
using test::RefusingPort;
namespace answer = test::answer;

test::Answer busy_with_minor_5() {
  return answer::system_exception("TRANSIENT", 1, 5);
}

TEST(Repetition, EachPlaceThatClosesInOrderIsAskedThreeTimesOnConnectionsOfItsOwn) {
  std::list<FakePeer> peers;
  std::vector<test::ProfileData> profiles;
  for (int i = 0; i < 3; ++i) {
    peers.emplace_back(std::vector{answer::close_connection()});
    profiles.push_back(peers.back().profile());
  }
  Client client;
  auto thing = client.thing(profiles);
  for (unsigned call = 1; call <= 2; ++call) {
    EXPECT_EQ(ending_of([&] { thing->ask(""); }).what, "TRANSIENT NO");
    for (auto& peer : peers) {
      EXPECT_EQ(peer.requests(), 3 * call);
      EXPECT_EQ(peer.connections(), 3 * call);
    }
  }
}

TEST(Repetition, AServerThatClosesOnceInOrderIsAskedAgain) {
  FakePeer peer({answer::close_connection(), answer::close_connection(), answer::text("third")});
  FakePeer other({answer::text("other")});
  Client client;
  EXPECT_EQ(client.thing({peer.profile(), other.profile()})->ask(""), "third");
  EXPECT_EQ(peer.connections(), 3U);
  EXPECT_EQ(other.connections(), 0U);
}

/// What may have been executed is told, whatever was said before by those who certainly have not.
TEST(Repetition, ARefusalDoesNotHideThatTheNextPlaceMayHaveExecutedTheCall) {
  for (const auto& last : {answer::end(), answer::reset(), answer::message_error()}) {
    FakePeer first({busy_with_minor_5()});
    FakePeer second({last});
    FakePeer third({answer::text("third")});
    Client client;
    const std::vector profiles{first.profile(), second.profile(), third.profile()};
    EXPECT_EQ(ending_of([&] { client.thing(profiles)->ask(""); }).what, "COMM_FAILURE MAYBE");
    EXPECT_EQ(ending_of([&] { client.thing(profiles)->async_ask("").get(); }).what, "COMM_FAILURE MAYBE");
    EXPECT_EQ(first.requests(), 2U);
    EXPECT_EQ(second.requests(), 2U);
    EXPECT_EQ(third.requests(), 0U);
  }
}

TEST(Repetition, ATimeOutAfterARefusalIsATimeOut) {
  FakePeer first({busy_with_minor_5()});
  FakePeer second({answer::nothing()});
  Client client({"-ORBCallTimeout", "300"});
  EXPECT_EQ(ending_of([&] { client.thing({first.profile(), second.profile()})->ask(""); }).what, "TIMEOUT MAYBE");
}

TEST(Repetition, WhatAServerSaidIsToldRatherThanThatTheOthersAreOutOfReach) {
  FakePeer full({answer::system_exception("NO_RESOURCES", 1, 9)});
  const RefusingPort dead;
  Client client;
  for (const auto& profiles : {std::vector{full.profile(), dead.profile()}, {dead.profile(), full.profile()}}) {
    const auto ending = ending_of([&] { client.thing(profiles)->ask(""); });
    EXPECT_EQ(ending.what, "NO_RESOURCES NO");
    EXPECT_EQ(ending.minor, 9U);
    EXPECT_NE(ending.text.find(full.endpoint()), std::string::npos) << ending.text;
    EXPECT_NE(ending.text.find(dead.endpoint()), std::string::npos) << ending.text;
  }
}

TEST(Repetition, TheLastOfSeveralRefusalsIsTold) {
  FakePeer first({answer::system_exception("OBJ_ADAPTER", 1, 1)});
  FakePeer second({answer::system_exception("NO_RESOURCES", 1, 2)});
  Client client;
  const auto ending = ending_of([&] { client.thing({first.profile(), second.profile()})->ask(""); });
  EXPECT_EQ(ending.what, "NO_RESOURCES NO");
  EXPECT_EQ(ending.minor, 2U);
}

TEST(Repetition, ASingleRefusalSaysNothingOfOtherPlacesAndKeepsTheConnection) {
  FakePeer peer({busy_with_minor_5()});
  Client client;
  auto thing = client.thing(peer.ior());
  for (int i = 0; i < 3; ++i) {
    const auto ending = ending_of([&] { thing->ask(""); });
    EXPECT_EQ(ending.minor, 5U);
    EXPECT_EQ(ending.text.find("tried"), std::string::npos) << ending.text;
  }
  EXPECT_EQ(peer.connections(), 1U);
}

TEST(Repetition, CallsGoOnWhereTheLastOneGotThrough) {
  FakePeer first({busy_with_minor_5(), answer::text("first")});
  FakePeer second({answer::text("second")});
  Client client;
  auto thing = client.thing({first.profile(), second.profile()});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(thing->ask(""), "second");
  EXPECT_EQ(first.requests(), 1U);
  second.set({busy_with_minor_5()});
  EXPECT_EQ(thing->ask(""), "first");
  EXPECT_EQ(thing->ask(""), "first");
  EXPECT_EQ(second.requests(), 4U);
  EXPECT_EQ(first.requests(), 3U);
}

TEST(Repetition, AfterACallThatFoundNobodyTheNextBeginsWithTheReferencesFirstPlace) {
  const RefusingPort dead;
  FakePeer peer({answer::text("well"), busy_with_minor_5()});
  Client client;
  auto thing = client.thing({dead.profile(), peer.profile()});
  EXPECT_EQ(thing->ask(""), "well");
  const auto second = ending_of([&] { thing->ask(""); });
  EXPECT_NE(second.text.find("tried: " + peer.endpoint()), std::string::npos) << second.text;
  const auto third = ending_of([&] { thing->ask(""); });
  EXPECT_NE(third.text.find("tried: " + dead.endpoint()), std::string::npos) << third.text;
  EXPECT_EQ(peer.requests(), 3U);
}

TEST(Repetition, AtHomeAgainTheForwardIsForgotten) {
  FakePeer away({answer::system_exception("OBJECT_NOT_EXIST", 1)});
  FakePeer home;
  home.set({answer::forward({away.profile()}), answer::text("home"), busy_with_minor_5()});
  Client client;
  auto thing = client.thing(home.ior());
  EXPECT_EQ(thing->ask(""), "home");
  EXPECT_EQ(ending_of([&] { thing->ask(""); }).what, "TRANSIENT NO");
  EXPECT_EQ(away.requests(), 1U);
  EXPECT_EQ(home.requests(), 3U);
}

TEST(Repetition, WithoutACallTimeOutCallsAreNotBoundedAndSayNothingOfTime) {
  FakePeer peer({answer::text("answer"), answer::end()});
  Client client({"-ORBCallTimeout", "0", "-ORBConnectTimeout", "0"});
  auto thing = client.thing(peer.ior());
  EXPECT_EQ(thing->ask(""), "answer");
  const auto ending = ending_of([&] { thing->ask(""); });
  EXPECT_EQ(ending.what, "COMM_FAILURE MAYBE");
  EXPECT_EQ(ending.text.find(", after "), std::string::npos) << ending.text;
}

TEST(Repetition, MessagesStayShortHoweverManyPlacesWereTried) {
  std::list<RefusingPort> dead;
  std::vector<test::ProfileData> profiles;
  for (int i = 0; i < 40; ++i) profiles.push_back(dead.emplace_back().profile());
  Client client;
  const auto ending = ending_of([&] { client.thing(profiles)->ask(""); });
  EXPECT_EQ(ending.what, "TRANSIENT NO");
  EXPECT_NE(ending.text.find(" and more"), std::string::npos) << ending.text;
  EXPECT_LT(ending.text.size(), 2000U);
}

/// Each call has a list of its own: what one finds out does not disturb the others.
TEST(Repetition, CallsOfManyThreadsThroughOneReferenceAreExecutedOnceEach) {
  FakePeer there({answer::text("there")});
  FakePeer closing({answer::close_connection(), answer::text("open"), answer::forward({there.profile()})});
  FakePeer full({busy_with_minor_5()});
  Client client;
  auto thing = client.thing({full.profile(), closing.profile(), there.profile()});
  std::atomic<unsigned> answered{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        const std::string got = i % 2 == 0 ? thing->ask("") : thing->async_ask("").get();
        if (got == "there" || got == "open") ++answered;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(answered, 200U);
  unsigned opened = 0;
  for (const auto& message : closing.messages()) opened += message.type == test::kRequest ? 1 : 0;
  EXPECT_EQ(there.requests() + 1, answered);  // "open" was said once
  EXPECT_GE(opened, 3U);
}

}  // namespace
}  // namespace corbel::calls_test
