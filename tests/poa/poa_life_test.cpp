// SPDX-License-Identifier: Apache-2.0
// Managers, running requests, and how objects, POAs and ORBs end.
#include <future>
#include <latch>
#include <thread>

#include "test_support.hpp"

namespace corbel::poa::testing {
namespace {

using namespace PortableServer;  // NOLINT: policy values

class PoaLife : public PoaTest {};
INSTANTIATE_TEST_SUITE_P(Ways, PoaLife, ::testing::Values("local", "remote"));

/// A servant whose requests wait to be let go.
struct Blocker {
  std::latch entered{1};
  std::latch go{1};
  CORBA::servant_reference<Probe> servant = CORBA::make_reference<Probe>([this](std::int32_t n) {
    entered.count_down();
    go.wait();
    return n;
  });
};

TEST_P(PoaLife, HoldingManagersLetRequestsWait) {
  const ObjectRef object = root->servant_to_reference(CORBA::make_reference<Probe>());
  root->the_POAManager()->hold_requests(false);
  EXPECT_EQ(outcome([&] { number(object); }), "TRANSIENT 0x43420503");  // held too long
  EXPECT_EQ(root->the_POAManager()->get_state(), POAManager::State::HOLDING);
  root->the_POAManager()->activate();
  EXPECT_EQ(number(object), 1);
}

TEST_P(PoaLife, RequestsHeldGoOnWhenTheManagerIsActivated) {
  const auto patient = make_orb("patient", {"-ORBHoldTimeout", "60000", "-ORBCollocation", "off"});
  const auto poa = IDL::traits<POA>::narrow(patient->resolve_initial_references("RootPOA"));
  const ObjectRef object = poa->servant_to_reference(CORBA::make_reference<Probe>());
  auto answer = std::async(std::launch::async, [&] { return number(object); });
  poa->the_POAManager()->activate();
  EXPECT_EQ(answer.get(), 1);
  patient->destroy();
}

TEST_P(PoaLife, DiscardingAndInactiveManagersRefuse) {
  const ObjectRef object = root->servant_to_reference(CORBA::make_reference<Probe>());
  const auto manager = root->the_POAManager();
  manager->discard_requests(true);
  EXPECT_EQ(outcome([&] { number(object); }), "TRANSIENT 0x4f4d0001");
  manager->deactivate(false, true);
  EXPECT_EQ(outcome([&] { number(object); }).substr(0, 11), "OBJ_ADAPTER");
  EXPECT_EQ(outcome([&] { manager->activate(); }), "AdapterInactive");
  EXPECT_EQ(outcome([&] { manager->deactivate(false, false); }), "none");
}

TEST_P(PoaLife, HoldingCanWaitForRunningRequests) {
  Blocker blocker;
  const ObjectRef object = root->servant_to_reference(blocker.servant);
  auto call = std::async(std::launch::async, [&] { return number(object, 5); });
  blocker.entered.wait();
  auto held = std::async(std::launch::async, [&] { root->the_POAManager()->hold_requests(true); });
  blocker.go.count_down();
  EXPECT_EQ(call.get(), 5);
  held.get();
  root->the_POAManager()->activate();
}

TEST_P(PoaLife, WaitingForRequestsEndsWhenTheManagerIsActivatedMeanwhile) {
  Blocker blocker;
  const ObjectRef object = root->servant_to_reference(blocker.servant);
  auto call = std::async(std::launch::async, [&] { return number(object, 5); });
  blocker.entered.wait();
  auto held = std::async(std::launch::async, [&] { root->the_POAManager()->hold_requests(true); });
  // Longer than it takes to begin to wait: a request held for too long.
  while (outcome([&] { number(root->servant_to_reference(CORBA::make_reference<Probe>())); }) == "none") continue;
  root->the_POAManager()->activate();
  held.get();
  blocker.go.count_down();
  EXPECT_EQ(call.get(), 5);
}

TEST_P(PoaLife, ResultsWhoseMarshallingThrowsAreAnsweredWithTheException) {
  struct Thrower final : Probe {
    bool _dispatch(corba::ServerCall& call) override {
      call.use_octets();
      call.reply([](cdr::Encoder&) { throw CORBA::NO_PERMISSION(7); });
      return true;
    }
  };
  const ObjectRef object = root->servant_to_reference(CORBA::make_reference<Thrower>());
  EXPECT_EQ(outcome([&] { number(object); }), "NO_PERMISSION 0x00000007");
}

TEST_P(PoaLife, WaitingForTheOrbsEndInAServantsDestructorIsRefused) {
  struct Ender final : Probe {
    explicit Ender(std::function<void()> end) : end_(std::move(end)) {}
    ~Ender() override { end_(); }
    std::function<void()> end_;
  };
  std::vector<std::string> outcomes;
  const auto end = [&] { outcomes = {outcome([&] { orb->shutdown(true); }), outcome([&] { orb->destroy(); })}; };
  const ObjectId id = root->activate_object(CORBA::make_reference<Ender>(end));
  root->deactivate_object(id);
  EXPECT_EQ(outcomes, std::vector<std::string>(2, "BAD_INV_ORDER 0x4f4d0003"));
}

TEST_P(PoaLife, WaitingInAServantLocatorIsRefused) {
  struct Locator final : ServantLocator {
    ServantRef preinvoke(const ObjectId&, PoaRef, const std::string&, Cookie&) override {
      for (const auto& wait : waits) outcomes.push_back(outcome(wait));
      return CORBA::make_reference<Probe>();
    }
    void postinvoke(const ObjectId&, PoaRef, const std::string&, Cookie, ServantRef) override {
      for (const auto& wait : waits) outcomes.push_back(outcome(wait));
    }
    std::vector<std::function<void()>> waits;
    std::vector<std::string> outcomes;
  };
  const auto locator = CORBA::make_reference<Locator>();
  locator->waits = {[&] { root->the_POAManager()->hold_requests(true); }, [&] { root->destroy(true, true); },
                    [&] { orb->shutdown(true); }, [&] { orb->destroy(); }};
  const PoaRef poa =
      child("located", {root->create_servant_retention_policy(ServantRetentionPolicyValue::NON_RETAIN),
                        root->create_request_processing_policy(RequestProcessingPolicyValue::USE_SERVANT_MANAGER)});
  poa->set_servant_manager(locator);
  EXPECT_EQ(number(poa->create_reference(std::string(kProbeId))), 1);
  poa->destroy(true, true);  // the request's thread may still be in postinvoke
  EXPECT_EQ(locator->outcomes, std::vector<std::string>(8, "BAD_INV_ORDER 0x4f4d0003"));
}

TEST_P(PoaLife, WaitingInsideARequestIsRefused) {
  std::vector<std::string> outcomes;
  const auto servant = CORBA::make_reference<Probe>([&](std::int32_t) {
    outcomes = {outcome([&] { root->the_POAManager()->hold_requests(true); }),
                outcome([&] { root->destroy(true, true); }), outcome([&] { orb->shutdown(true); }),
                outcome([&] { orb->destroy(); })};
    return 0;
  });
  number(root->servant_to_reference(servant));
  EXPECT_EQ(outcomes, std::vector<std::string>(4, "BAD_INV_ORDER 0x4f4d0003"));
}

TEST_P(PoaLife, RunningRequestsOutliveDeactivation) {
  const int before = Probe::destroyed;
  Blocker blocker;
  const ObjectId id = root->activate_object(std::exchange(blocker.servant, nullptr));
  const ObjectRef object = root->id_to_reference(id);
  auto call = std::async(std::launch::async, [&] { return number(object, 7); });
  blocker.entered.wait();
  root->deactivate_object(id);
  EXPECT_EQ(outcome([&] { number(object); }), "OBJECT_NOT_EXIST 0x4f4d0001");
  EXPECT_EQ(Probe::destroyed, before);
  blocker.go.count_down();
  EXPECT_EQ(call.get(), 7);
  root->destroy(true, true);  // the request's thread may still be on its way out
  EXPECT_EQ(Probe::destroyed, before + 1);
}

TEST_P(PoaLife, ActivatingAnIdAgainWaitsForTheOldObjectToLeave) {
  const PoaRef poa = child("user", {root->create_id_assignment_policy(IdAssignmentPolicyValue::USER_ID)});
  const ObjectId id = string_to_ObjectId("x");
  Blocker blocker;
  poa->activate_object_with_id(id, blocker.servant);
  const ObjectRef object = poa->id_to_reference(id);
  auto call = std::async(std::launch::async, [&] { return number(object, 7); });
  blocker.entered.wait();
  poa->deactivate_object(id);
  auto again =
      std::async(std::launch::async, [&] { poa->activate_object_with_id(id, CORBA::make_reference<Probe>()); });
  blocker.go.count_down();
  EXPECT_EQ(call.get(), 7);
  again.get();
  EXPECT_EQ(number(object, 1), 2);
}

TEST_P(PoaLife, DestroyedPoasAreGoneWithTheirChildren) {
  const PoaRef a = child("a", {});
  const PoaRef b = a->create_POA("b", root->the_POAManager(), {});
  const ObjectRef object = b->id_to_reference(b->activate_object(CORBA::make_reference<Probe>()));
  EXPECT_EQ(number(object), 1);
  EXPECT_EQ(b->the_parent(), a);
  EXPECT_EQ(root->find_POA("a", false), a);
  EXPECT_EQ(a->the_children(), (POAList{b}));
  EXPECT_EQ(outcome([&] { child("a", {}); }), "AdapterAlreadyExists");
  a->destroy(true, true);
  EXPECT_EQ(outcome([&] { number(object); }), "OBJECT_NOT_EXIST 0x4f4d0002");
  EXPECT_EQ(outcome([&] { b->activate_object(CORBA::make_reference<Probe>()); }), "OBJECT_NOT_EXIST 0x4f4d0004");
  EXPECT_EQ(outcome([&] { root->find_POA("a", false); }), "AdapterNonExistent");
  // The same name again is another POA, even in the same slot.
  const PoaRef next = child("a", {});
  next->create_POA("b", root->the_POAManager(), {});
  EXPECT_EQ(outcome([&] { number(object); }), "OBJECT_NOT_EXIST 0x4f4d0002");
}

TEST_P(PoaLife, DestroyWaitsForRunningRequests) {
  const PoaRef poa = child("a", {});
  Blocker blocker;
  const ObjectRef object = poa->id_to_reference(poa->activate_object(blocker.servant));
  auto call = std::async(std::launch::async, [&] { return number(object, 3); });
  blocker.entered.wait();
  poa->destroy(true, false);
  EXPECT_EQ(outcome([&] { number(object); }), "TRANSIENT 0x4f4d0004");
  auto ended = std::async(std::launch::async, [&] { root->destroy(true, true); });
  blocker.go.count_down();
  EXPECT_EQ(call.get(), 3);
  ended.get();
}

TEST_P(PoaLife, SingleThreadPoasServeOneAtATimeAndTheirOwnNestedCalls) {
  const PoaRef poa = child("single", {root->create_thread_policy(ThreadPolicyValue::SINGLE_THREAD_MODEL)});
  int inside = 0;  // unprotected on purpose
  bool overlapped = false;
  ObjectRef object;
  const auto servant = CORBA::make_reference<Probe>([&](std::int32_t n) {
    overlapped = overlapped || (n == 0 && inside != 0);
    ++inside;
    const bool local = object->_target()->is_local();
    const std::int32_t result = n == 0 && local ? number(object, 1) : n;
    --inside;
    return result;
  });
  object = poa->id_to_reference(poa->activate_object(servant));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 200; ++j) number(object, 0);
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_FALSE(overlapped);
  EXPECT_EQ(inside, 0);
}

TEST_P(PoaLife, ManyThreadsActivateCallAndDeactivate) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 100; ++j) {
        const ObjectId id = root->activate_object(CORBA::make_reference<Probe>());
        const ObjectRef object = root->id_to_reference(id);
        EXPECT_EQ(number(object, j), j + 1);
        root->deactivate_object(id);
        EXPECT_TRUE(object->_non_existent());
      }
    });
  }
  for (auto& thread : threads) thread.join();
}

