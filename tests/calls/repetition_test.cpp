// SPDX-License-Identifier: Apache-2.0
// How often a call is tried, and what is told when several places had their say.
#include <atomic>
#include <future>
#include <iterator>
#include <list>
#include <thread>
#include <utility>

#include "calls_server.hpp"
#include "corbel/base/deadline.hpp"
#include "files.hpp"
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

// It says that it has executed nothing, and has begun to answer.
TEST(Repetition, AServerThatClosesInTheMiddleOfItsAnswerIsNotAskedAgain) {
  FakePeer peer({answer::begun_and_closed()});
  FakePeer other({answer::text("other")});
  Client client;
  const auto thing = client.thing({peer.profile(), other.profile()});
  EXPECT_EQ(ending_of([&] { thing->ask(""); }).what, "COMM_FAILURE MAYBE");
  EXPECT_EQ(ending_of([&] { thing->async_ask("").get(); }).what, "COMM_FAILURE MAYBE");
  EXPECT_EQ(peer.requests(), 2U);
  EXPECT_EQ(other.requests(), 0U);
}

TEST(Repetition, AnAnswerThatCameBeforeTheQuestionIsNone) {
  FakePeer peer({[](test::Conversation& conversation, const test::Received& request) {
    const auto say = [&](std::uint32_t id, const std::string& what) {
      return test::Writer().giop(test::kReply, 2).u32(id).u32(0).u32(0).string(what).finish();
    };
    test::Octets both = say(request.request_id, "now");
    const test::Octets next = say(request.request_id + 2, "too early");
    both.insert(both.end(), next.begin(), next.end());
    conversation.send(both);
  }});
  Client client;
  const auto thing = client.thing(peer.ior());
  EXPECT_EQ(thing->ask(""), "now");
  EXPECT_NE(ending_of([&] { EXPECT_EQ(thing->ask(""), "now"); }).what, "");
}

TEST(Repetition, AServerThatClosesOnceInOrderIsAskedAgain) {
  FakePeer peer({answer::close_connection(), answer::close_connection(), answer::text("third")});
  FakePeer other({answer::text("other")});
  Client client;
  EXPECT_EQ(client.thing({peer.profile(), other.profile()})->ask(""), "third");
  EXPECT_EQ(peer.connections(), 3U);
  EXPECT_EQ(other.connections(), 0U);
}

/// A closed connection is noticed before the call: finding a new one is no attempt.
TEST(Repetition, AConnectionKnownToBeClosedCostsNoAttempt) {
  FakePeer peer({answer::text("first"), answer::close_connection(), answer::text("second"), answer::close_connection(),
                 answer::close_connection(), answer::text("third")});
  Client client;
  auto thing = client.thing(peer.ior());
  auto other = client.thing({peer.profile("another key")});
  EXPECT_EQ(thing->ask(""), "first");
  EXPECT_EQ(other->ask(""), "second") << "the connection that both have used was closed";
  EXPECT_EQ(peer.connections(), 2U);
  EXPECT_EQ(thing->ask(""), "third");
  EXPECT_EQ(peer.connections(), 4U);
  EXPECT_EQ(peer.requests(), 6U);
}

/// The time of the call goes by while its arguments are written, and meanwhile the peer resets the connection.
TEST(Repetition, ACallWhoseTimeIsOverIsNotTriedAgain) {
  std::promise<void> writing;
  auto begun = writing.get_future().share();
  FakePeer peer({answer::text("connected"),
                 [&](test::Conversation& conversation, const test::Received&) {
                   begun.wait();
                   conversation.reset();
                 },
                 answer::text("too late")});
  FakePeer other({answer::text("connected"), answer::text("too late")});
  Client client;
  client.thing(other.ior())->ask("");
  auto thing = client.thing({peer.profile(), other.profile()});
  EXPECT_EQ(thing->ask(""), "connected");
  thing->note(1);
  static constexpr corba::Operation kAsk{"ask"};
  bool written = false;
  const auto write_slowly = [&](cdr::Encoder& encoder) {
    encoder.put_string("question");
    if (std::exchange(written, true)) return;
    const auto end = base::Deadline::after(std::chrono::milliseconds(1800));
    writing.set_value();
    EXPECT_TRUE(peer.wait_for_open(0));
    std::this_thread::sleep_for(end.remaining());
  };
  const auto read = [](cdr::Decoder&) {};
  client.limit_calls(std::chrono::milliseconds(1500));
  const auto ending = ending_of_begun([&] { thing->_target()->invoke({kAsk, write_slowly, read, nullptr}); });
  client.limit_calls({});
  EXPECT_EQ(ending.what, "TRANSIENT NO") << ending.text;
  EXPECT_EQ(peer.requests(), 2U);
  EXPECT_EQ(other.requests(), 1U);
}

