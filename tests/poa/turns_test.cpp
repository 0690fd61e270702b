// SPDX-License-Identifier: Apache-2.0
// Adapters whose calls into the application take turns: by one thread at a time, on the main thread, and around servant
// and adapter activators.
#include <future>
#include <latch>
#include <set>
#include <thread>

#include "test_support.hpp"

namespace corbel::poa::testing {
namespace {

using namespace PortableServer;  // NOLINT: policy values
using namespace std::chrono_literals;

class Turns : public PoaTest {
 protected:
  explicit Turns(const char* hold_timeout = "60000") : PoaTest(hold_timeout) {}
  Policy threads(ThreadPolicyValue value) { return root->create_thread_policy(value); }
};
INSTANTIATE_TEST_SUITE_P(Ways, Turns, ::testing::Values("local", "remote"));

/// Makes the adapter that is asked for, with one object.
class ChildMaker final : public AdapterActivator {
 public:
  bool unknown_adapter(PoaRef parent, const std::string& name) override {
    ++asked;
    const PoaRef poa = parent->create_POA(name, parent->the_POAManager(), policies);
    poa->activate_object_with_id(string_to_ObjectId("it"), CORBA::make_reference<Probe>());
    return true;
  }
  std::atomic<int> asked{0};
  CORBA::PolicyList policies;
};

// A request for the child waits for the turn, which the thread has that asks for the child.
TEST_P(Turns, AServantOfASingleThreadPoaFindsAChildThatARequestAsksForToo) {
  const PoaRef top = root;
  for (int round = 0; round < 10; ++round) {
    const auto maker = CORBA::make_reference<ChildMaker>();
    maker->policies = {persistent(), user_ids()};
    const PoaRef single = top->create_POA("single", top->the_POAManager(),
                                          {threads(ThreadPolicyValue::SINGLE_THREAD_MODEL), persistent()});
    const PoaRef before = single->create_POA("child", top->the_POAManager(), maker->policies);
    const ObjectRef in_child = before->create_reference_with_id(string_to_ObjectId("it"), std::string(kProbeId));
    before->destroy(true, true);
    single->the_activator(maker);
    std::future<std::int32_t> request;
    const auto asker = CORBA::make_reference<Probe>([&](std::int32_t n) {
      request = std::async(std::launch::async, [&] { return number(in_child); });
      std::this_thread::sleep_for(std::chrono::milliseconds(round));  // the other one may come first, or not
      single->find_POA("child", true);
      return n;
    });
    EXPECT_EQ(number(single->id_to_reference(single->activate_object(asker)), 5), 5);
    EXPECT_EQ(request.get(), 1);
    EXPECT_EQ(maker->asked, 1);
    single->destroy(true, true);
  }
}

/// While one object is made active, another one is activated that is just being deactivated.
class Nested final : public ServantActivator {
 public:
  ServantRef incarnate(const ObjectId& oid, PoaRef poa) override {
    if (ObjectId_to_string(oid) == "a") {
      outcomes.push_back(
          outcome([&] { poa->activate_object_with_id(string_to_ObjectId("b"), CORBA::make_reference<Probe>()); }));
      const ObjectRef b = poa->create_reference_with_id(string_to_ObjectId("b"), std::string(kProbeId));
      if (b->_target()->is_local()) outcomes.push_back(outcome([&] { number(b); }));
    }
    return CORBA::make_reference<Probe>();
  }
  void etherealize(const ObjectId& oid, PoaRef, ServantRef, bool, bool) override {
    etherealized += ObjectId_to_string(oid);
  }
  std::vector<std::string> outcomes;
  std::string etherealized;
};

TEST_P(Turns, WhoIsInTheServantActivatorDoesNotWaitForAnObjectThatHasToGoThroughIt) {
  const PoaRef poa = child("nested", {user_ids(), managed()});
  const auto activator = CORBA::make_reference<Nested>();
  poa->set_servant_manager(activator);
  std::latch entered{1};
  std::latch go{1};
  const ObjectId b = string_to_ObjectId("b");
  poa->activate_object_with_id(b, CORBA::make_reference<Probe>([&](std::int32_t n) {
                                 entered.count_down();
                                 go.wait();
                                 return n;
                               }));
  auto running = std::async(std::launch::async, [object = poa->id_to_reference(b)] { return number(object, 3); });
  entered.wait();
  poa->deactivate_object(b);
  EXPECT_EQ(number(poa->create_reference_with_id(string_to_ObjectId("a"), std::string(kProbeId))), 1);
  std::vector<std::string> expected{"ObjectAlreadyActive"};
  if (std::string(GetParam()) == "local") expected.emplace_back("BAD_INV_ORDER 0x4f4d0003");
  EXPECT_EQ(activator->outcomes, expected);
  go.count_down();
  EXPECT_EQ(running.get(), 3);
  poa->destroy(true, true);
  EXPECT_EQ(activator->etherealized.substr(0, 1), "b");
}

// --- MAIN_THREAD_MODEL ---

/// Runs an ORB on a thread of its own until this goes.
class Runner {
 public:
  explicit Runner(OrbRef orb) : orb_(std::move(orb)), thread_([this] { orb_->run(); }) {}
  ~Runner() {
    orb_->shutdown(false);
    thread_.join();
  }
  std::thread::id id() const { return thread_.get_id(); }

