// SPDX-License-Identifier: Apache-2.0
#include "test_support.hpp"

namespace corbel::poa::testing {
namespace {

using namespace PortableServer;  // NOLINT: policy values

class PoaObjects : public PoaTest {};
INSTANTIATE_TEST_SUITE_P(Ways, PoaObjects, ::testing::Values("local", "remote"));

TEST_P(PoaObjects, ActivatedObjectsAnswer) {
  const auto servant = CORBA::make_reference<Probe>();
  const ObjectId id = root->activate_object(servant);
  const ObjectRef object = root->id_to_reference(id);
  EXPECT_EQ(number(object, 41), 42);
  EXPECT_EQ(object->_target()->is_local(), std::string(GetParam()) == "local");
  EXPECT_EQ(object->_target()->ior().type_id, kProbeId);
}

TEST_P(PoaObjects, DeactivatedObjectsDoNotExistAndReleaseTheServant) {
  const int before = Probe::destroyed;
  const ObjectId id = root->activate_object(CORBA::make_reference<Probe>());
  const ObjectRef object = root->id_to_reference(id);
  root->deactivate_object(id);
  EXPECT_EQ(Probe::destroyed, before + 1);
  EXPECT_EQ(outcome([&] { number(object); }), "OBJECT_NOT_EXIST 0x4f4d0001");
  EXPECT_TRUE(object->_non_existent());
  EXPECT_EQ(outcome([&] { root->deactivate_object(id); }), "ObjectNotActive");
}

TEST_P(PoaObjects, StaleReferencesDoNotReachTheNextObjectInTheSlot) {
  const ObjectId old_id = root->activate_object(CORBA::make_reference<Probe>());
  const ObjectRef old_object = root->id_to_reference(old_id);
  root->deactivate_object(old_id);
  const ObjectId new_id = root->activate_object(CORBA::make_reference<Probe>());
  EXPECT_NE(old_id, new_id);
  EXPECT_EQ(number(root->id_to_reference(new_id)), 1);
  EXPECT_EQ(outcome([&] { number(old_object); }), "OBJECT_NOT_EXIST 0x4f4d0001");
}

TEST_P(PoaObjects, SystemIdsCanBeActivatedAgainAndForeignOnesCannot) {
  const ObjectId id = root->activate_object(CORBA::make_reference<Probe>());
  const ObjectRef object = root->id_to_reference(id);
  root->deactivate_object(id);
  root->activate_object_with_id(id, CORBA::make_reference<Probe>());
  EXPECT_EQ(number(object), 1);
  const auto foreign = [&] {
    root->activate_object_with_id(string_to_ObjectId("mine"), CORBA::make_reference<Probe>());
  };
  EXPECT_EQ(outcome(foreign), "BAD_PARAM 0x4f4d000e");
}

TEST_P(PoaObjects, UserIdsAreFoundByTheirOctets) {
  const PoaRef poa = child("user", {root->create_id_assignment_policy(IdAssignmentPolicyValue::USER_ID)});
  std::vector<ObjectRef> objects;
  for (int i = 0; i < 100; ++i) {
    const ObjectId id = string_to_ObjectId(std::string(static_cast<std::size_t>(i % 12), 'x') + std::to_string(i));
    poa->activate_object_with_id(id, CORBA::make_reference<Probe>([i](std::int32_t) { return i; }));
    objects.push_back(poa->id_to_reference(id));
  }
  for (int i = 0; i < 100; ++i) EXPECT_EQ(number(objects[static_cast<std::size_t>(i)]), i);
  EXPECT_EQ(outcome([&] { poa->activate_object(CORBA::make_reference<Probe>()); }), "WrongPolicy");
  EXPECT_EQ(outcome([&] { poa->create_reference("IDL:x:1.0"); }), "WrongPolicy");
  const auto again = [&] { poa->activate_object_with_id(string_to_ObjectId("0"), CORBA::make_reference<Probe>()); };
  EXPECT_EQ(outcome(again), "ObjectAlreadyActive");
}

TEST_P(PoaObjects, UniqueIdsRefuseASecondActivation) {
  const auto servant = CORBA::make_reference<Probe>();
  root->activate_object(servant);
  EXPECT_EQ(outcome([&] { root->activate_object(servant); }), "ServantAlreadyActive");
  EXPECT_EQ(outcome([&] { root->activate_object(nullptr); }).substr(0, 9), "BAD_PARAM");
}

TEST_P(PoaObjects, MultipleIdsShareAServant) {
  const PoaRef poa = child("multiple", {root->create_id_uniqueness_policy(IdUniquenessPolicyValue::MULTIPLE_ID)});
  const auto servant = CORBA::make_reference<Probe>();
  const ObjectId a = poa->activate_object(servant);
  const ObjectId b = poa->activate_object(servant);
  EXPECT_NE(a, b);
  EXPECT_EQ(number(poa->id_to_reference(a)), 1);
  poa->deactivate_object(a);
  EXPECT_EQ(number(poa->id_to_reference(b)), 1);
  EXPECT_EQ(outcome([&] { poa->servant_to_id(servant); }), "WrongPolicy");
}

TEST_P(PoaObjects, IdsServantsAndReferencesTranslateIntoEachOther) {
  const auto servant = CORBA::make_reference<Probe>();
  const ObjectId id = root->activate_object(servant);
  const ObjectRef object = root->id_to_reference(id);
  EXPECT_EQ(root->servant_to_id(servant), id);
  EXPECT_TRUE(root->servant_to_reference(servant)->_is_equivalent(object));
  EXPECT_EQ(root->reference_to_id(object), id);
  EXPECT_EQ(root->reference_to_servant(object), ServantRef(servant));
  EXPECT_EQ(root->id_to_servant(id), ServantRef(servant));
  const PoaRef other = child("other", {});
  EXPECT_EQ(outcome([&] { other->reference_to_id(object); }), "WrongAdapter");
  EXPECT_EQ(outcome([&] { other->servant_to_id(servant); }), "ServantNotActive");
  EXPECT_EQ(outcome([&] { other->id_to_servant(id); }), "ObjectNotActive");
}

TEST_P(PoaObjects, TheRootActivatesImplicitly) {
  const auto servant = CORBA::make_reference<Probe>();
  const ObjectRef object = root->servant_to_reference(servant);
  EXPECT_EQ(number(object), 1);
  EXPECT_EQ(root->servant_to_id(servant), root->reference_to_id(object));
}

TEST_P(PoaObjects, ThisActivatesImplicitlyAndNamesTheTargetInsideARequest) {
  ObjectRef inside;
  PortableServer::Servant* self = nullptr;
  const PoaRef poa = child("user", {root->create_id_assignment_policy(IdAssignmentPolicyValue::USER_ID)});
  const auto servant = CORBA::make_reference<Probe>([&](std::int32_t) {
    inside = self->_this_object();
    return 0;
  });
  self = servant.operator->();
  const ObjectId id = string_to_ObjectId("me");
  poa->activate_object_with_id(id, servant);
  number(poa->id_to_reference(id));
  EXPECT_EQ(poa->reference_to_id(inside), id);
  const auto other = CORBA::make_reference<Probe>();
  EXPECT_EQ(number(other->_this_object()), 1);
}

TEST_P(PoaObjects, CreatedReferencesWorkOnceActivated) {
  const ObjectRef object = root->create_reference("IDL:later:1.0");
  EXPECT_EQ(outcome([&] { number(object); }), "OBJECT_NOT_EXIST 0x4f4d0001");
  root->activate_object_with_id(root->reference_to_id(object), CORBA::make_reference<Probe>());
  EXPECT_EQ(number(object), 1);
}

TEST_P(PoaObjects, EveryObjectHasTheBuiltInOperations) {
  const ObjectRef object = root->servant_to_reference(CORBA::make_reference<Probe>());
  EXPECT_TRUE(object->_is_a(std::string(kProbeId)));
  EXPECT_FALSE(object->_is_a("IDL:Other:1.0"));
  EXPECT_FALSE(object->_non_existent());
  EXPECT_EQ(object->_repository_id(), kProbeId);
  std::int32_t result = 0;
  static constexpr corba::Operation kManagers{"_domain_managers"};
  EXPECT_EQ(outcome([&] { invoke(object, kManagers, result, 0); }).substr(0, 12), "NO_IMPLEMENT");
  EXPECT_EQ(object->_get_component(), nullptr);
  EXPECT_EQ(outcome([&] { object->_get_interface(); }), "INTF_REPOS 0x4f4d0001");
  static constexpr corba::Operation kOdd{"odd"};
  EXPECT_EQ(outcome([&] { invoke(object, kOdd, result, 0); }), "BAD_OPERATION 0x4f4d0002");
  EXPECT_EQ(object->_get_orb(), orb);
}

/// A facet of the component, with whatever stands for an InterfaceDef.
class Facet final : public Probe {
 public:
  ObjectRef component, interface;
  ObjectRef _get_component() override { return component; }
  ObjectRef _get_interface() override { return interface; }
};

TEST_P(PoaObjects, ServantsNameTheirComponentAndInterface_8_3) {
  const auto servant = CORBA::make_reference<Facet>();
  const ObjectRef object = root->servant_to_reference(servant);
  servant->component = root->servant_to_reference(CORBA::make_reference<Probe>());
  EXPECT_TRUE(object->_get_component()->_is_equivalent(servant->component));
  EXPECT_EQ(object->_get_interface(), nullptr);
  servant->interface = object;
  EXPECT_TRUE(object->_get_interface()->_is_equivalent(object));
  servant->component = root;
  EXPECT_EQ(outcome([&] { object->_get_component(); }), "MARSHAL 0x4f4d0004");
  servant->component = servant->interface = nullptr;
}

TEST_P(PoaObjects, ForeignExceptionsOfServantsBecomeUnknown) {
  const auto thrower = [](std::int32_t n) -> std::int32_t {
    if (n == 0) throw std::runtime_error("oops");
    if (n == 1) throw 5;
    if (n == 2) throw CORBA::NO_PERMISSION(77, CORBA::CompletionStatus::COMPLETED_YES);
    throw POA::WrongPolicy();
  };
  const ObjectRef object = root->servant_to_reference(CORBA::make_reference<Probe>(thrower));
  EXPECT_EQ(outcome([&] { number(object, 0); }).substr(0, 7), "UNKNOWN");
  EXPECT_EQ(outcome([&] { number(object, 1); }).substr(0, 7), "UNKNOWN");
  EXPECT_EQ(outcome([&] { number(object, 2); }), "NO_PERMISSION 0x0000004d");
  EXPECT_EQ(outcome([&] { number(object, 3); }), "UNKNOWN 0x4f4d0001");
  for (const std::int32_t n : {0, 1, 3}) {
    try {
      number(object, n);
      ADD_FAILURE() << n;
    } catch (const CORBA::UNKNOWN& exception) {
      EXPECT_EQ(exception.completed(), CORBA::CompletionStatus::COMPLETED_MAYBE) << n << ": the servant ran";
    }
  }
}

TEST(ObjectIds, AreText) {
  EXPECT_EQ(ObjectId_to_string(string_to_ObjectId("a/b")), "a/b");
  EXPECT_EQ(ObjectId_to_wstring(wstring_to_ObjectId(L"grüße 𝄞")), L"grüße 𝄞");
  EXPECT_THROW(ObjectId_to_string({1, 0, 2}), CORBA::BAD_PARAM);
  for (const ObjectId& bad : {ObjectId{0x80}, ObjectId{0xe2, 0x82}, ObjectId{0xff}, ObjectId{0}}) {
    EXPECT_THROW(ObjectId_to_wstring(bad), CORBA::BAD_PARAM);
  }
}

TEST(DefaultPoa, IsThatOfTheOrbWithoutANameHoweverOldOthersAre) {
  const auto root_of = [](const OrbRef& orb) {
    return IDL::traits<PortableServer::POA>::narrow(orb->resolve_initial_references("RootPOA"));
  };
  const auto servant = CORBA::make_reference<Probe>();
  const OrbRef older = make_orb("default_older", {});
  const PoaRef root = root_of(older);
  const OrbRef nameless = make_orb("", {});
  EXPECT_TRUE(servant->_default_POA() == root_of(nameless));
  nameless->destroy();
  EXPECT_TRUE(servant->_default_POA() != nullptr) << "the oldest that is left";
  older->destroy();
}

}  // namespace
}  // namespace corbel::poa::testing
