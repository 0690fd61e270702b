// SPDX-License-Identifier: Apache-2.0
// Events that meet: requests while an adapter is being made, ends while something runs.
#include <condition_variable>
#include <cstring>
#include <future>
#include <latch>
#include <mutex>
#include <thread>

#include "test_support.hpp"

namespace corbel::poa::testing {
namespace {

using namespace PortableServer;  // NOLINT: policy values
using namespace std::chrono_literals;

class Adapters : public PoaTest {};
INSTANTIATE_TEST_SUITE_P(Ways, Adapters, ::testing::Values("local", "remote"));

/// Makes adapters, slowly.
class Maker final : public AdapterActivator {
 public:
  bool unknown_adapter(PoaRef parent, const std::string& name) override {
    ++asked;
    if (name == "other" || name == "outermost") return false;
    const PoaRef poa = parent->create_POA(name, parent->the_POAManager(), policies);
    created.count_down();
    go.wait();
    poa->activate_object_with_id(string_to_ObjectId("it"), CORBA::make_reference<Probe>());
    if (name == "outer") {
      const PoaRef inner = poa->create_POA("inner", poa->the_POAManager(), policies);
      inner->activate_object_with_id(string_to_ObjectId("it"), CORBA::make_reference<Probe>());
    }
    return true;
  }
  std::atomic<int> asked{0};
  std::latch created{1}, go{1};
  CORBA::PolicyList policies;
};

TEST_P(Adapters, RequestsForAnAdapterAndBelowWaitUntilItsActivatorReturns) {
  const OrbRef patient = make_orb("patient_adapters", {"-ORBHoldTimeout", "60000", "-ORBCollocation", "on"});
  const PoaRef top = IDL::traits<POA>::narrow(patient->resolve_initial_references("RootPOA"));
  top->the_POAManager()->activate();
  const auto maker = CORBA::make_reference<Maker>();
  maker->policies = {persistent(), user_ids()};
  const PoaRef before = top->create_POA("outer", top->the_POAManager(), maker->policies);
  const PoaRef inner = before->create_POA("inner", top->the_POAManager(), maker->policies);
  const std::vector<ObjectRef> objects = {reference(before, "it"), reference(before, "it"), reference(inner, "it")};
  before->destroy(true, true);
  top->the_activator(maker);
  auto first = std::async(std::launch::async, [&] { return outcome([&] { number(objects[0]); }); });
  maker->created.wait();
  std::vector<std::future<std::string>> others;
  for (const auto& object : objects) {
    others.push_back(std::async(std::launch::async, [&] { return outcome([&] { number(object); }); }));
  }
  others.push_back(std::async(std::launch::async, [&] { return outcome([&] { top->find_POA("outer", true); }); }));
  EXPECT_EQ(outcome([&] { top->find_POA("other", true); }), "AdapterNonExistent") << "another name does not wait";
  EXPECT_EQ(outcome([&] { top->find_POA("outermost", true); }), "AdapterNonExistent") << "nor one that begins alike";
  EXPECT_EQ(outcome([&] { top->find_POA("outer2", false); }), "AdapterNonExistent");
  for (auto& other : others) EXPECT_EQ(other.wait_for(10ms), std::future_status::timeout);
  maker->go.count_down();
  EXPECT_EQ(first.get(), "none");
  for (auto& other : others) EXPECT_EQ(other.get(), "none");
  EXPECT_EQ(maker->asked, 3) << "for outer, other and outermost";
  patient->destroy();
}

TEST_P(Adapters, AnActivatorThatDoesNotReturnHoldsRequestsNoLongerThanAManagerMay) {
  const auto maker = CORBA::make_reference<Maker>();
  maker->policies = {persistent(), user_ids()};
  const PoaRef before = child("slow", maker->policies);
  const ObjectRef object = reference(before, "it");
  before->destroy(true, true);
  root->the_activator(maker);
  auto first = std::async(std::launch::async, [&] { return outcome([&] { number(object); }); });
  maker->created.wait();
  EXPECT_EQ(outcome([&] { number(object); }), "TRANSIENT 0x43420503");
  EXPECT_EQ(outcome([&] { root->find_POA("slow", true); }), "TRANSIENT 0x43420503");
  maker->go.count_down();
  EXPECT_EQ(first.get(), "none");
}

// "Is it there by now?", as an activator may ask that serves several parents: it is not asked again for the answer.
TEST_P(Adapters, AnActivatorThatLooksForTheAdapterItIsToMakeFindsWhetherItIsThere) {
  struct Looking final : AdapterActivator {
    bool unknown_adapter(PoaRef parent, const std::string& name) override {
      seen += outcome([&] { parent->find_POA(name, true); }) + ' ';
      parent->create_POA(name, parent->the_POAManager(), {});
      seen += outcome([&] { parent->find_POA(name, true); });
      return true;
    }
    std::string seen;
  };
  const auto looking = CORBA::make_reference<Looking>();
  root->the_activator(looking);
  EXPECT_EQ(outcome([&] { root->find_POA("sought", true); }), "none");
  EXPECT_EQ(looking->seen, "AdapterNonExistent none");
}

TEST_P(Adapters, WhatAnActivatorThrowsMeansNotCreatedUnlessTheAdapterIsThere) {
  struct Thrower final : AdapterActivator {
    bool unknown_adapter(PoaRef parent, const std::string& name) override {
      if (name == "foreign") throw 7;
      if (name == "standard") throw std::runtime_error("no");
      if (name == "user") throw PortableServer::ForwardRequest();
      if (name == "system") throw CORBA::NO_PERMISSION(1);
      if (name == "there") parent->create_POA(name, parent->the_POAManager(), {});
      parent->create_POA("there", parent->the_POAManager(), {});
      return true;
    }
  };
  const auto thrower = CORBA::make_reference<Thrower>();
  root->the_activator(thrower);
  for (const char* const name : {"foreign", "standard", "user"}) {
    EXPECT_EQ(outcome([&] { root->find_POA(name, true); }), "AdapterNonExistent") << name;
    root->the_activator(nullptr);
    const PoaRef before = child(name, {persistent(), user_ids()});
    const ObjectRef object = reference(before, "it");
    before->destroy(true, true);
    root->the_activator(thrower);
    EXPECT_EQ(outcome([&] { number(object); }), "OBJECT_NOT_EXIST 0x4f4d0002") << name;
  }
  EXPECT_EQ(outcome([&] { root->find_POA("system", true); }), "OBJ_ADAPTER 0x4f4d0001");
  EXPECT_EQ(outcome([&] { root->find_POA("there", true); }), "none");
}

TEST_P(Adapters, ReferencesOfAnotherServersAdapterOfTheSameNameAreNotIts) {
  const OrbRef other = make_orb("other_server");
  const PoaRef other_root = IDL::traits<POA>::narrow(other->resolve_initial_references("RootPOA"));
  const CORBA::PolicyList policies = {persistent(), user_ids()};
  const PoaRef mine = child("same", policies);
  const PoaRef theirs = other_root->create_POA("same", nullptr, policies);
  mine->activate_object_with_id(string_to_ObjectId("it"), CORBA::make_reference<Probe>());
  const ObjectRef my_object = reference(mine, "it"), their_object = reference(theirs, "it");
  EXPECT_EQ(mine->reference_to_id(my_object), string_to_ObjectId("it"));
  EXPECT_EQ(outcome([&] { mine->reference_to_servant(my_object); }), "none");
  EXPECT_EQ(outcome([&] { mine->reference_to_id(their_object); }), "WrongAdapter");
  EXPECT_EQ(outcome([&] { mine->reference_to_servant(their_object); }), "WrongAdapter");
  EXPECT_EQ(outcome([&] { root->reference_to_id(my_object); }), "WrongAdapter");
  // As seen by another ORB, and come back as text.
  EXPECT_EQ(mine->reference_to_id(orb->string_to_object(other->object_to_string(my_object))), string_to_ObjectId("it"));
  other->destroy();
}

TEST_P(Adapters, ImplicitActivationComesBeforeTheIdOfTheRequestUnderMultipleIds) {
  const PoaRef poa =
      child("multiple", {root->create_id_uniqueness_policy(IdUniquenessPolicyValue::MULTIPLE_ID),
                         root->create_implicit_activation_policy(ImplicitActivationPolicyValue::IMPLICIT_ACTIVATION)});
  ServantRef servant;
  std::vector<ObjectId> ids;
  servant = CORBA::make_reference<Probe>([&](std::int32_t n) {
    ids.push_back(poa->servant_to_id(servant));
    ids.push_back(poa->reference_to_id(poa->servant_to_reference(servant)));
    return n;
  });
  const ObjectId own = poa->activate_object(servant);
  number(poa->id_to_reference(own));
  ASSERT_EQ(ids.size(), 2U);
  EXPECT_NE(ids[0], own);
  EXPECT_NE(ids[1], own);
  EXPECT_NE(ids[0], ids[1]);
  for (const auto& id : ids) EXPECT_EQ(poa->id_to_servant(id), servant);
}

TEST_P(Adapters, AServantThatIsLeavingStillHasTheIdOfItsRequest) {
  ServantRef servant;
  ObjectId own, seen;
  std::string again;
  servant = CORBA::make_reference<Probe>([&](std::int32_t n) {
    root->deactivate_object(own);
    seen = root->servant_to_id(servant);
    again = outcome([&] { root->activate_object_with_id(own, CORBA::make_reference<Probe>()); });
    return n;
  });
  own = root->activate_object(servant);
  number(root->id_to_reference(own));
  EXPECT_EQ(seen, own);
  EXPECT_EQ(again, "ObjectAlreadyActive") << "waiting for it would wait for this request";
}

TEST_P(Adapters, DestroyingWhatIsDestroyedDoesNothing) {
  const PoaRef poa = child("a", {});
  poa->destroy(true, true);
  EXPECT_EQ(outcome([&] { poa->destroy(true, true); }), "none");
  EXPECT_EQ(outcome([&] { poa->destroy(false, false); }), "none");
  EXPECT_EQ(outcome([&] { poa->the_name(); }), "OBJECT_NOT_EXIST 0x4f4d0004");
  EXPECT_EQ(outcome([&] { poa->the_parent(); }), "OBJECT_NOT_EXIST 0x4f4d0004");
  EXPECT_EQ(outcome([&] { poa->the_children(); }), "OBJECT_NOT_EXIST 0x4f4d0004");
  EXPECT_EQ(outcome([&] { poa->the_activator(); }), "OBJECT_NOT_EXIST 0x4f4d0004");
  EXPECT_EQ(outcome([&] { poa->id(); }), "OBJECT_NOT_EXIST 0x4f4d0004");
  EXPECT_EQ(outcome([&] { poa->find_POA("b", false); }), "OBJECT_NOT_EXIST 0x4f4d0004");
  EXPECT_EQ(outcome([&] { poa->create_POA("b", nullptr, {}); }), "OBJECT_NOT_EXIST 0x4f4d0004");
  EXPECT_EQ(outcome([&] { poa->reference_to_id(nullptr); }), "OBJECT_NOT_EXIST 0x4f4d0004");
  // The usual end of a server.
  orb->shutdown();
  EXPECT_EQ(outcome([&] { root->destroy(true, true); }), "none");
  EXPECT_EQ(outcome([&] { orb->shutdown(true); }), "none");
  EXPECT_EQ(outcome([&] { orb->destroy(); }), "none");
  EXPECT_EQ(outcome([&] { root->destroy(true, true); }), "none");
  orb = nullptr;
}

/// Says which activator is told to etherealise, in which order.
class Teller final : public ServantActivator {
 public:
  Teller(std::string name, std::string& log) : name_(std::move(name)), log_(log) {}
  ServantRef incarnate(const ObjectId&, PoaRef) override { return servant; }
  void etherealize(const ObjectId&, PoaRef, ServantRef, bool, bool) override { log_ += name_; }
  ServantRef servant = CORBA::make_reference<Probe>();

