// SPDX-License-Identifier: Apache-2.0
// Servants that are written for no C++ mapping that the library has.
#include <string>

#include "corbel/poa/poa_impl.hpp"
#include "test_support.hpp"

namespace corbel::poa::testing {
namespace {

constexpr const char* kOtherId = "IDL:corbel.test/OtherFace:1.0";

/// Knows what corbel/corba/servant_core.hpp says, and nothing of CORBA:: or PortableServer::.
class OtherFaceServant final : public corba::ServantCore {
 public:
  bool _dispatch(corba::ServerCall& call) override {
    if (call.operation() != "number") return false;
    call.match(corba::signature(1));  // not the caller's: works on octets
    call.use_octets();
    const auto argument = call.arguments().get<std::int32_t>();
    call.check_arguments();
    call.reply([&](cdr::Encoder& encoder) { encoder.put(argument + 7); });
    return true;
  }
  bool _is_a(const std::string& repository_id) override { return repository_id == kOtherId; }
  bool _non_existent() override { return false; }
  std::string _interface_in(base::ConstByteSpan object_id, corba::AdapterCore& adapter) override {
    last_id.assign(object_id.begin(), object_id.end());
    last_adapter = &adapter;
    return kOtherId;
  }

  base::Bytes last_id;
  corba::AdapterCore* last_adapter = nullptr;
};

class OtherFace : public PoaTest {
 protected:
  Poa& core() { return dynamic_cast<Poa&>(*root); }

  const base::SharedPtr<OtherFaceServant> servant = base::make_shared<OtherFaceServant>();
};

TEST_P(OtherFace, ItsServantsServeBesideOthersInOneAdapter) {
  const ObjectId id = core().activate(servant);
  const ObjectRef object = root->id_to_reference(id);
  const ObjectRef ours = root->servant_to_reference(CORBA::make_reference<Probe>());
  EXPECT_EQ(number(object, 1), 8);
  EXPECT_EQ(number(ours, 1), 2);
  EXPECT_EQ(object->_target()->ior().type_id, kOtherId);
  static constexpr corba::Operation kNone{"none"};
  std::int32_t result = 0;
  EXPECT_EQ(outcome([&] { invoke(object, kNone, result, 0); }), "BAD_OPERATION 0x4f4d0002");
}

TEST_P(OtherFace, ItsServantsAnswerWhatEveryObjectIsAsked) {
  const ObjectId id = core().activate(servant);
  const ObjectRef object = root->create_reference_with_id(id, "IDL:corbel.test/Unknown:1.0");
  EXPECT_TRUE(object->_is_a(kOtherId));
  EXPECT_FALSE(object->_is_a(std::string(kProbeId)));
  EXPECT_FALSE(object->_non_existent());
  EXPECT_EQ(object->_repository_id(), kOtherId);
  EXPECT_EQ(servant->last_id, id);
  EXPECT_EQ(servant->last_adapter, &core());
}

TEST_P(OtherFace, ItsServantsAreNotShownAsOurs) {
  const ObjectId id = core().activate(servant);
  EXPECT_EQ(outcome([&] { (void)root->id_to_servant(id); }).substr(0, 11), "OBJ_ADAPTER");
  EXPECT_EQ(outcome([&] { (void)root->reference_to_servant(root->id_to_reference(id)); }).substr(0, 11), "OBJ_ADAPTER");
  EXPECT_EQ(outcome([&] { (void)core().activate(servant); }), "ServantAlreadyActive");
  root->deactivate_object(id);
  EXPECT_EQ(outcome([&] { (void)root->id_to_servant(id); }), "ObjectNotActive");
}

INSTANTIATE_TEST_SUITE_P(Ways, OtherFace, ::testing::Values("local", "remote"));

}  // namespace
}  // namespace corbel::poa::testing
