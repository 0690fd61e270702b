// SPDX-License-Identifier: Apache-2.0
// Pollers: what they give, when, and how often (CORBA 3.3 part 1, 7.4.1, 22.9, 22.10.1).
#include <algorithm>
#include <limits>

#include "names_server.hpp"
#include "support.hpp"

namespace corbel::polling_test {
namespace {

class Pollers : public testing::TestWithParam<std::string> {};

TEST_P(Pollers, GiveResultAndParametersThatComeBack) {
  World world(GetParam());
  for (const auto& object : {world.echo, world.local}) {
    const Poller poller = object->sendp_split("key=mark", '=', "re");
    std::int32_t place = 0;
    std::string head;
    std::string tail;
    poller->split(kForEver, place, head, tail);
    EXPECT_EQ(place, 3);
    EXPECT_EQ(head, "key");
    EXPECT_EQ(tail, "remark");
    std::int32_t a = 0;
    std::int32_t b = 0;
    object->sendp_swap(1, 2)->swap(kPatience, a, b);
    EXPECT_EQ(a, 2);
    EXPECT_EQ(b, 1);
    object->sendp_nothing()->nothing(kForEver);
  }
}

TEST_P(Pollers, GiveAttributes) {
  World world(GetParam());
  for (const auto& object : {world.echo, world.local}) {
    object->sendp_set_greeting("good day")->set_greeting(kForEver);
    std::string text;
    object->sendp_get_greeting()->get_greeting(kForEver, text);
    EXPECT_EQ(text, "good day");
    object->sendp_set_greeting("hello")->set_greeting(kForEver);
    // That of a base's operation is the base's poller.
    const IDL::traits<Async::AMI_BasePoller>::ref_type poller = object->sendp_get_served();
    std::int32_t served = -1;
    poller->get_served(kForEver, served);
    EXPECT_EQ(served, 0);
    EXPECT_EQ(IDL::traits<Async::AMI_PeerPoller>::narrow(poller), nullptr);
  }
}

TEST_P(Pollers, ThrowWhatTheCallEndedWith) {
  World world(GetParam());
  for (const auto& object : {world.echo, world.local}) {
    try {
      object->sendp_fail(7)->fail(kForEver);
      ADD_FAILURE();
    } catch (const Async::Refused& refused) {
      EXPECT_EQ(refused.why(), "failed 7");
    }
    const Poller poller = object->sendp_fail(0);
    EXPECT_EQ(minor_of<CORBA::NO_PERMISSION>([&] { poller->fail(kForEver); }), 7U);
    EXPECT_FALSE(poller->is_from_poller());
    EXPECT_EQ(minor_of<CORBA::OBJECT_NOT_EXIST>([&] { poller->fail(kForEver); }), 5U) << "exceptions come once, too";
    std::int32_t place = 17;
    std::string head = "as it was";
    std::string tail;
    EXPECT_THROW(object->sendp_split("none", '=', "")->split(kForEver, place, head, tail), Async::Refused);
    EXPECT_EQ(place, 17);
    EXPECT_EQ(head, "as it was");
  }
}

// 22.10.1.1: the time-out.
TEST_P(Pollers, AreNotReadyBeforeTheReplyIsThere) {
  for (const bool local : {false, true}) {
    World world(GetParam());
    const Poller poller = (local ? world.local : world.echo)->sendp_wait();
    EXPECT_FALSE(poller->is_ready(0));
    EXPECT_FALSE(poller->is_ready(1));
    EXPECT_EQ(minor_of<CORBA::NO_RESPONSE>([&] { poller->wait(0); }), 1U);
    EXPECT_TRUE(poller->is_from_poller());
    EXPECT_EQ(minor_of<CORBA::TIMEOUT>([&] { poller->wait(1); }), 1U);
    EXPECT_TRUE(poller->is_from_poller());
    std::thread later([&] {
      world.servant->await_waiting(1);
      world.servant->release();
    });
    EXPECT_TRUE(poller->is_ready(kForEver));
    later.join();
    EXPECT_TRUE(poller->is_ready(0)) << "asking takes nothing";
    poller->wait(0);
    EXPECT_FALSE(poller->is_from_poller());
  }
}

INSTANTIATE_TEST_SUITE_P(All, Pollers, testing::ValuesIn(async_test::all_endpoints()));

// 7.4.1.1 and 22.9: OBJECT_NOT_EXIST minor 5.
TEST(Poller, GivesItsReplyOnce) {
  World world;
  const Poller poller = world.echo->sendp_echo("once");
  std::string text;
  poller->echo(kForEver, text);
  EXPECT_EQ(text, "once");
  for (const std::uint32_t timeout : {0U, 1U, kForEver}) {
    EXPECT_EQ(minor_of<CORBA::OBJECT_NOT_EXIST>([&] { poller->echo(timeout, text); }), 5U);
    EXPECT_TRUE(poller->is_from_poller());
    EXPECT_EQ(minor_of<CORBA::OBJECT_NOT_EXIST>([&] { poller->is_ready(timeout); }), 5U);
  }
  EXPECT_EQ(text, "once");
}

// 22.9.1, 22.9.2.
TEST(Poller, KnowsWhatWasCalled) {
  World world;
  const Poller poller = world.echo->sendp_echo("who");
  EXPECT_TRUE(poller->operation_target()->_is_equivalent(world.echo));
  EXPECT_EQ(IDL::traits<Async::Peer>::narrow(poller->operation_target())->echo("again"), "again");
  EXPECT_EQ(poller->operation_name(), "echo");
  EXPECT_EQ(world.echo->sendp_get_greeting()->operation_name(), "_get_greeting");
  EXPECT_EQ(world.echo->sendp_set_greeting("x")->operation_name(), "_set_greeting");
}

// 22.9.4: BAD_INV_ORDER minor 22.
TEST(Poller, CannotSayWhoseExceptionItWasBeforeThereIsOne) {
  World world;
  const Poller poller = world.echo->sendp_wait();
  EXPECT_EQ(minor_of<CORBA::BAD_INV_ORDER>([&] { (void)poller->is_from_poller(); }), 22U);
  EXPECT_FALSE(poller->is_ready(0));
  EXPECT_EQ(minor_of<CORBA::BAD_INV_ORDER>([&] { (void)poller->is_from_poller(); }), 22U);
}

// The TIMEOUT of the call and that of the poll are told apart.
TEST(Poller, SaysWhoseTimeWasUp) {
  World world("tcp://127.0.0.1:0", {"-ORBCallTimeout", "2000"});
  Poller poller;
  // On a loaded machine the time may be over before the request has left, which the caller is told: once more, then.
  for (int tries = 0; poller == nullptr; ++tries) {
    try {
      poller = world.echo->sendp_wait();
    } catch (const CORBA::TIMEOUT&) {
      if (tries == 10) throw;
    }
  }
  EXPECT_THROW(poller->wait(kForEver), CORBA::TIMEOUT);
  EXPECT_FALSE(poller->is_from_poller());
}

TEST(Poller, RefusesAnOperationThatWasNotCalled) {
  World world;
  const Poller poller = world.echo->sendp_echo("text");
  std::string text;
  EXPECT_EQ(minor_of<CORBA::BAD_OPERATION>([&] { poller->get_greeting(kForEver, text); }), 2U);
  EXPECT_TRUE(poller->is_from_poller());
  poller->echo(kForEver, text);
  EXPECT_EQ(text, "text");
}

TEST(Poller, TellsWhatStopsTheCallBeforeItWasSent) {
  World world;
  world.server->destroy();
  world.server = make_orb("other");
  EXPECT_THROW((void)world.echo->sendp_nothing(), CORBA::TRANSIENT);
}

TEST(Poller, IsAPollableOfItsType) {
  World world;
  const Poller poller = world.echo->sendp_nothing();
  const Pollable pollable = poller;
  EXPECT_EQ(IDL::traits<Async::AMI_PeerPoller>::narrow(pollable), poller);
  EXPECT_EQ(IDL::traits<Async::AMI_BasePoller>::narrow(pollable), poller);
  EXPECT_EQ(IDL::traits<Messaging::Poller>::narrow(pollable), poller);
  EXPECT_EQ(IDL::traits<Names::AMI_TakenPoller>::narrow(pollable), nullptr);
  EXPECT_EQ(IDL::traits<CORBA::DIIPollable>::narrow(pollable), nullptr);
  EXPECT_THROW((void)poller->_copy_value(), CORBA::MARSHAL);
}

// Of many that take at once one has it, the others are told so.
TEST(Poller, GivesItsReplyToOneOfManyThreads) {
  World world;
  for (int round = 0; round < 20; ++round) {
    const Poller poller = world.echo->sendp_echo("mine");
    std::atomic<int> had{0};
    std::atomic<int> late{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        std::string text;
        try {
          poller->echo(kForEver, text);
          EXPECT_EQ(text, "mine");
          ++had;
        } catch (const CORBA::OBJECT_NOT_EXIST&) {
          ++late;
        }
      });
    }
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(had, 1);
    EXPECT_EQ(late, 7);
  }
}

