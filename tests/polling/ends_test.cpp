// SPDX-License-Identifier: Apache-2.0
// Pollers whose calls end otherwise than well, that nobody reads, or where there are no threads to spare.
#include "support.hpp"

namespace corbel::polling_test {
namespace {

using NoPossiblePollable = CORBA::PollableSet::NoPossiblePollable;

TEST(PollersOfAnOrb, EndWithIt) {
  World world;
  const Poller poller = world.echo->sendp_wait();
  const PollableSet set = world.echo->sendp_wait()->create_pollable_set();
  world.servant->await_waiting(2);
  world.client->shutdown(true);
  EXPECT_EQ(minor_of<CORBA::BAD_INV_ORDER>([&] { poller->wait(kForEver); }), 4U);
  EXPECT_FALSE(poller->is_from_poller()) << "it is what the call ended with";
  const auto ended = IDL::traits<Async::AMI_PeerPoller>::narrow(set->get_ready_pollable(kForEver));
  EXPECT_EQ(minor_of<CORBA::BAD_INV_ORDER>([&] { ended->wait(kForEver); }), 4U);
  EXPECT_THROW((void)world.echo->sendp_wait(), CORBA::BAD_INV_ORDER);
}

TEST(PollersOfAnOrb, OutliveIt) {
  Poller answered;
  Poller pending;
  Poller taken;
  PollableSet set;
  {
    World world;
    answered = world.echo->sendp_echo("kept");
    EXPECT_TRUE(answered->is_ready(kForEver));
    taken = world.local->sendp_nothing();
    taken->nothing(kForEver);
    pending = world.echo->sendp_wait();
    set = world.echo->sendp_wait()->create_pollable_set();
    world.servant->await_waiting(2);
    world.client->destroy();
    world.client = make_orb("client of nothing");
  }
  std::string text;
  answered->echo(kForEver, text);
  EXPECT_EQ(text, "kept");
  EXPECT_EQ(minor_of<CORBA::BAD_INV_ORDER>([&] { pending->wait(kForEver); }), 4U);
  EXPECT_EQ(minor_of<CORBA::OBJECT_NOT_EXIST>([&] { taken->nothing(kForEver); }), 5U);
  EXPECT_NE(set->get_ready_pollable(kForEver), nullptr);
  EXPECT_EQ(pending->operation_name(), "wait");
  const auto target = IDL::traits<Async::Peer>::unchecked_narrow(pending->operation_target());
  EXPECT_THROW(target->nothing(), CORBA::SystemException);
}

TEST(PollersOfAnOrb, ThatThreadsWaitForEndWhileTheyWait) {
  World world;
  const Poller poller = world.echo->sendp_wait();
  const Poller other = world.echo->sendp_wait();
  const PollableSet set = other->create_pollable_set();
  std::thread polls([&] { EXPECT_THROW(poller->wait(kForEver), CORBA::BAD_INV_ORDER); });
  std::thread waits([&] { EXPECT_EQ(set->get_ready_pollable(kForEver), other); });
  world.servant->await_waiting(2);
  world.client->shutdown(false);
  polls.join();
  waits.join();
}

TEST(PollersThatAreCancelled, EndForWhoeverAsks) {
  for (const char* concurrency : {"adaptive", "single"}) {
    World world("unix://", {"-ORBConcurrency", concurrency});
    int waiting = 0;
    for (const auto& object : {world.echo, world.local}) {
      const Poller poller = object->sendp_wait();
      const auto canceller = poller->_canceller();
      world.servant->await_waiting(++waiting);  // else the thread that polls might become the servant's
      std::thread polls([&] { EXPECT_EQ(minor_of<CORBA::TRANSIENT>([&] { poller->wait(kForEver); }), 3U); });
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      EXPECT_TRUE(canceller.cancel());
      polls.join();
      EXPECT_FALSE(poller->is_from_poller());
      EXPECT_FALSE(canceller.cancel());
      EXPECT_EQ(minor_of<CORBA::OBJECT_NOT_EXIST>([&] { poller->wait(0); }), 5U);
    }
  }
}

TEST(PollersThatAreCancelled, AreReadyInTheirSet) {
  World world;
  const Poller poller = world.echo->sendp_wait();
  const PollableSet set = poller->create_pollable_set();
  set->add_pollable(world.echo->sendp_wait());
  EXPECT_TRUE(poller->_canceller().cancel());
  EXPECT_EQ(set->get_ready_pollable(kPatience), poller);
  EXPECT_EQ(minor_of<CORBA::TRANSIENT>([&] { poller->wait(0); }), 3U);
  EXPECT_FALSE(poller->_canceller().cancel());
}

TEST(PollersOfAConnection, EndWhenItBreaks) {
  World world;
  std::vector<Poller> pollers;
  for (int i = 0; i < 50; ++i) pollers.push_back(world.echo->sendp_wait());
  const PollableSet set = pollers.front()->create_pollable_set();
  for (std::size_t i = 1; i < pollers.size(); ++i) set->add_pollable(pollers[i]);
  world.servant->await_waiting(1);
  transport::faulty::Script script;
  script.cut_sent = world.plan->sent(transport::faulty::Side::connecting);
  world.plan->set(transport::faulty::Side::connecting, script);
  try {
    (void)world.echo->sendp_nothing();
  } catch (const CORBA::SystemException&) {  // whether it goes out over a new connection is not at issue
  }
  for (int i = 0; i < 50; ++i) {
    const auto ready = IDL::traits<Async::AMI_PeerPoller>::narrow(set->get_ready_pollable(kPatience));
    EXPECT_THROW(ready->wait(0), CORBA::COMM_FAILURE);
  }
  EXPECT_THROW((void)set->get_ready_pollable(kForEver), NoPossiblePollable);
}

// What nobody reads is freed when its reply has come.
TEST(UnreadPollers, KeepNothing) {
  World world;
  const auto gone = [&] {
    Poller poller = world.echo->sendp_wait();
    const auto weak = poller.weak_reference();
    poller.reset();
    return weak.expired();
  };
  EXPECT_TRUE(gone());
  for (int i = 0; i < 1000; ++i) (void)world.echo->sendp_echo(std::string(1000, 'x'));
  const auto set = world.echo->sendp_wait()->create_pollable_set();
  for (int i = 0; i < 100; ++i) set->add_pollable(world.echo->sendp_wait());
  world.servant->release();
  // The servant has had all of them by then.
  std::int32_t served = 0;
  while (served < 1000) world.echo->sendp_get_served()->get_served(kForEver, served);
}

// --- no threads of the ORB ---

class SingleMode : public testing::TestWithParam<std::string> {};

TEST_P(SingleMode, PollsReadTheirReplies) {
  World world(GetParam(), {"-ORBConcurrency", "single"});
  const Poller at_once = world.echo->sendp_echo("looks now and then");
  while (!at_once->is_ready(0)) std::this_thread::yield();
  const Poller one = world.echo->sendp_echo("1");
  const Poller two = world.echo->sendp_echo("2");
  std::string text;
  two->echo(kForEver, text);
  EXPECT_EQ(text, "2");
  one->echo(kPatience, text);
  EXPECT_EQ(text, "1");
}

TEST_P(SingleMode, SetsReadTheirReplies) {
  World world(GetParam(), {"-ORBConcurrency", "single"});
  for (const std::uint32_t timeout : {0U, kPatience, kForEver}) {
    const PollableSet set = world.echo->sendp_echo("0")->create_pollable_set();
    for (int i = 1; i < 30; ++i) set->add_pollable(world.echo->sendp_echo(std::to_string(i)));
    for (int had = 0; had < 30;) {
      try {
        std::string text;
        IDL::traits<Async::AMI_PeerPoller>::narrow(set->get_ready_pollable(timeout))->echo(0, text);
        ++had;
      } catch (const CORBA::NO_RESPONSE&) {
        std::this_thread::yield();
      }
    }
    EXPECT_EQ(set->number_left(), 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(All, SingleMode, testing::ValuesIn(async_test::all_endpoints()));

TEST(SingleModeSets, WaitForSeveralConnectionsInTurn) {
  World slow("tcp://127.0.0.1:0", {"-ORBConcurrency", "single"});
  const PollableSet set = slow.echo->sendp_wait()->create_pollable_set();
  const OtherServer other("unix://");
  const Poller quick = other.seen_by(slow)->sendp_nothing();
  set->add_pollable(quick);
  EXPECT_EQ(set->get_ready_pollable(kForEver), quick);
}

TEST(SingleModeSets, RunCallsToTheirOwnProcess) {
  const OrbRef orb = make_orb("alone", {"-ORBConcurrency", "single", "-ORBListenEndpoints", "tcp://127.0.0.1:0"});
  const auto root = IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  root->the_POAManager()->activate();
  const auto servant = CORBA::make_reference<async_test::EchoServant>();
  const auto object = IDL::traits<Async::Peer>::narrow(root->servant_to_reference(servant));
  const Poller polled = object->sendp_echo("here");
  while (!polled->is_ready(0)) std::this_thread::yield();
  const PollableSet set = object->sendp_echo("and here")->create_pollable_set();
  std::string text;
  IDL::traits<Async::AMI_PeerPoller>::narrow(set->get_ready_pollable(kForEver))->echo(0, text);
  EXPECT_EQ(text, "and here");
  orb->destroy();
}

// --- no threads to spare: a servant waits for replies to calls of its own on the only one there is ---

class Relay : public async_test::EchoServant {
 public:
  std::string echo(const std::string& text) override {
    const PollableSet set = beyond->sendp_echo(text + " once")->create_pollable_set();
    set->add_pollable(beyond->sendp_echo(text + " twice"));
    std::string all;
    for (int i = 0; i < 2; ++i) {
      std::string one;
      IDL::traits<Async::AMI_PeerPoller>::narrow(set->get_ready_pollable(kForEver))->echo(0, one);
      all += one + ";";
    }
    return all;
  }
  async_test::EchoRef beyond;
};

TEST(SetsInServants, ReadTheirRepliesIfAllThreadsAreBusy) {
  World world;
  const OrbRef relaying = make_orb("relay", {"-ORBThreads", "1", "-ORBListenEndpoints", "tcp://127.0.0.1:0"});
  const auto root = IDL::traits<PortableServer::POA>::narrow(relaying->resolve_initial_references("RootPOA"));
  root->the_POAManager()->activate();
  const auto relay = CORBA::make_reference<Relay>();
  relay->beyond = IDL::traits<Async::Peer>::unchecked_narrow(relaying->string_to_object(world.ior));
  const auto ior = relaying->object_to_string(root->servant_to_reference(relay));
  const auto object = IDL::traits<Async::Peer>::unchecked_narrow(world.client->string_to_object(ior));
  const std::string all = object->echo("text");
  EXPECT_NE(all.find("text once;"), std::string::npos) << all;
  EXPECT_NE(all.find("text twice;"), std::string::npos) << all;
  relaying->destroy();
}

}  // namespace
}  // namespace corbel::polling_test