 private:
  const std::string name_;
  std::string& log_;
};

TEST_P(Adapters, AParentEndsAfterAChildThatStillServes) {
  std::string log;
  const PoaRef a = child("a", {managed(), user_ids()});
  const PoaRef b = a->create_POA("b", root->the_POAManager(), {managed(), user_ids()});
  const auto outer = CORBA::make_reference<Teller>("a", log);
  const auto inner = CORBA::make_reference<Teller>("b", log);
  std::latch entered{1}, go{1};
  inner->servant = CORBA::make_reference<Probe>([&](std::int32_t n) {
    entered.count_down();
    go.wait();
    return n;
  });
  a->set_servant_manager(outer);
  b->set_servant_manager(inner);
  number(reference(a, "x"));
  auto call = std::async(std::launch::async, [&] { return number(reference(b, "x"), 3); });
  entered.wait();
  a->destroy(true, false);
  EXPECT_EQ(outcome([&] { a->create_POA("c", nullptr, {}); }), "BAD_INV_ORDER 0x4f4d0011");
  EXPECT_EQ(a->the_name(), "a");
  auto ended = std::async(std::launch::async, [&] { a->destroy(true, true); });
  EXPECT_EQ(ended.wait_for(10ms), std::future_status::timeout);
  EXPECT_EQ(log, "");
  go.count_down();
  EXPECT_EQ(call.get(), 3);
  ended.get();
  EXPECT_EQ(log, "ba");
}

TEST_P(Adapters, DestroyingWithoutEtherealisingTellsNobody) {
  std::string log;
  const PoaRef poa = child("a", {managed(), user_ids()});
  poa->set_servant_manager(CORBA::make_reference<Teller>("a", log));
  number(reference(poa, "x"));
  poa->destroy(false, true);
  EXPECT_EQ(log, "");
}

TEST_P(Adapters, IncarnateMayNotReturnAServantThatIsActiveUnderUniqueIds) {
  std::string log;
  const PoaRef poa = child("a", {managed(), user_ids()});
  poa->set_servant_manager(CORBA::make_reference<Teller>("a", log));
  EXPECT_EQ(number(reference(poa, "x")), 1);
  EXPECT_EQ(outcome([&] { number(reference(poa, "y")); }), "OBJ_ADAPTER 0x4f4d0005");
  EXPECT_EQ(number(reference(poa, "x")), 1);
  EXPECT_EQ(log, "") << "nobody has to take it away again";
  poa->destroy(true, true);
  EXPECT_EQ(log, "a");
}

TEST_P(Adapters, IncarnateMayNotActivateTheObjectItself) {
  struct Eager final : ServantActivator {
    ServantRef incarnate(const ObjectId& id, PoaRef poa) override {
      poa->activate_object_with_id(id, CORBA::make_reference<Probe>());
      return CORBA::make_reference<Probe>();
    }
    void etherealize(const ObjectId&, PoaRef, ServantRef, bool, bool) override {}
  };
  const PoaRef poa = child("a", {managed(), user_ids()});
  poa->set_servant_manager(CORBA::make_reference<Eager>());
  EXPECT_EQ(outcome([&] { number(reference(poa, "x")); }), "OBJ_ADAPTER 0x4f4d0005");
}

TEST_P(Adapters, UserIdsThatReadAsPlacesInTheMapLeadNowhere) {
  const PoaRef poa = child("a", {user_ids()});
  poa->activate_object_with_id(string_to_ObjectId("x"), CORBA::make_reference<Probe>());
  for (std::uint32_t slot = 0; slot < 2; ++slot) {
    for (std::uint32_t generation = 0; generation < 4; ++generation) {
      ObjectId id(8);
      std::memcpy(id.data(), &slot, 4);
      std::memcpy(id.data() + 4, &generation, 4);
      const ObjectRef object = poa->create_reference_with_id(id, std::string(kProbeId));
      EXPECT_EQ(outcome([&] { number(object); }), "OBJECT_NOT_EXIST 0x4f4d0001") << slot << ' ' << generation;
      EXPECT_EQ(outcome([&] { poa->id_to_servant(id); }), "ObjectNotActive");
    }
  }
}

TEST_P(Adapters, EndingWaitsUntilAnExceptionHasBeenAnswered) {
  struct Slow final : CORBA::UserException {
    Slow(std::latch& at, std::latch& until) : entered(at), go(until) {}
    void _raise() const override { throw Slow(entered, go); }
    const char* _rep_id() const noexcept override { return "IDL:Slow:1.0"; }
    const char* _name() const noexcept override { return "Slow"; }
    void _encode(cdr::Encoder& encoder) const override {
      encoder.put_plain_string(_rep_id());
      entered.count_down();
      go.wait();
    }
    std::latch& entered;
    std::latch& go;
  };
  struct Thrower final : Probe {
    bool _dispatch(corba::ServerCall& call) override {
      static constexpr std::string_view kRaises[] = {"IDL:Slow:1.0"};
      call.set_raises(kRaises);
      throw Slow(entered, go);
    }
    std::latch entered{1}, go{1};
  };
  if (std::string(GetParam()) == "local") GTEST_SKIP() << "exceptions are not written there";
  const auto thrower = CORBA::make_reference<Thrower>();
  const PoaRef poa = child("a", {});
  const ObjectRef object = poa->id_to_reference(poa->activate_object(thrower));
  auto call = std::async(std::launch::async, [&] { return outcome([&] { number(object); }); });
  thrower->entered.wait();
  auto ended = std::async(std::launch::async, [&] { poa->destroy(true, true); });
  EXPECT_EQ(ended.wait_for(10ms), std::future_status::timeout);
  thrower->go.count_down();
  ended.get();
  EXPECT_EQ(call.get().substr(0, 7), "UNKNOWN") << "the caller's stub does not list it";
}

TEST_P(Adapters, NoMemoryIsSaidToBeThat) {
  const ObjectRef object = root->servant_to_reference(
      CORBA::make_reference<Probe>([](std::int32_t) -> std::int32_t { throw std::bad_alloc(); }));
  EXPECT_EQ(outcome([&] { number(object); }), "NO_MEMORY 0x00000000");
}

}  // namespace
}  // namespace corbel::poa::testing