TEST(Poller, OfManyInFlightGivesEachItsOwn) {
  World world("tcp://127.0.0.1:0", {"-ORBConnectionsPerEndpoint", "1"});
  std::vector<Poller> pollers;
  for (int i = 0; i < 2000; ++i) pollers.push_back(world.echo->sendp_echo(std::to_string(i)));
  for (std::size_t i = pollers.size(); i-- > 0;) {
    std::string text;
    pollers[i]->echo(kPatience, text);
    EXPECT_EQ(text, std::to_string(i));
  }
}

// The poller, and what it shares with sets; the memory of the call is that of one before, but for sanitizers.
TEST(Poller, CostsTwoAllocationsPerCallOnceWarm) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  constexpr std::size_t kMost = 3;
#else
  constexpr std::size_t kMost = 2;
#endif
  constexpr int kCalls = 100;
  constexpr std::size_t kOfOthers = 10;  // server and tick are in this process too
  World world("unix://");
  const auto run = [&] {
    for (int i = 0; i < kCalls; ++i) {
      std::int32_t a = 0;
      std::int32_t b = 0;
      world.echo->sendp_swap(i, 1)->swap(kForEver, a, b);
      EXPECT_EQ(b, i);
    }
  };
  run();
  run();
  std::size_t fewest = std::numeric_limits<std::size_t>::max();
  // On a loaded machine others do more now and then.
  for (int tries = 0; tries < 5 && fewest > kMost * kCalls + kOfOthers; ++tries) {
    const std::size_t before = test::allocations_of_all();
    run();
    fewest = std::min(fewest, test::allocations_of_all() - before);
  }
  EXPECT_LE(fewest, kMost * kCalls + kOfOthers);
}