TEST(Repetition, ACompletionStatusThatDoesNotExistIsNone) {
  FakePeer peer({answer::system_exception("TRANSIENT", 3)});
  FakePeer other({answer::text("other")});
  Client client;
  EXPECT_EQ(ending_of([&] { client.thing({peer.profile(), other.profile()})->ask(""); }).what, "MARSHAL MAYBE");
  EXPECT_EQ(other.requests(), 0U);
}

/// Its results cannot be sent: there is no NUL in a string.
class Unspeakable final : public CORBA::servant_traits<Calls::Thing>::base_type {
 public:
  std::string ask(const std::string&) override { return {'a', '\0', 'b'}; }
  void act() override {}
  void wide(const std::wstring&) override {}
  void note(std::int32_t) override {}
};

TEST(Repetition, WhatWasExecutedIsToldToBeThoughItsResultsCannotBeSent) {
  const Client server({"-ORBListenEndpoints", "tcp://127.0.0.1:0", "-ORBLogLevel", "error"});
  const auto root = IDL::traits<PortableServer::POA>::narrow(server.orb()->resolve_initial_references("RootPOA"));
  root->the_POAManager()->activate();
  const auto id = root->activate_object(CORBA::make_reference<Unspeakable>());
  const auto reference = server.orb()->object_to_string(root->id_to_reference(id));
  const Client client;
  EXPECT_EQ(ending_of([&] { client.thing(reference)->ask(""); }).what, "BAD_PARAM YES");
}

/// Neither the reference nor the ORB keeps it until the next call.
TEST(Repetition, AConnectionThatBrokeIsGivenBackToTheSystemAtOnce) {
  FakePeer steady({answer::text("well")});
  FakePeer garbling({answer::octets(test::octets_of("no message of any protocol"), false)});
  Client client;
  EXPECT_EQ(client.thing(steady.ior())->ask(""), "well");
  const auto thing = client.thing(garbling.ior());
  const auto before = test::open_descriptors();
  EXPECT_EQ(ending_of([&] { thing->ask(""); }).what, "MARSHAL MAYBE");
  ASSERT_TRUE(garbling.wait_for_open(0));
  EXPECT_EQ(test::open_descriptors(), before);
}

/// What may have been executed is told, whatever places said before that certainly have not.
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
  Client client({"-ORBCallTimeout", "1500"});
  const std::vector profiles{first.profile(), second.profile()};
  Ending ending = ending_of([&] { client.thing(profiles)->ask(""); });
  // On a loaded machine the time may be over before the second one is asked: once more, then.
  for (int tries = 1; tries < 10 && ending.what.ends_with(" NO"); ++tries) {
    ending = ending_of([&] { client.thing(profiles)->ask(""); });
  }
  EXPECT_EQ(ending.what, "TIMEOUT MAYBE");
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

TEST(Repetition, ThatAnObjectIsNotWhereItMovedSaysNothingOfAHomeThatIsOutOfReach) {
  FakePeer away({answer::system_exception("OBJECT_NOT_EXIST", 1)});
  FakePeer home({answer::forward({away.profile()}), answer::close_connection()});
  Client client;
  EXPECT_EQ(ending_of([&] { client.thing(home.ior())->ask(""); }).what, "TRANSIENT NO");
  EXPECT_EQ(away.requests(), 1U);
}