TEST_P(PoaLife, ShutDownOrbsRefuse) {
  const ObjectRef object = root->servant_to_reference(CORBA::make_reference<Probe>());
  orb->shutdown(true);
  EXPECT_EQ(outcome([&] { number(object); }), "BAD_INV_ORDER 0x4f4d0004");
  EXPECT_EQ(outcome([&] { orb->resolve_initial_references("RootPOA"); }), "BAD_INV_ORDER 0x4f4d0004");
  EXPECT_EQ(outcome([&] { orb->run(); }), "BAD_INV_ORDER 0x4f4d0004");
  EXPECT_EQ(outcome([&] { root->create_reference(""); }), "OBJECT_NOT_EXIST 0x4f4d0004");
  orb->destroy();
  EXPECT_EQ(outcome([&] { orb->string_to_object("IOR:00"); }), "OBJECT_NOT_EXIST 0x4f4d0004");
  orb = nullptr;
}

TEST_P(PoaLife, ReferencesKeepADestroyedOrbInMemory) {
  ObjectRef object;
  {
    const auto other = make_orb("short");
    const auto poa = IDL::traits<POA>::narrow(other->resolve_initial_references("RootPOA"));
    object = poa->servant_to_reference(CORBA::make_reference<Probe>());
    other->destroy();
  }
  EXPECT_EQ(outcome([&] { number(object); }), "OBJECT_NOT_EXIST 0x4f4d0004");
  EXPECT_EQ(outcome([&] { object->_is_a("IDL:other:1.0"); }), "OBJECT_NOT_EXIST 0x4f4d0004");
  EXPECT_EQ(outcome([&] { object->_non_existent(); }), "OBJECT_NOT_EXIST 0x4f4d0004");
}

