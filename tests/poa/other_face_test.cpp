// SPDX-License-Identifier: Apache-2.0
// Servants and stubs that are written for no C++ mapping that the library has.
#include <string>

#include "corbel/corba/failure.hpp"
#include "corbel/poa/poa_impl.hpp"
#include "test_support.hpp"

namespace corbel::poa::testing {
namespace {

constexpr const char* kOtherId = "IDL:corbel.test/OtherFace:1.0";
constexpr const char* kToldId = "IDL:corbel.test/Told:1.0";
constexpr std::int32_t kTold = 42;

/// Knows what corbel/corba/servant_core.hpp says, and nothing of CORBA:: or PortableServer::.
class OtherFaceServant final : public corba::ServantCore {
 public:
  bool _dispatch(corba::ServerCall& call) override {
    static constexpr std::string_view kRaises[] = {kToldId};
    call.set_raises(kRaises);
    if (call.operation() == "refuse") throw corba::system_failure("NO_PERMISSION", 7, corba::Completed::no, "not you");
    if (call.operation() == "tell") throw corba::UserFailure{kToldId, [](auto& encoder) { encoder.put(kTold); }};
    if (call.operation() == "lie") throw corba::UserFailure{"IDL:corbel.test/Unlisted:1.0", nullptr};
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

  const base::SharedPtr<OtherFaceServant> servant_ = base::make_shared<OtherFaceServant>();
};

TEST_P(OtherFace, ItsServantsServeBesideOthersInOneAdapter) {
  const ObjectId id = core().activate_object(servant_);
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
  const ObjectId id = core().activate_object(servant_);
  const ObjectRef object = root->create_reference_with_id(id, "IDL:corbel.test/Unknown:1.0");
  EXPECT_TRUE(object->_is_a(kOtherId));
  EXPECT_FALSE(object->_is_a(std::string(kProbeId)));
  EXPECT_FALSE(object->_non_existent());
  EXPECT_EQ(object->_repository_id(), kOtherId);
  EXPECT_EQ(servant_->last_id, id);
  EXPECT_EQ(servant_->last_adapter, &core());
}

TEST_P(OtherFace, ItsServantsAreNotShownAsOurs) {
  const ObjectId id = core().activate_object(servant_);
  EXPECT_EQ(outcome([&] { (void)root->id_to_servant(id); }).substr(0, 11), "OBJ_ADAPTER");
  EXPECT_EQ(outcome([&] { (void)root->reference_to_servant(root->id_to_reference(id)); }).substr(0, 11), "OBJ_ADAPTER");
  EXPECT_EQ(outcome([&] { (void)core().activate_object(servant_); }), "ServantAlreadyActive");
  root->deactivate_object(id);
  EXPECT_EQ(outcome([&] { (void)root->id_to_servant(id); }), "ObjectNotActive");
}

TEST_P(OtherFace, WhatItsServantsThrowAsDataArrivesAsTheCallersMappingHasIt) {
  const ObjectRef object = root->id_to_reference(core().activate_object(servant_));
  std::int32_t result = 0;
  static constexpr corba::Operation kRefuse{"refuse"};
  try {
    invoke(object, kRefuse, result, 0);
    FAIL() << "refuse() returned";
  } catch (const CORBA::NO_PERMISSION& refusal) {
    EXPECT_EQ(refusal.minor(), 7U);
    EXPECT_EQ(refusal.completed(), CORBA::COMPLETED_NO);
  }
  static constexpr corba::Operation kLie{"lie"};
  EXPECT_EQ(outcome([&] { invoke(object, kLie, result, 0); }).substr(0, 7), "UNKNOWN");
}

TEST_P(OtherFace, UserExceptionsOfItsServantsAreReadByTheCallersStub) {
  const ObjectRef object = root->id_to_reference(core().activate_object(servant_));
  struct Told {
    std::int32_t value;
  };
  static constexpr corba::ExceptionType kTypes[] = {{kToldId, [](cdr::Decoder& decoder, const corba::ExceptionType&) {
                                                       const Told told{decoder.get<std::int32_t>()};
                                                       if (decoder.ok()) throw told;
                                                     }}};
  static constexpr corba::Operation kTell{"tell", false, kTypes};
  try {
    const auto encode = [](cdr::Encoder&) {};
    const auto decode = [](cdr::Decoder&) {};
    object->_target()->invoke({kTell, encode, decode, nullptr});
    FAIL() << "tell() returned";
  } catch (const Told& told) {
    EXPECT_EQ(told.value, kTold);
  }
}

/// A stub that knows what corbel/corba/call.hpp and failure.hpp say, and has exceptions of its own.
struct OtherStub {
  struct Refused {
    corba::SystemFailure why;
  };

  std::int32_t number(const corba::Operation& operation, std::int32_t argument) const {
    std::int32_t result = 0;
    const auto encode = [&](cdr::Encoder& encoder) { encoder.put(argument); };
    const auto decode = [&](cdr::Decoder& decoder) { result = decoder.get<std::int32_t>(); };
    try {
      target->invoke({operation, encode, decode, nullptr});
    } catch (...) {
      if (auto failure = corba::failure_of(std::current_exception())) throw Refused{*std::move(failure)};
      throw;
    }
    return result;
  }

  corba::TargetPtr target;
};

TEST_P(OtherFace, ItsStubsShowWhatCallsEndInAsTheirOwnMappingHasIt) {
  const OtherStub stub{root->id_to_reference(core().activate_object(servant_))->_target()};
  static constexpr corba::Operation kNumber{"number"}, kRefuse{"refuse"}, kNone{"none"};
  EXPECT_EQ(stub.number(kNumber, 1), 8);
  try {
    (void)stub.number(kRefuse, 1);
    FAIL() << "refuse() returned";
  } catch (const OtherStub::Refused& refused) {
    EXPECT_TRUE(refused.why.is("NO_PERMISSION")) << refused.why.id;
    EXPECT_EQ(refused.why.minor, 7U);
    EXPECT_EQ(refused.why.completed, corba::Completed::no);
  }
  try {
    (void)stub.number(kNone, 1);
    FAIL() << "none() returned";
  } catch (const OtherStub::Refused& refused) {
    EXPECT_TRUE(refused.why.is("BAD_OPERATION")) << refused.why.id;
  }
  EXPECT_FALSE(corba::failure_of(std::make_exception_ptr(OtherStub::Refused{})));
  EXPECT_TRUE(corba::failure_of(std::make_exception_ptr(corba::system_failure("TRANSIENT", 1, corba::Completed::no)))
                  ->is("TRANSIENT"));
}

INSTANTIATE_TEST_SUITE_P(Ways, OtherFace, ::testing::Values("local", "remote"));

}  // namespace
}  // namespace corbel::poa::testing
