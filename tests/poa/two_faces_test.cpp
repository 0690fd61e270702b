// SPDX-License-Identifier: Apache-2.0
// Two C++ mappings in one process.
#include <string>

#include "corbel/transport/tcp/tcp.hpp"
#include "poa/tiny_face.hpp"
#include "test_support.hpp"

namespace corbel::poa::testing {
namespace {

constexpr const char* kTinyId = "IDL:corbel.test/Tiny:1.0";
constexpr corba::Operation kNumber{"number"}, kRefuse{"refuse"};

/// A servant of the tiny mapping.
class TinyServant final : public corba::ServantCore {
 public:
  bool _dispatch(corba::ServerCall& call) override {
    if (call.operation() == "refuse") throw corba::system_failure("NO_PERMISSION", 7, corba::Completed::no);
    if (call.operation() != "number") return false;
    call.use_octets();
    const auto argument = call.arguments().get<std::int32_t>();
    call.check_arguments();
    call.reply([&](cdr::Encoder& encoder) { encoder.put(argument * 2); });
    return true;
  }
  bool _is_a(const std::string& repository_id) override { return repository_id == kTinyId; }
  bool _non_existent() override { return false; }
  std::string _interface_in(base::ConstByteSpan, corba::AdapterCore&) override { return kTinyId; }
};

class TwoFaces : public ::testing::Test {
 protected:
  TwoFaces() {
    tiny_root_->manager()->activate();
    PoaRef root = IDL::traits<PortableServer::POA>::narrow(orb_->resolve_initial_references("RootPOA"));
    root->the_POAManager()->activate();
    ours_ = root->servant_to_reference(CORBA::make_reference<Probe>());
  }
  ~TwoFaces() override { orb_->destroy(); }

  static OrbRef make_ours() {
    std::vector<std::string> arguments{"-ORBListenEndpoints", "tcp://127.0.0.1:0"};
    return orb::init(arguments, "ours", {{messaging::make_giop()}, {transport::make_tcp()}, &make_adapter});
  }
  ObjectRef shown(const ior::Ior& ior) { return orb_->string_to_object(ior::to_string(ior)); }

  tiny::Orb tiny_;
  const base::SharedPtr<Poa> tiny_root_ = tiny_.root();
  const OrbRef orb_ = make_ours();
  ObjectRef ours_;
};

TEST_F(TwoFaces, CallEachOthersObjects) {
  const auto servant = base::make_shared<TinyServant>();
  const ior::Ior theirs = tiny_root_->id_to_reference(tiny_root_->activate_object(servant));
  EXPECT_EQ(number(shown(theirs), 21), 42);
  EXPECT_TRUE(shown(theirs)->_is_a(kTinyId));
  EXPECT_EQ(tiny_.call(ours_->_target()->ior(), kNumber, 1), 2);
  EXPECT_EQ(tiny_.call(theirs, kNumber, 3), 6);
}

TEST_F(TwoFaces, SeeExceptionsEachInTheirOwnWay) {
  const auto servant = base::make_shared<TinyServant>();
  const ObjectId id = tiny_root_->activate_object(servant);
  const ior::Ior theirs = tiny_root_->id_to_reference(id);
  std::int32_t result = 0;
  EXPECT_THROW(invoke(shown(theirs), kRefuse, result, 0), CORBA::NO_PERMISSION);
  for (const ior::Ior& object : {theirs, ours_->_target()->ior()}) {
    try {
      (void)tiny_.call(object, kRefuse, 0);
      ADD_FAILURE() << "refuse() returned";
    } catch (const corba::SystemFailure& failure) {
      EXPECT_EQ(failure.is("NO_PERMISSION"), object == theirs) << failure.id;
      EXPECT_EQ(failure.is("BAD_OPERATION"), object != theirs) << failure.id;
    }
  }
  try {
    (void)tiny_root_->activate_object(servant);
    ADD_FAILURE() << "activated twice";
  } catch (tiny::Refused why) {
    EXPECT_EQ(why, tiny::Refused::servant_already_active);
  }
  tiny_root_->deactivate_object(id);
  EXPECT_THROW(invoke(shown(theirs), kNumber, result, 0), CORBA::OBJECT_NOT_EXIST);
}

TEST_F(TwoFaces, EndEachForItself) {
  const ior::Ior theirs = tiny_root_->id_to_reference(tiny_root_->activate_object(base::make_shared<TinyServant>()));
  orb_->shutdown(true);
  EXPECT_EQ(tiny_.call(theirs, kNumber, 4), 8);
  tiny_root_->destroy(false, true);
  EXPECT_THROW((void)tiny_.call(theirs, kNumber, 4), corba::SystemFailure);
}

}  // namespace
}  // namespace corbel::poa::testing
