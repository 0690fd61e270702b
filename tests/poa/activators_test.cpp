// SPDX-License-Identifier: Apache-2.0
// What servant activators are told, by how many threads at a time, and which servant is taken for which object's.
#include <barrier>
#include <chrono>
#include <future>
#include <latch>
#include <mutex>
#include <thread>

#include "test_support.hpp"

namespace corbel::poa::testing {
namespace {

using namespace PortableServer;  // NOLINT: policy values
using namespace std::chrono_literals;

class Activators : public PoaTest {
 protected:
  Activators() : PoaTest("60000") {}

  /// A request may still be about to end when its client has the reply.
  void wait_until_idle() {
    root->the_POAManager()->hold_requests(true);
    root->the_POAManager()->activate();
  }
};
INSTANTIATE_TEST_SUITE_P(Ways, Activators, ::testing::Values("local", "remote"));

/// One servant for all, or one for each.
class Keeper final : public ServantActivator {
 public:
  ServantRef incarnate(const ObjectId&, PoaRef) override {
    {
      const std::lock_guard lock(mutex_);
      ++incarnated;
    }
    for (int i = 0; i < 50; ++i) std::this_thread::yield();  // others come meanwhile
    return shared != nullptr ? shared : ServantRef(CORBA::make_reference<Probe>());
  }
  void etherealize(const ObjectId& id, PoaRef, ServantRef, bool cleanup, bool remaining) override {
    if (gone != nullptr) {
      gone->count_down();
      go->wait();
    }
    const std::lock_guard lock(mutex_);
    log += "-" + ObjectId_to_string(id) + (cleanup ? "c" : "") + (remaining ? "r" : "");
  }
  std::string logged() {
    const std::lock_guard lock(mutex_);
    return log;
  }

  ServantRef shared;
  std::latch* gone = nullptr;
  std::latch* go = nullptr;
  int incarnated = 0;
  std::string log;

 private:
  std::mutex mutex_;
};

TEST_P(Activators, LearnWhetherTheServantHasOtherObjects) {
  const PoaRef poa = child("remaining", {user_ids(), multiple(), managed()});
  const auto keeper = CORBA::make_reference<Keeper>();
  keeper->shared = CORBA::make_reference<Probe>();
  poa->set_servant_manager(keeper);
  for (const char* id : {"a", "b", "c", "d"}) EXPECT_EQ(number(reference(poa, id)), 1);
  wait_until_idle();
  poa->deactivate_object(string_to_ObjectId("b"));
  EXPECT_EQ(keeper->logged(), "-br");
  poa->deactivate_object(string_to_ObjectId("a"));
  EXPECT_EQ(keeper->logged(), "-br-ar");
  keeper->log.clear();
  poa->destroy(true, true);
  EXPECT_TRUE(keeper->logged() == "-ccr-dc" || keeper->logged() == "-dcr-cc") << keeper->logged();
}

TEST_P(Activators, LearnThatTheLastObjectLeaves) {
  const PoaRef poa = child("last", {user_ids(), multiple(), managed()});
  const auto keeper = CORBA::make_reference<Keeper>();
  keeper->shared = CORBA::make_reference<Probe>();
  poa->set_servant_manager(keeper);
  number(reference(poa, "a"));
  wait_until_idle();
  poa->deactivate_object(string_to_ObjectId("a"));
  EXPECT_EQ(keeper->logged(), "-a");
}

/// Does something when an object ends, and notes what came of it.
class Ender final : public ServantActivator {
 public:
  ServantRef incarnate(const ObjectId&, PoaRef) override { return CORBA::make_reference<Probe>(); }
  void etherealize(const ObjectId&, PoaRef, ServantRef, bool, bool) override { said = outcome(act); }