 private:
  const OrbRef orb_;
  std::thread thread_;
};

class MainThreadModel : public Turns {
 protected:
  explicit MainThreadModel(const char* hold_timeout = "60000") : Turns(hold_timeout) {}
  PoaRef make() { return child("main", {threads(ThreadPolicyValue::MAIN_THREAD_MODEL), user_ids(), managed()}); }
};
INSTANTIATE_TEST_SUITE_P(Ways, MainThreadModel, ::testing::Values("local", "remote"));

/// Notes on which thread it is asked.
class Recorder final : public ServantActivator {
 public:
  explicit Recorder(Probe::Action action) : action_(std::move(action)) {}
  ServantRef incarnate(const ObjectId&, PoaRef) override {
    note();
    return CORBA::make_reference<Probe>([this](std::int32_t n) {
      note();
      return action_(n);
    });
  }
  void etherealize(const ObjectId&, PoaRef, ServantRef, bool, bool) override {
    note();
    ++etherealized;
  }
  std::set<std::thread::id> here;
  std::atomic<int> etherealized = 0;

 private:
  void note() {
    const std::lock_guard lock(mutex_);
    here.insert(std::this_thread::get_id());
  }

  std::mutex mutex_;
  Probe::Action action_;
};

TEST_P(MainThreadModel, TheThreadInRunDoesAllOfItAndNothingElse) {
  const PoaRef poa = make();
  const auto recorder = CORBA::make_reference<Recorder>([](std::int32_t n) { return n + 1; });
  poa->set_servant_manager(recorder);
  std::latch slow{1};
  std::thread::id elsewhere;
  const ObjectRef ordinary = root->servant_to_reference(CORBA::make_reference<Probe>([&](std::int32_t n) {
    elsewhere = std::this_thread::get_id();
    slow.wait();
    return n;
  }));
  const Runner runner(orb);
  const auto caller = [&](int which) {
    const std::string id = "object" + std::to_string(which);
    const ObjectRef object = poa->create_reference_with_id(string_to_ObjectId(id), std::string(kProbeId));
    for (int i = 0; i < 50; ++i) EXPECT_EQ(number(object, i), i + 1);
    poa->deactivate_object(string_to_ObjectId(id));
  };
  // Until there is a main thread, the thread that the process began with would do. Until the main thread has been asked
  // for the first time, it serves other requests like any other.
  const PoaRef first = child("first", {threads(ThreadPolicyValue::MAIN_THREAD_MODEL)});
  std::atomic<bool> there = false;
  const ObjectRef asked =
      first->id_to_reference(first->activate_object(CORBA::make_reference<Probe>([&](std::int32_t n) {
        there = std::this_thread::get_id() == runner.id();
        return n;
      })));
  while (!there) std::async(std::launch::async, [&] { EXPECT_EQ(number(asked, 1), 1); }).get();
  auto other = std::async(std::launch::async, [&] { return number(ordinary, 7); });
  std::vector<std::future<void>> callers;
  for (int i = 1; i <= 4; ++i) callers.push_back(std::async(std::launch::async, caller, i));
  for (auto& each : callers) each.get();
  slow.count_down();
  EXPECT_EQ(other.get(), 7);
  EXPECT_NE(elsewhere, runner.id());
  poa->destroy(true, true);
  EXPECT_EQ(recorder->here, std::set<std::thread::id>{runner.id()});
  EXPECT_EQ(recorder->etherealized, 4);
}

TEST_P(MainThreadModel, ItsServantsMayCallEachOther) {
  if (std::string(GetParam()) == "remote") GTEST_SKIP() << "the main thread would wait for itself";
  const PoaRef poa = make();
  ObjectRef object;
  const auto recorder = CORBA::make_reference<Recorder>(
      [&](std::int32_t n) -> std::int32_t { return n == 0 ? 0 : 1 + number(object, n - 1); });
  poa->set_servant_manager(recorder);
  object = poa->create_reference_with_id(string_to_ObjectId("it"), std::string(kProbeId));
  const Runner runner(orb);
  EXPECT_EQ(std::async(std::launch::async, [&] { return number(object, 5); }).get(), 5);
  EXPECT_EQ(recorder->here, std::set<std::thread::id>{runner.id()});
}

TEST_P(MainThreadModel, PerformWorkDoesItToo) {
  const PoaRef poa = make();
  const auto recorder = CORBA::make_reference<Recorder>([](std::int32_t n) { return n + 1; });
  poa->set_servant_manager(recorder);
  const ObjectRef object = poa->create_reference_with_id(string_to_ObjectId("it"), std::string(kProbeId));
  std::thread([&] { orb->perform_work(); }).join();  // is not the main thread any more
  constexpr int kCalls = 8;
  std::latch begun(kCalls);
  std::vector<std::future<std::int32_t>> calls;
  for (int i = 0; i < kCalls; ++i) {
    calls.push_back(std::async(std::launch::async, [&] {
      begun.count_down();
      return number(object, 1);
    }));
  }
  begun.wait();  // so that several wait at the same time
  for (auto& call : calls) {
    while (call.wait_for(0s) != std::future_status::ready) {
      if (orb->work_pending()) orb->perform_work();
      std::this_thread::yield();
    }
    EXPECT_EQ(call.get(), 2);
  }
  EXPECT_EQ(recorder->here, std::set<std::thread::id>{std::this_thread::get_id()});
}

class HastyMainThread : public MainThreadModel {
 protected:
  HastyMainThread() : MainThreadModel("30") {}
};
INSTANTIATE_TEST_SUITE_P(Ways, HastyMainThread, ::testing::Values("local", "remote"));

TEST_P(HastyMainThread, WithoutAThreadInRunRequestsWaitAsLongAsForAManager) {
  const PoaRef poa = make();
  const auto recorder = CORBA::make_reference<Recorder>([](std::int32_t n) { return n + 1; });
  poa->set_servant_manager(recorder);
  poa->activate_object_with_id(string_to_ObjectId("it"), CORBA::make_reference<Probe>());
  const ObjectRef object = poa->id_to_reference(string_to_ObjectId("it"));
  EXPECT_EQ(std::async(std::launch::async, [&] { return outcome([&] { number(object); }); }).get(),
            "TRANSIENT 0x43420503");
  // What has to be told is told all the same.
  std::async(std::launch::async, [&] { poa->deactivate_object(string_to_ObjectId("it")); }).get();
  // The request that was refused may still be leaving the object when its client has the answer.
  const auto bound = base::Deadline::after(20s);
  while (recorder->etherealized == 0 && !bound.expired()) std::this_thread::yield();
  EXPECT_EQ(recorder->etherealized, 1);
}

TEST_P(MainThreadModel, WhatItsServantsThrowComesToTheClient) {
  const PoaRef poa = make();
  poa->set_servant_manager(
      CORBA::make_reference<Recorder>([](std::int32_t) -> std::int32_t { throw CORBA::NO_PERMISSION(7); }));
  const ObjectRef object = poa->create_reference_with_id(string_to_ObjectId("it"), std::string(kProbeId));
  const Runner runner(orb);
  EXPECT_EQ(std::async(std::launch::async, [&] { return outcome([&] { number(object); }); }).get(),
            "NO_PERMISSION 0x00000007");
}

TEST_P(MainThreadModel, TheEndDoesNotWaitForAMainThread) {
  const auto patient = make_orb("patient_main", {"-ORBHoldTimeout", "60000"});
  const PoaRef top = IDL::traits<POA>::narrow(patient->resolve_initial_references("RootPOA"));
  top->the_POAManager()->activate();
  const PoaRef poa = top->create_POA("main", top->the_POAManager(), {threads(ThreadPolicyValue::MAIN_THREAD_MODEL)});
  const ObjectRef object = poa->id_to_reference(poa->activate_object(CORBA::make_reference<Probe>()));
  auto call = std::async(std::launch::async, [&] { return outcome([&] { number(object); }); });
  while (!patient->work_pending()) std::this_thread::yield();
  patient->shutdown(true);
  EXPECT_EQ(call.get(), "TRANSIENT 0x4f4d0004");
  patient->destroy();
}

/// Lets in the thread that comes first, and keeps it.
class KeptInside final : public ServantActivator {
 public:
  ServantRef incarnate(const ObjectId&, PoaRef) override {
    if (++asked == 1) {
      entered.count_down();
      go.wait();
    }
    return CORBA::make_reference<Probe>();
  }
  void etherealize(const ObjectId&, PoaRef, ServantRef, bool, bool) override {}
  std::atomic<int> asked{0};
  std::latch entered{1};
  std::latch go{1};
};

class ShortTurns : public Turns {
 protected:
  ShortTurns() : Turns("50") {}