TEST_P(PoaLife, StubsOfRemoteObjectsOutliveTheirDestroyedOrb) {
  const ObjectRef object = root->servant_to_reference(CORBA::make_reference<Probe>());
  root->the_POAManager()->activate();
  ObjectRef remote;
  {
    const auto client = make_orb("short");
    remote = client->string_to_object(orb->object_to_string(object));
    ASSERT_EQ(number(remote), 1);
    client->destroy();
  }
  EXPECT_EQ(outcome([&] { number(remote); }), "OBJECT_NOT_EXIST 0x4f4d0004");
  EXPECT_EQ(outcome([&] { remote->_is_a("IDL:other:1.0"); }), "OBJECT_NOT_EXIST 0x4f4d0004");
  EXPECT_EQ(outcome([&] { remote->_non_existent(); }), "OBJECT_NOT_EXIST 0x4f4d0004");
}

TEST_P(PoaLife, ShuttingDownWithWaitingWaitsAfterOneWithout) {
  Blocker blocker;
  const ObjectRef object = root->servant_to_reference(blocker.servant);
  auto caller = std::async(std::launch::async, [&] { return outcome([&] { number(object); }); });
  blocker.entered.wait();
  orb->shutdown(false);
  auto waiter = std::async(std::launch::async, [&] { orb->shutdown(true); });
  EXPECT_EQ(waiter.wait_for(std::chrono::milliseconds(20)), std::future_status::timeout);
  blocker.go.count_down();
  waiter.get();
  caller.get();
}