  std::function<void()> act;
  std::string said;
};

// CORBA 3.3 part 1, 15.3.9.4: it would wait for itself.
TEST_P(Activators, MayNotWaitForTheEndOfTheAdapterWhoseObjectEnds) {
  const PoaRef poa = child("ending", {user_ids(), managed()});
  const PoaRef below = poa->create_POA("below", root->the_POAManager(), {user_ids(), managed()});
  const PoaRef beside = child("ending beside", {user_ids()});
  const auto ender = CORBA::make_reference<Ender>();
  poa->set_servant_manager(ender);
  below->set_servant_manager(ender);
  const auto end_one = [&](const PoaRef& of, std::function<void()> act) {
    number(reference(of, "it"));
    wait_until_idle();
    ender->act = std::move(act);
    of->deactivate_object(string_to_ObjectId("it"));
    return ender->said;
  };
  const std::string refused = "BAD_INV_ORDER 0x4f4d0003";
  EXPECT_EQ(end_one(poa, [&] { poa->destroy(true, true); }), refused);
  EXPECT_EQ(end_one(below, [&] { poa->destroy(true, true); }), refused);
  EXPECT_EQ(end_one(below, [&] { root->destroy(true, true); }), refused);
  EXPECT_EQ(end_one(below, [&] { beside->destroy(true, true); }), "none");
  EXPECT_EQ(end_one(poa, [&] { below->destroy(true, true); }), "none") << "which does not wait for its parent";
  number(reference(poa, "last"));
  wait_until_idle();
  ender->act = [&] { poa->destroy(true, true); };
  poa->destroy(true, true);
  EXPECT_EQ(ender->said, refused);
  EXPECT_EQ(outcome([&] { poa->destroy(true, true); }), "none");
}

TEST_P(Activators, AreNotToldOfAManagerThatIsDeactivatedWithoutEtherealising) {
  const auto manager = root->the_POAManagerFactory()->create_POAManager("quiet", {});
  const PoaRef poa = root->create_POA("quiet", manager, {user_ids(), managed()});
  manager->activate();
  const auto keeper = CORBA::make_reference<Keeper>();
  poa->set_servant_manager(keeper);
  number(reference(poa, "a"));
  manager->deactivate(false, true);
  EXPECT_EQ(keeper->logged(), "");
}

TEST_P(Activators, AreWantedWhereServantsStayAndLocatorsWhereTheyDoNot) {
  struct Locator final : ServantLocator {
    ServantRef preinvoke(const ObjectId&, PoaRef, const std::string&, Cookie&) override { return nullptr; }
    void postinvoke(const ObjectId&, PoaRef, const std::string&, Cookie, ServantRef) override {}
  };
  const PoaRef stay = child("stay", {user_ids(), managed()});
  EXPECT_EQ(outcome([&] { stay->set_servant_manager(CORBA::make_reference<Locator>()); }), "OBJ_ADAPTER 0x4f4d0004");
  const PoaRef leave = child("leave", {user_ids(), non_retain(), managed()});
  EXPECT_EQ(outcome([&] { leave->set_servant_manager(CORBA::make_reference<Keeper>()); }), "OBJ_ADAPTER 0x4f4d0004");
}

TEST_P(Activators, IncarnateOnceForAllWhoAskAtTheSameTimeAndAllOfTheseCount) {
  constexpr int kThreads = 4, kObjects = 25;
  const PoaRef poa = child("crowd", {user_ids(), managed()});
  const auto keeper = CORBA::make_reference<Keeper>();
  poa->set_servant_manager(keeper);
  std::barrier together(kThreads);
  std::atomic<int> failed{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kObjects; ++i) {
        const ObjectRef object = reference(poa, std::to_string(i));
        together.arrive_and_wait();
        if (outcome([&] { number(object); }) != "none") ++failed;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(keeper->incarnated, kObjects);
  wait_until_idle();
  // A request that did not count as running would leave an object that never ends, or ends twice.
  std::string all;
  for (int i = 0; i < kObjects; ++i) {
    poa->deactivate_object(string_to_ObjectId(std::to_string(i)));
    all += "-" + std::to_string(i);
  }
  EXPECT_EQ(keeper->logged(), all);
}

TEST_P(Activators, WhoActivatesAnObjectThatIsLeavingGoesOnWhenItHasLeft) {
  const PoaRef poa = child("leaving", {user_ids(), managed()});
  const auto keeper = CORBA::make_reference<Keeper>();
  std::latch gone(1), go(1);
  poa->set_servant_manager(keeper);
  number(reference(poa, "it"));
  wait_until_idle();
  keeper->gone = &gone;
  keeper->go = &go;
  const ObjectId id = string_to_ObjectId("it");
  std::thread leaver([&] { poa->deactivate_object(id); });
  gone.wait();
  auto activated = std::async(std::launch::async, [&] {
    return outcome([&] { poa->activate_object_with_id(id, CORBA::make_reference<Probe>()); });
  });
  EXPECT_EQ(activated.wait_for(100ms), std::future_status::timeout) << "while it leaves";
  go.count_down();
  leaver.join();
  keeper->gone = nullptr;
  EXPECT_EQ(activated.wait_for(20s), std::future_status::ready);
  poa->the_POAManager()->activate();  // wakes the threads that were not told
  EXPECT_EQ(activated.get(), "none");
}

TEST_P(Activators, ARequestOnTheSameIdElsewhereDoesNotKeepFromActivating) {
  const PoaRef here = child("here", {user_ids()});
  const PoaRef there = child("there", {user_ids()});
  const ObjectId id = string_to_ObjectId("it");
  std::latch entered(1), go(1);
  there->activate_object_with_id(id, CORBA::make_reference<Probe>([&](std::int32_t n) {
                                   entered.count_down();
                                   go.wait();
                                   return n;
                                 }));
  const ObjectRef slow = there->id_to_reference(id);
  auto running = std::async(std::launch::async, [&] { return number(slow); });
  entered.wait();
  there->deactivate_object(id);
  std::string activated;
  here->activate_object_with_id(
      id, CORBA::make_reference<Probe>([&](std::int32_t n) {
        activated = outcome([&] { there->activate_object_with_id(id, CORBA::make_reference<Probe>()); });
        return n;
      }));
  const ObjectRef object = here->id_to_reference(id);
  auto nested = std::async(std::launch::async, [&] { return number(object); });
  EXPECT_EQ(nested.wait_for(100ms), std::future_status::timeout) << "while it leaves there";
  go.count_down();
  running.get();
  nested.get();
  EXPECT_EQ(activated, "none");
}

TEST_P(Activators, ThatThrowWhatIsNoneOfCorbasSayThatNothingWasExecuted) {
  class Thrower final : public ServantActivator {
   public:
    ServantRef incarnate(const ObjectId& id, PoaRef) override {
      if (ObjectId_to_string(id) == "memory") throw std::bad_alloc();
      throw std::runtime_error("no database");
    }
    void etherealize(const ObjectId&, PoaRef, ServantRef, bool, bool) override {}
  };
  const PoaRef poa = child("throws", {user_ids(), managed()});
  poa->set_servant_manager(CORBA::make_reference<Thrower>());
  for (const auto& [id, name] : {std::pair("memory", "NO_MEMORY"), std::pair("other", "UNKNOWN")}) {
    const ObjectRef object = reference(poa, id);
    try {
      number(object);
      ADD_FAILURE() << id;
    } catch (const CORBA::SystemException& exception) {
      EXPECT_EQ(exception._name(), std::string(name));
      EXPECT_EQ(exception.completed(), CORBA::CompletionStatus::COMPLETED_NO) << id;
    }
  }
}

TEST_P(Activators, ARequestOnOneServantTellsNothingOfAnother) {
  const PoaRef poa = child("ids", {});
  const ServantRef other = CORBA::make_reference<Probe>();
  const ServantRef stranger = CORBA::make_reference<Probe>();
  const ObjectId other_id = poa->activate_object(other);
  std::string of_stranger;
  ObjectId found;
  const ObjectId id = poa->activate_object(CORBA::make_reference<Probe>([&](std::int32_t n) {
    found = poa->servant_to_id(other);
    of_stranger = outcome([&] { poa->servant_to_id(stranger); });
    return n;
  }));
  number(poa->id_to_reference(id));
  EXPECT_EQ(found, other_id);
  EXPECT_EQ(of_stranger, "ServantNotActive");
}

TEST_P(Activators, ReferencesOfTheAdapterThatHadTheNameBeforeAreNotItsOwn) {
  const PoaRef first = child("again", {});
  const ObjectRef old = first->id_to_reference(first->activate_object(CORBA::make_reference<Probe>()));
  first->destroy(false, true);
  const PoaRef second = child("again", {});
  second->activate_object(CORBA::make_reference<Probe>());
  EXPECT_EQ(outcome([&] { second->reference_to_id(old); }), "WrongAdapter");
}

TEST_P(Activators, PersistentReferencesAreNotThoseOfATransientAdapter) {
  const PoaRef lasting = child("lasting", {user_ids(), persistent()});
  const ObjectId id = string_to_ObjectId("it");
  lasting->activate_object_with_id(id, CORBA::make_reference<Probe>());
  const ObjectRef object = lasting->id_to_reference(id);
  EXPECT_EQ(lasting->reference_to_id(object), id);
  EXPECT_EQ(outcome([&] { root->reference_to_id(object); }), "WrongAdapter");
  EXPECT_EQ(outcome([&] { child("brief", {user_ids()})->reference_to_id(object); }), "WrongAdapter");
}

TEST_P(Activators, APersistentReferenceLeadsToItsServerEvenIfThisOneHasAnAdapterOfTheName) {
  const OrbRef other = make_orb("other server", {"-ORBCollocation", "on"});
  const PoaRef top = IDL::traits<POA>::narrow(other->resolve_initial_references("RootPOA"));
  top->the_POAManager()->activate();
  const ObjectId id = string_to_ObjectId("it");
  const auto make = [&](const PoaRef& parent, std::int32_t answer) {
    const PoaRef poa = parent->create_POA("same", parent->the_POAManager(), {user_ids(), persistent()});
    poa->activate_object_with_id(id, CORBA::make_reference<Probe>([answer](std::int32_t) { return answer; }));
    return poa->id_to_reference(id);
  };
  const ObjectRef mine = make(root, 1);
  const ObjectRef theirs = make(top, 2);
  EXPECT_EQ(number(orb->string_to_object(other->object_to_string(theirs))), 2);
  EXPECT_EQ(number(orb->string_to_object(orb->object_to_string(mine))), 1);
  other->destroy();
}

TEST_P(Activators, ManagersOfOtherOrbsAndNamesWithoutBoundAreRefused) {
  const OrbRef other = make_orb("other managers");
  const auto theirs = IDL::traits<POA>::narrow(other->resolve_initial_references("RootPOA"))->the_POAManager();
  EXPECT_EQ(outcome([&] { root->create_POA("p", theirs, {}); }).substr(0, 9), "BAD_PARAM");
  EXPECT_EQ(outcome([&] { root->create_POA(std::string(0xffff, 'x'), nullptr, {}); }).substr(0, 9), "BAD_PARAM");
  const PoaRef longest = root->create_POA(std::string(0xfffe, 'x'), nullptr, {});
  EXPECT_EQ(outcome([&] { longest->create_POA("y", nullptr, {}); }).substr(0, 9), "BAD_PARAM");
  EXPECT_EQ(outcome([&] { root->create_POA("", nullptr, {}); }).substr(0, 9), "BAD_PARAM");
  other->destroy();
}

TEST_P(Activators, ManagersForgetAdaptersThatHaveEnded) {
  const auto manager = root->the_POAManagerFactory()->create_POAManager("many", {});
  for (int i = 0; i < 300; ++i) {
    root->create_POA("short", manager, {})->destroy(false, true);
    manager->hold_requests(true);
    manager->activate();
  }
}

}  // namespace
}  // namespace corbel::poa::testing