  ObjectRef reference(const PoaRef& poa, const char* id) {
    return poa->create_reference_with_id(string_to_ObjectId(id), std::string(kProbeId));
  }
  static void expect_refused(const ObjectRef& object) {
    try {
      number(object);
      ADD_FAILURE() << "it was not its turn";
    } catch (const CORBA::TRANSIENT& refused) {
      EXPECT_EQ(refused.minor(), minor::kHeldTooLong);
      EXPECT_EQ(refused.completed(), CORBA::CompletionStatus::COMPLETED_NO);
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Ways, ShortTurns, ::testing::Values("local", "remote"));

TEST_P(ShortTurns, WhoeverWaitsForAServantActivatorThatDoesNotReturnIsRefusedInTime) {
  const PoaRef poa = child("stuck", {user_ids(), managed()});
  const auto stuck = CORBA::make_reference<KeptInside>();
  poa->set_servant_manager(stuck);
  const ObjectRef first = reference(poa, "first");
  auto call = std::async(std::launch::async, [&] { return outcome([&] { number(first); }); });
  stuck->entered.wait();
  expect_refused(reference(poa, "second"));
  expect_refused(first);
  EXPECT_EQ(stuck->asked, 1) << "what was refused is not made";
  stuck->go.count_down();
  EXPECT_EQ(call.get(), "none");
  EXPECT_EQ(number(reference(poa, "second"), 4), 5);
  EXPECT_EQ(number(first, 4), 5);
}

TEST_P(ShortTurns, WhoeverWaitsForTheSingleThreadWaitsHoweverLongOthersTake) {
  const PoaRef poa = child("single", {threads(ThreadPolicyValue::SINGLE_THREAD_MODEL)});
  std::latch entered(1), go(1);
  const ObjectRef slow = poa->id_to_reference(poa->activate_object(CORBA::make_reference<Probe>([&](std::int32_t n) {
    entered.count_down();
    go.wait();
    return n;
  })));
  std::atomic<int> ran{0};
  const ObjectRef quick = poa->id_to_reference(
      poa->activate_object(CORBA::make_reference<Probe>([&](std::int32_t n) { return ++ran + n; })));
  auto call = std::async(std::launch::async, [&] { return number(slow, 7); });
  entered.wait();
  auto waiting = std::async(std::launch::async, [&] { return number(quick); });
  EXPECT_EQ(waiting.wait_for(150ms), std::future_status::timeout) << "three times the time for what is held";
  EXPECT_EQ(ran, 0);
  go.count_down();
  EXPECT_EQ(call.get(), 7);
  EXPECT_EQ(waiting.get(), 1);
}

}  // namespace
}  // namespace corbel::poa::testing