TEST_P(PoaLife, EndingGivesUpOnAServantThatDoesNotReturn) {
  const auto hasty = make_orb(
      "hasty", {"-ORBShutdownTimeout", "30", "-ORBCollocation", std::string(GetParam()) == "local" ? "on" : "off"});
  const auto top = IDL::traits<POA>::narrow(hasty->resolve_initial_references("RootPOA"));
  top->the_POAManager()->activate();
  const auto poa = top->create_POA("stuck", top->the_POAManager(), {});
  Blocker blocker;
  const ObjectRef object = poa->id_to_reference(poa->activate_object(blocker.servant));
  auto call = std::async(std::launch::async, [&] { return outcome([&] { number(object, 7); }); });
  blocker.entered.wait();
  EXPECT_EQ(outcome([&] { poa->destroy(true, true); }).substr(0, 7), "TIMEOUT");
  EXPECT_EQ(outcome([&] { number(object); }), "TRANSIENT 0x4f4d0004") << "it has not ended";
  hasty->shutdown(true);
  blocker.go.count_down();
  call.get();
  hasty->destroy();
}

TEST(OrbInit, GivesTheSameOrbForTheSameIdUntilDestroyed) {
  const auto first = make_orb("same");
  EXPECT_EQ(make_orb("same"), first);
  EXPECT_EQ(make_orb("", {"-ORBId", "same"}), first);
  EXPECT_EQ(first->id(), "same");
  first->destroy();
  const auto second = make_orb("same");
  EXPECT_NE(second, first);
  second->destroy();
}

}  // namespace
}  // namespace corbel::poa::testing