TEST(Repetition, APlaceThatForwardedAndThenFailedIsNotGoneBackTo) {
  FakePeer away({answer::system_exception("OBJECT_NOT_EXIST", 1)});
  FakePeer home({answer::forward({away.profile()}), answer::close_connection(), answer::close_connection(),
                 answer::close_connection(), answer::text("again")});
  FakePeer other({answer::forward({home.profile()})});
  Client client;
  EXPECT_EQ(ending_of([&] { client.thing({home.profile(), other.profile()})->ask(""); }).what, "TRANSIENT NO");
  EXPECT_EQ(home.requests(), 4U);
  EXPECT_EQ(other.requests(), 1U);
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
  EXPECT_NE(ending.text.find(" and 24 more"), std::string::npos) << ending.text;
  EXPECT_EQ(ending.text.find("at most"), std::string::npos) << ending.text;
  EXPECT_LT(ending.text.size(), 2000U);
}

/// The peer's profile under so many keys: as many places.
std::vector<test::ProfileData> many(const FakePeer& peer, unsigned count) {
  std::vector<test::ProfileData> profiles;
  for (unsigned i = 0; i < count; ++i) profiles.push_back(peer.profile("key " + std::to_string(i)));
  return profiles;
}

TEST(Repetition, OfAReferenceWithThousandsOfAddressesSixtyFourAreTried) {
  FakePeer full({busy_with_minor_5()});
  const Client client({"-ORBMaxProfiles", "4000"});
  auto thing = client.thing(many(full, 3800));
  for (unsigned calls = 1; calls <= 2; ++calls) {
    const auto ending = ending_of([&] { thing->ask(""); });
    EXPECT_EQ(ending.what, "TRANSIENT NO");
    EXPECT_EQ(full.requests(), 64U * calls);
    EXPECT_NE(ending.text.find(" and 48 more; a call tries at most 64 places"), std::string::npos) << ending.text;
    EXPECT_LT(ending.text.size(), 2000U);
  }
}

TEST(Repetition, OfAForwardToThousandsOfAddressesSixtyFourAreTried) {
  FakePeer full({busy_with_minor_5()});
  FakePeer forwarding({answer::forward(many(full, 3800))});
  const Client client({"-ORBMaxProfiles", "4000"});
  const auto ending = ending_of([&] { client.thing(forwarding.ior())->async_ask("").get(); });
  EXPECT_EQ(ending.what, "TRANSIENT NO");
  EXPECT_EQ(full.requests(), 64U);
  EXPECT_EQ(forwarding.requests(), 1U);
  EXPECT_NE(ending.text.find(" and 3792 more), "), std::string::npos) << ending.text;
  EXPECT_LT(ending.text.size(), 2500U);
}

TEST(Repetition, OnePlaceOfThoseThatAreTriedIsEnough) {
  FakePeer full({busy_with_minor_5()});
  FakePeer open({answer::text("open")});
  const Client client;
  auto profiles = many(full, 63);
  profiles.push_back(open.profile());
  EXPECT_EQ(client.thing(profiles)->ask(""), "open");
  EXPECT_EQ(full.requests(), 63U);
}

/// Each call has a list of its own: what one finds out does not disturb the others.
TEST(Outgoing, ConnectionsThatNoCallUsesMakeRoomForOthers) {
  const Client client({"-ORBMaxOutgoingConnections", "2"});
  std::vector<std::unique_ptr<FakePeer>> peers;
  for (int i = 0; i < 5; ++i) {
    peers.push_back(std::make_unique<FakePeer>(std::vector{answer::text("here")}));
    EXPECT_EQ(client.thing({peers.back()->profile()})->ask(""), "here");
  }
  EXPECT_EQ(client.thing({peers.back()->profile()})->ask(""), "here");
  EXPECT_EQ(peers.back()->connections(), 1U);
  EXPECT_EQ(client.thing({peers.front()->profile()})->ask(""), "here");
  EXPECT_EQ(peers.front()->connections(), 2U);
}

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
