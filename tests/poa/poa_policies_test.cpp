// SPDX-License-Identifier: Apache-2.0
// Policies, default servants, servant managers, adapter activators, persistent POAs, POACurrent.
#include <optional>

#include "corbel/orb/object_adapter.hpp"
#include "test_support.hpp"

namespace corbel::poa::testing {
namespace {

using namespace PortableServer;  // NOLINT: policy values

class PoaPolicies : public PoaTest {
 protected:
  Policy implicit() {
    return root->create_implicit_activation_policy(ImplicitActivationPolicyValue::IMPLICIT_ACTIVATION);
  }

  /// The index that InvalidPolicy blames; -1 if the policies are accepted.
  int blamed(const CORBA::PolicyList& policies) {
    try {
      child("p", policies)->destroy(true, true);
    } catch (const POA::InvalidPolicy& exception) {
      return exception.index();
    }
    return -1;
  }
};
INSTANTIATE_TEST_SUITE_P(Ways, PoaPolicies, ::testing::Values("local", "remote"));

TEST_P(PoaPolicies, ConflictsBlameAPolicy) {
  EXPECT_EQ(blamed({}), -1);
  EXPECT_EQ(blamed({user_ids(), non_retain()}), 1);
  EXPECT_EQ(blamed({processing(RequestProcessingPolicyValue::USE_DEFAULT_SERVANT)}), 0);
  EXPECT_EQ(blamed({multiple(), processing(RequestProcessingPolicyValue::USE_DEFAULT_SERVANT)}), -1);
  EXPECT_EQ(blamed({multiple(), implicit(), user_ids()}), 1);
  EXPECT_EQ(blamed({implicit()}), -1);
  EXPECT_EQ(blamed({non_retain(), processing(RequestProcessingPolicyValue::USE_SERVANT_MANAGER), implicit()}), 0);
  EXPECT_EQ(blamed({user_ids(), user_ids()}), 1);
  EXPECT_EQ(blamed({user_ids(), nullptr}), 1);
}

TEST_P(PoaPolicies, DefaultServantsAnswerForEveryIdAndCurrentTellsWhich) {
  const PoaRef poa = child(
      "default", {multiple(), user_ids(), non_retain(), processing(RequestProcessingPolicyValue::USE_DEFAULT_SERVANT)});
  const ObjectRef object = poa->create_reference_with_id(string_to_ObjectId("seven"), std::string(kProbeId));
  EXPECT_EQ(outcome([&] { number(object); }), "OBJ_ADAPTER 0x4f4d0003");
  EXPECT_EQ(outcome([&] { poa->get_servant(); }), "NoServant");
  const auto current = IDL::traits<Current>::narrow(orb->resolve_initial_references("POACurrent"));
  EXPECT_EQ(outcome([&] { current->get_POA(); }), "NoContext");
  ServantRef servant;
  std::string seen;
  servant = CORBA::make_reference<Probe>([&](std::int32_t) {
    seen = ObjectId_to_string(current->get_object_id());
    EXPECT_EQ(current->get_POA(), poa);
    EXPECT_EQ(current->get_servant(), servant);
    EXPECT_TRUE(current->get_reference()->_is_equivalent(object));
    EXPECT_EQ(ObjectId_to_string(poa->servant_to_id(servant)), seen);
    return 0;
  });
  poa->set_servant(servant);
  number(object);
  EXPECT_EQ(seen, "seven");
  EXPECT_EQ(poa->get_servant(), servant);
  EXPECT_EQ(outcome([&] { poa->set_servant_manager(nullptr); }), "WrongPolicy");
}

class Activator final : public ServantActivator {
 public:
  ServantRef incarnate(const ObjectId& oid, PoaRef) override {
    const std::string id = ObjectId_to_string(oid);
    log += "+" + id;
    if (id == "forward") throw ForwardRequest(forward);
    if (id == "nil") return nullptr;
    return CORBA::make_reference<Probe>();
  }
  void etherealize(const ObjectId& oid, PoaRef, ServantRef, bool cleanup, bool remaining) override {
    log += "-" + ObjectId_to_string(oid) + (cleanup ? "c" : "") + (remaining ? "r" : "");
  }
  std::string log;
  ObjectRef forward;
};

TEST_P(PoaPolicies, ActivatorsIncarnateOnceAndEtherealize) {
  const PoaRef poa = child("activator", {user_ids(), processing(RequestProcessingPolicyValue::USE_SERVANT_MANAGER)});
  const auto reference = [&](const char* id) {
    return poa->create_reference_with_id(string_to_ObjectId(id), std::string(kProbeId));
  };
  EXPECT_EQ(outcome([&] { number(reference("a")); }), "OBJ_ADAPTER 0x4f4d0004");
  EXPECT_EQ(outcome([&] { poa->set_servant_manager(nullptr); }), "OBJ_ADAPTER 0x4f4d0004");
  const auto activator = CORBA::make_reference<Activator>();
  poa->set_servant_manager(activator);
  EXPECT_EQ(outcome([&] { poa->set_servant_manager(activator); }), "BAD_INV_ORDER 0x4f4d0006");
  EXPECT_EQ(number(reference("a")), 1);
  EXPECT_EQ(number(reference("a")), 1);
  EXPECT_EQ(number(reference("b")), 1);
  root->the_POAManager()->hold_requests(true);  // one may still be about to end when its client has the reply
  root->the_POAManager()->activate();
  poa->deactivate_object(string_to_ObjectId("a"));
  EXPECT_EQ(activator->log, "+a+b-a");
  EXPECT_EQ(number(reference("a")), 1);
  EXPECT_EQ(outcome([&] { number(reference("nil")); }), "OBJ_ADAPTER 0x4f4d0007");
  activator->forward = root->servant_to_reference(CORBA::make_reference<Probe>([](std::int32_t) { return 99; }));
  EXPECT_EQ(number(reference("forward")), 99);
  activator->log.clear();
  poa->destroy(true, true);
  EXPECT_TRUE(activator->log == "-ac-bc" || activator->log == "-bc-ac") << activator->log;
  activator->forward = nullptr;
}

class Locator final : public ServantLocator {
 public:
  ServantRef preinvoke(const ObjectId& oid, PoaRef, const std::string& operation, Cookie& cookie) override {
    log += "+" + ObjectId_to_string(oid) + "." + operation;
    cookie = this;
    return CORBA::make_reference<Probe>([](std::int32_t n) {
      if (n < 0) throw CORBA::NO_RESOURCES(1);
      return n + 1;
    });
  }
  void postinvoke(const ObjectId&, PoaRef, const std::string&, Cookie cookie, ServantRef) override {
    log += cookie == this ? "-" : "?";
    if (fails) throw CORBA::NO_PERMISSION(7, *fails);
  }
  std::string log;
  std::optional<CORBA::CompletionStatus> fails;
};

TEST_P(PoaPolicies, LocatorsAreCalledAroundEveryRequest) {
  const PoaRef poa =
      child("locator", {user_ids(), non_retain(), processing(RequestProcessingPolicyValue::USE_SERVANT_MANAGER)});
  const auto locator = CORBA::make_reference<Locator>();
  poa->set_servant_manager(locator);
  const ObjectRef object = poa->create_reference_with_id(string_to_ObjectId("x"), std::string(kProbeId));
  EXPECT_EQ(number(object, 1), 2);
  EXPECT_EQ(outcome([&] { number(object, -1); }), "NO_RESOURCES 0x00000001");
  EXPECT_EQ(locator->log, "+x.number-+x.number-") << "before the client is answered";
}

TEST_P(PoaPolicies, WhatPostinvokeThrowsTakesThePlaceOfTheResult) {
  const PoaRef poa =
      child("locator", {user_ids(), non_retain(), processing(RequestProcessingPolicyValue::USE_SERVANT_MANAGER)});
  const auto locator = CORBA::make_reference<Locator>();
  locator->fails = CORBA::CompletionStatus::COMPLETED_YES;
  poa->set_servant_manager(locator);
  const ObjectRef object = poa->create_reference_with_id(string_to_ObjectId("x"), std::string(kProbeId));
  EXPECT_EQ(outcome([&] { number(object, 1); }), "NO_PERMISSION 0x00000007");
  EXPECT_EQ(outcome([&] { number(object, -1); }), "NO_PERMISSION 0x00000007");
  EXPECT_EQ(locator->log, "+x.number-+x.number-") << "once for each call";
  // The operation has run, whatever postinvoke says of itself.
  locator->fails = CORBA::CompletionStatus::COMPLETED_NO;
  const auto completed = [&](std::int32_t n) {
    try {
      number(object, n);
    } catch (const CORBA::NO_PERMISSION& exception) {
      return exception.completed();
    }
    return CORBA::CompletionStatus::COMPLETED_NO;
  };
  EXPECT_EQ(completed(1), CORBA::CompletionStatus::COMPLETED_YES);
  EXPECT_EQ(completed(-1), CORBA::CompletionStatus::COMPLETED_MAYBE);
  locator->fails = std::nullopt;
  EXPECT_EQ(number(object, 1), 2);
}

class Creator final : public AdapterActivator {
 public:
  bool unknown_adapter(PoaRef parent, const std::string& name) override {
    asked.push_back(name);
    if (name == "missing") return false;
    const PoaRef poa = parent->create_POA(name, parent->the_POAManager(), policies);
    poa->the_activator(self);
    poa->activate_object_with_id(string_to_ObjectId("it"), CORBA::make_reference<Probe>());
    return true;
  }
  std::vector<std::string> asked;
  CORBA::PolicyList policies;
  IDL::traits<AdapterActivator>::ref_type self;
};

TEST_P(PoaPolicies, PersistentReferencesFindTheirPoaMadeAgainByAnActivator) {
  const auto creator = CORBA::make_reference<Creator>();
  creator->self = creator;
  creator->policies = {persistent(), user_ids()};
  root->the_activator(creator);
  const PoaRef outer = root->find_POA("outer", true);
  const PoaRef inner = outer->find_POA("inner", true);
  const ObjectRef object = inner->id_to_reference(string_to_ObjectId("it"));
  EXPECT_EQ(number(object), 1);
  outer->destroy(true, true);
  creator->asked.clear();
  EXPECT_EQ(number(object), 1);
  EXPECT_EQ(creator->asked, (std::vector<std::string>{"outer", "inner"}));
  EXPECT_EQ(outcome([&] { root->find_POA("missing", true); }), "AdapterNonExistent");
  root->find_POA("outer", false)->destroy(true, true);
  root->the_activator(nullptr);
  EXPECT_EQ(outcome([&] { number(object); }), "OBJECT_NOT_EXIST 0x4f4d0002");
  creator->self = nullptr;
}

TEST_P(PoaPolicies, PersistentSystemIdsDifferFromRunToRun) {
  const auto id_of_a_run = [] {
    const auto run = make_orb("run");
    const auto poa = IDL::traits<POA>::narrow(run->resolve_initial_references("RootPOA"));
    const auto own = poa->create_POA("own", nullptr, {poa->create_lifespan_policy(LifespanPolicyValue::PERSISTENT)});
    const ObjectId id = own->activate_object(CORBA::make_reference<Probe>());
    run->destroy();
    return id;
  };
  EXPECT_NE(id_of_a_run(), id_of_a_run());
}

TEST_P(PoaPolicies, PlainKeysLeadToRegisteredInitialReferences) {
  const ObjectRef object = root->servant_to_reference(CORBA::make_reference<Probe>());
  orb->register_initial_reference("Echo", object);
  EXPECT_EQ(orb->resolve_initial_references("Echo"), object);
  EXPECT_EQ(outcome([&] { orb->register_initial_reference("Echo", object); }), "InvalidName");
  EXPECT_EQ(outcome([&] { orb->register_initial_reference("Other", nullptr); }), "BAD_PARAM 0x4f4d001b");
  EXPECT_EQ(orb->list_initial_services(), (std::vector<std::string>{"Echo", "IORTable", "ORBPolicyManager",
                                                                    "POACurrent", "PolicyCurrent", "RootPOA"}));
  try {
    orb->_core().adapter()->locate(base::as_bytes("Echo"));
    FAIL();
  } catch (const orb::LocationForward& forward) {
    EXPECT_EQ(forward.ior, object->_target()->ior());
    EXPECT_FALSE(forward.permanent) << "the name may come to lead elsewhere";
  }
  EXPECT_EQ(outcome([&] { orb->_core().adapter()->locate(base::as_bytes("Odd")); }), "OBJECT_NOT_EXIST 0x4f4d0001");
}

TEST_P(PoaPolicies, StringifiedReferencesComeBack) {
  const ObjectRef object = root->servant_to_reference(CORBA::make_reference<Probe>());
  const std::string text = orb->object_to_string(object);
  EXPECT_EQ(number(orb->string_to_object(text)), 1);
  EXPECT_EQ(orb->string_to_object(orb->object_to_string(nullptr)), nullptr);
  EXPECT_EQ(outcome([&] { orb->object_to_string(root); }), "MARSHAL 0x4f4d0004");
  EXPECT_EQ(outcome([&] { orb->string_to_object("http://x"); }), "BAD_PARAM 0x4f4d0007");
  EXPECT_EQ(outcome([&] { orb->string_to_object(""); }), "BAD_PARAM 0x4f4d0007");
  EXPECT_EQ(outcome([&] { orb->string_to_object("IOR:0"); }), "BAD_PARAM 0x4f4d000a");
  EXPECT_EQ(outcome([&] { orb->string_to_object("file:///nonexistent"); }), "BAD_PARAM 0x4f4d0008");
  EXPECT_EQ(outcome([&] { orb->string_to_object("corbaloc:rir:/RootPOA"); }), "none");
  EXPECT_EQ(outcome([&] { orb->resolve_initial_references("Telescope"); }), "InvalidName");
}

TEST_P(PoaPolicies, WhatIsWrongWithAReferenceIsSaid) {
  const auto said = [&](const std::string& reference, std::string_view part) {
    try {
      orb->string_to_object(reference);
    } catch (const CORBA::Exception& exception) {
      return std::string_view(exception.what()).find(part) != std::string_view::npos;
    }
    return false;
  };
  EXPECT_TRUE(said("IOR:00zz", "hexadecimal"));
  EXPECT_TRUE(said("IOR:000000000000001c", "was all of it copied?"));
  EXPECT_TRUE(said("corbaloc::localhost:99999/x", "port 1 to 65535"));
  EXPECT_TRUE(said("corbaloc:localhost:2809/x", "write corbaloc::host:port/key"));
  EXPECT_TRUE(said("file://no/such.ior", "'no/such.ior' cannot be opened (No such file"));
  EXPECT_TRUE(said("corbaloc:rir:/Telescope", "'Telescope'; give -ORBInitRef Telescope=URL"));
}

TEST_P(PoaPolicies, HostileKeysAreRefused) {
  const ObjectRef object = root->servant_to_reference(CORBA::make_reference<Probe>());
  orb::ObjectAdapter& adapter = *orb->_core().adapter();
  base::Bytes key;
  for (const auto& profile : object->_target()->ior().profiles) {
    const auto octets = ior::object_key_of(profile.tag, profile.data);
    if (octets) key.assign(octets->begin(), octets->end());
  }
  ASSERT_FALSE(key.empty());
  adapter.locate(key);
  for (std::size_t size = 0; size < key.size(); ++size) {
    EXPECT_NE(outcome([&] { adapter.locate({key.data(), size}); }), "none") << size;
  }
  for (std::size_t at = 0; at < key.size(); ++at) {
    for (const int flip : {1, 0x80, 0xff}) {
      base::Bytes bad = key;
      bad[at] = static_cast<base::Octet>(bad[at] ^ flip);
      EXPECT_NE(outcome([&] { adapter.locate(bad); }), "none") << at;
    }
  }
}

}  // namespace
}  // namespace corbel::poa::testing