// The implied IDL never has a name twice.
class TakenServant : public virtual CORBA::servant_traits<Names::Derived>::base_type {
 public:
  bool is_ready(std::int32_t timeout, std::int32_t& value) override {
    value = timeout + 1;
    return true;
  }
  std::string operation_name() override { return "attribute"; }
  void operation_name(const std::string&) override {}
  std::string get_operation_name() override { return "operation"; }
  void sendp_is_ready() override {}
  void is_from_poller() override {}
  void get_ready() override {}
};

TEST(Poller, HasNamesThatAreNotTaken) {
  const OrbRef orb = make_orb("names", {"-ORBListenEndpoints", "tcp://127.0.0.1:0"});
  const auto root = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  root->the_POAManager()->activate();
  const auto object =
      IDL::traits<Names::Derived>::narrow(root->servant_to_reference(CORBA::make_reference<TakenServant>()));
  bool result = false;
  std::int32_t value = 0;
  object->sendp_ami_is_ready(4)->ami_is_ready(kForEver, result, value);
  EXPECT_TRUE(result);
  EXPECT_EQ(value, 5);
  std::string text;
  object->sendp_ami_get_operation_name()->ami_get_operation_name(kForEver, text);
  EXPECT_EQ(text, "attribute");
  object->sendp_get_operation_name()->get_operation_name(kForEver, text);
  EXPECT_EQ(text, "operation");
  object->sendp_sendp_is_ready()->sendp_is_ready(kForEver);
  object->sendp_is_from_poller()->ami_is_from_poller(kForEver);
  object->sendp_get_ready()->get_ready(kForEver);
  orb->destroy();
}

}  // namespace
}  // namespace corbel::polling_test
