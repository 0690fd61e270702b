// SPDX-License-Identifier: Apache-2.0
// Oneways that are kept back: when they leave, and in which order.
#include <atomic>
#include <future>
#include <thread>

#include "buffering_support.hpp"
#include "corbel/corba/messaging_policies.hpp"
#include "fault_server.hpp"
#include "shipped.hpp"

namespace corbel::buffering_test {
namespace {

TEST_F(BufferingTest, WhatIsKeptBackLeavesWhenThereIsEnough) {
  use();
  const auto victim = with_policies(plain_, count_of(5));
  tell(victim, 0, 4);
  EXPECT_EQ(statistics().oneways_buffered, 4U);
  EXPECT_GT(statistics().oneway_octets_waiting, 0U);
  EXPECT_EQ(peer_.requests(), 0U);
  tell(victim, 4, 5);
  EXPECT_EQ(statistics().oneway_octets_waiting, 0U);
  EXPECT_EQ(heard(5), "0 1 2 3 4");
  tell(victim, 5, 10);
  EXPECT_EQ(heard(10), "0 1 2 3 4 5 6 7 8 9");
  EXPECT_EQ(statistics().oneways_buffered, 8U) << "what reaches the limit is not kept";
}

TEST_F(BufferingTest, ALimitOfOctetsCountsWhatGoesOverTheWire) {
  use();
  const BufferingConstraint limit(BUFFER_MESSAGE_BYTES, 0, 0, 2000);
  const auto victim = with_policies(plain_, {CORBA::make_reference<BufferingConstraintPolicy>(limit)});
  int told = 0;
  std::uint64_t waiting = 0;
  do {
    EXPECT_GE(statistics().oneway_octets_waiting, waiting);
    waiting = statistics().oneway_octets_waiting;
    EXPECT_LT(waiting, 2000U);
    tell(victim, told, told + 1);
    ++told;
  } while (statistics().oneway_octets_waiting != 0);
  EXPECT_GT(waiting, 1800U);
  EXPECT_TRUE(peer_.wait_for_messages(static_cast<std::size_t>(told)));
}

TEST_F(BufferingTest, ATimeLimitNeedsNobodyToCall) {
  use();
  const BufferingConstraint limit(BUFFER_TIMEOUT, 20 * kMillisecond, 0, 0);
  const auto victim = with_policies(plain_, {CORBA::make_reference<BufferingConstraintPolicy>(limit)});
  tell(victim, 0, 3);
  EXPECT_EQ(heard(3), "0 1 2");
  tell(victim, 3, 5);
  EXPECT_EQ(heard(5), "0 1 2 3 4") << "again and again";
}

TEST_F(BufferingTest, AShorterTimeIsNotHeldUpByALongerOne) {
  use();
  const auto with_time = [&](std::uint64_t time) {
    const BufferingConstraint limit(BUFFER_TIMEOUT, time, 0, 0);
    return with_policies(plain_, {CORBA::make_reference<BufferingConstraintPolicy>(limit)});
  };
  tell(with_time(3'600'000 * kMillisecond), 0, 2);
  tell(with_time(5 * kMillisecond), 2, 3);
  EXPECT_EQ(heard(3), "0 1 2");
}

TEST_F(BufferingTest, ACallTakesAlongWhatWasKeptBackAndComesBehindIt) {
  use();
  const auto victim = with_policies(plain_, count_of(kMany));
  for (int round = 0; round < 3; ++round) {
    tell(victim, 0, 3);
    EXPECT_EQ(victim->echo("?"), "done");
  }
  EXPECT_EQ(heard(12), "0 1 2 echo 0 1 2 echo 0 1 2 echo");
  EXPECT_EQ(peer_.connections(), 1U);
}

TEST_F(BufferingTest, OtherOnewaysComeBehindAndTakeItAlong) {
  use();
  const auto victim = with_policies(plain_, count_of(kMany));
  tell(victim, 0, 2);
  tell(plain_, 2, 3);  // sync scope none, not to be kept back
  EXPECT_EQ(heard(3), "0 1 2");
  tell(victim, 3, 5);
  const auto sent =
      with_policies(victim, {CORBA::make_reference<Messaging::SyncScopePolicy>(Messaging::SYNC_WITH_TRANSPORT)});
  tell(sent, 5, 6);
  EXPECT_EQ(heard(6), "0 1 2 3 4 5");
  tell(victim, 6, 7);
  const auto answered =
      with_policies(victim, {CORBA::make_reference<Messaging::SyncScopePolicy>(Messaging::SYNC_WITH_TARGET)});
  tell(answered, 7, 8);
  EXPECT_EQ(heard(8), "0 1 2 3 4 5 6 7");
}

TEST_F(BufferingTest, WhatIsLargeIsNotCopiedButTakesTheOthersAlong) {
  use();
  const auto victim = with_policies(plain_, count_of(kMany));
  tell(victim, 0, 2);
  victim->tell(std::string(100'000, 'x'));
  tell(victim, 3, 4);
  EXPECT_EQ(victim->echo("?"), "done");
  EXPECT_EQ(heard(5), "0 1 " + std::string(100'000, 'x') + " 3 echo");
}

TEST_F(BufferingTest, FlushSendsAtOnceForAReferenceAndForAnOrb) {
  use();
  const auto victim = with_policies(plain_, count_of(kMany));
  EXPECT_TRUE(orb::flush_oneways(victim)) << "of nothing";
  tell(victim, 0, 2);
  EXPECT_TRUE(orb::flush_oneways(victim));
  EXPECT_EQ(heard(2), "0 1");
  tell(victim, 2, 4);
  EXPECT_TRUE(orb::flush_oneways(*orb_));
  EXPECT_EQ(statistics().oneway_octets_waiting, 0U);
  EXPECT_EQ(heard(4), "0 1 2 3");
  EXPECT_THROW(orb::flush_oneways(CORBA::object_reference<CORBA::Object>()), CORBA::INV_OBJREF);
}

TEST_F(BufferingTest, IsAPolicyOfOrbsAndThreadsToo) {
  use();
  const auto manager = IDL::traits<CORBA::PolicyManager>::narrow(orb_->resolve_initial_references("ORBPolicyManager"));
  const auto current = IDL::traits<CORBA::PolicyCurrent>::narrow(orb_->resolve_initial_references("PolicyCurrent"));
  manager->set_policy_overrides(count_of(kMany), CORBA::SetOverrideType::SET_OVERRIDE);
  tell(plain_, 0, 2);
  EXPECT_EQ(statistics().oneways_buffered, 2U);
  current->set_policy_overrides(count_of(4), CORBA::SetOverrideType::SET_OVERRIDE);
  tell(plain_, 2, 3);
  EXPECT_EQ(statistics().oneways_buffered, 3U);
  tell(plain_, 3, 4);
  EXPECT_EQ(heard(4), "0 1 2 3") << "the thread's limit is stronger";
  tell(plain_, 4, 5);
  current->set_policy_overrides({}, CORBA::SetOverrideType::SET_OVERRIDE);
  tell(plain_, 5, 6);
  EXPECT_EQ(statistics().oneways_buffered, 5U);
  tell(with_policies(plain_, none()), 6, 7);
  EXPECT_EQ(heard(7), "0 1 2 3 4 5 6") << "changed meanwhile, all in their order";
}

// A call takes another connection if others are under way on its own.
TEST_F(BufferingTest, ACallOverAnotherConnectionDoesNotOvertakeEither) {
  std::promise<void> gate;
  std::promise<void> asked;
  peer_.set({[&, opened = gate.get_future().share()](test::Conversation& conversation, const Received& request) {
               asked.set_value();
               opened.wait();
               answer(conversation, request);
             },
             &answer});
  use();
  const auto victim = with_policies(plain_, count_of(kMany));
  std::thread other([&] { EXPECT_EQ(victim->echo("first"), "done"); });
  asked.get_future().wait();
  tell(victim, 0, 3);
  EXPECT_GT(statistics().oneway_octets_waiting, 0U);
  EXPECT_EQ(victim->echo("second"), "done");
  EXPECT_EQ(statistics().oneway_octets_waiting, 0U);
  EXPECT_EQ(peer_.connections(), 2U);
  gate.set_value();
  other.join();
  EXPECT_TRUE(wait_for_requests(5));
}

TEST_F(BufferingTest, ACallThatHasATimeIsNotKeptUntilItIsOver) {
  use();
  const auto victim =
      with_policies(plain_, {count_of(kMany).front(),
                             CORBA::make_reference<Messaging::RelativeRequestTimeoutPolicy>(3'600'000 * kMillisecond)});
  tell(victim, 0, 2);
  EXPECT_GT(statistics().oneway_octets_waiting, 0U);
  const auto hasty =
      with_policies(victim, {CORBA::make_reference<Messaging::RelativeRequestTimeoutPolicy>(100 * kMillisecond)});
  tell(hasty, 2, 3);
  EXPECT_EQ(heard(3), "0 1 2");
}

TEST_F(BufferingTest, WhatWasKeptBackGoesWhereTheObjectWasWhenItWasCalled) {
  FakePeer elsewhere({&answer});
  peer_.set({[](test::Conversation&, const Received&) {}, [](test::Conversation&, const Received&) {},
             test::answer::forward({elsewhere.profile()})});
  use();
  const auto victim = with_policies(plain_, count_of(kMany));
  tell(victim, 0, 2);
  EXPECT_EQ(victim->echo("?"), "done");
  tell(victim, 2, 4);
  EXPECT_TRUE(orb::flush_oneways(victim));
  EXPECT_EQ(heard(3), "0 1 echo");
  EXPECT_EQ(heard(elsewhere, 3), "echo 2 3");
}

// --- with servers of Corbel's own ---

class Counting final : public virtual CORBA::servant_traits<Fault::Victim>::base_type {
 public:
  std::string echo(const std::string& text) override {
    if (next != nullptr) {
      tell_next();
      return text;
    }
    return std::to_string(told.load()) + (in_order ? "" : ", not in order");
  }
  void wait() override {}
  void fail(std::int32_t) override {}
  void fire() override {}
  void tell(const std::string& text) override { in_order = in_order && std::stoi(text) == told++; }
  VictimRef self() override { return nullptr; }

  void tell_next() {
    for (int i = 0; i < 3; ++i) next->tell(std::to_string(i));
  }

  VictimRef next;
  std::atomic<int> told{0};
  std::atomic<bool> in_order{true};
};

class BufferingOver : public BufferingTest, public testing::WithParamInterface<std::string> {
 protected:
  /// A server, and a reference to its servant.
  std::string serve(const IDL::traits<CORBA::ORB>::ref_type& server) {
    const auto poa = IDL::traits<PortableServer::POA>::narrow(server->resolve_initial_references("RootPOA"));
    const auto id = poa->activate_object(servant_);
    poa->the_POAManager()->activate();
    return server->object_to_string(poa->id_to_reference(id));
  }

  CORBA::servant_reference<Counting> servant_ = CORBA::make_reference<Counting>();
};

TEST_P(BufferingOver, EveryMessageArrivesInOrder) {
  // Where the servant counts as slow, the oneway that follows runs beside it.
  std::vector<std::string> options = {"server", "-ORBListenEndpoints", GetParam(), "-ORBSlowUpcall", "86400000"};
  const auto server = CORBA::ORB_init(options, "buffering-server");
  const std::string reference = serve(server);
  use();
  const auto victim = with_policies(victim_at(reference), count_of(10));
  tell(victim, 0, 25);
  EXPECT_EQ(victim->echo("?"), "25");
  tell(victim, 25, 1000);
  EXPECT_EQ(victim->echo("?"), "1000");
  server->destroy();
}

INSTANTIATE_TEST_SUITE_P(Transports, BufferingOver, testing::ValuesIn(corbel::test::endpoints()));

TEST_F(BufferingOver, OnewaysThatAnUpcallKeepsBackLeaveAtTheirTime) {
  std::vector<std::string> options = {"server", "-ORBListenEndpoints", "tcp://127.0.0.1:0", "-ORBSyncScope", "none"};
  const auto server = CORBA::ORB_init(options, "buffering-server");
  const std::string reference = serve(server);
  const BufferingConstraint limit(BUFFER_TIMEOUT, 5 * kMillisecond, 0, 0);
  servant_->next = with_policies(IDL::traits<Fault::Victim>::unchecked_narrow(server->string_to_object(peer_.ior())),
                                 {CORBA::make_reference<BufferingConstraintPolicy>(limit)});
  connect(servant_->next);
  use();
  EXPECT_EQ(victim_at(reference)->echo("x"), "x");
  EXPECT_EQ(heard(3), "0 1 2");
  servant_->next = nullptr;
  server->destroy();
}

}  // namespace
}  // namespace corbel::buffering_test
