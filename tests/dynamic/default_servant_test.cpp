// SPDX-License-Identifier: Apache-2.0
// One dynamic servant for objects of many interfaces.
#include "corbel/dynamic/dynamic_implementation.hpp"
#include "orb_support.hpp"

namespace corbel::dynamic {
namespace {

using CORBA::Any;
using ObjectRef = IDL::traits<CORBA::Object>::ref_type;
using PoaRef = IDL::traits<PortableServer::POA>::ref_type;
using ObjectId = std::vector<std::uint8_t>;

/// Answers with the object's id, or misbehaves.
class Chameleon final : public PortableServer::DynamicImplementation {
 public:
  void invoke(IDL::traits<CORBA::ServerRequest>::ref_type request) override {
    kept = request;
    if (request->operation() == "level_twice") {
      request->arguments({});
      request->arguments({});
    } else if (request->operation() == "no_exception") {
      Any number;
      number <<= 1.5;
      request->set_exception(number);
    } else if (request->operation() == "system") {
      Any timeout;
      timeout <<= CORBA::TIMEOUT(5, CORBA::CompletionStatus::COMPLETED_MAYBE);
      request->set_exception(timeout);
    } else if (request->operation() == "no_value") {
      CORBA::NVList arguments;
      arguments.add_type("missing", CORBA::_tc_long, CORBA::ARG_OUT);
      request->arguments(std::move(arguments));
    } else if (request->operation() == "no_result") {
      request->set_result(Any(CORBA::_tc_long, nullptr));
    }
  }
  std::string _primary_interface(const ObjectId& object_id, PoaRef poa) override {
    EXPECT_EQ(poa->the_name(), "chameleons");
    return "IDL:" + std::string(object_id.begin(), object_id.end()) + ":1.0";
  }

  IDL::traits<CORBA::ServerRequest>::ref_type kept;
};

class DefaultServant : public WithOrb {
 protected:
  DefaultServant() {
    const auto root = initial<PortableServer::POA>("RootPOA");
    poa_ = root->create_POA(
        "chameleons", root->the_POAManager(),
        {root->create_request_processing_policy(PortableServer::RequestProcessingPolicyValue::USE_DEFAULT_SERVANT),
         root->create_servant_retention_policy(PortableServer::ServantRetentionPolicyValue::NON_RETAIN),
         root->create_id_assignment_policy(PortableServer::IdAssignmentPolicyValue::USER_ID),
         root->create_id_uniqueness_policy(PortableServer::IdUniquenessPolicyValue::MULTIPLE_ID)});
    poa_->set_servant(servant_);
    root->the_POAManager()->activate();
  }
  ObjectRef object(const std::string& id) { return poa_->create_reference_with_id({id.begin(), id.end()}, ""); }
  void call(const std::string& operation) { object("A")->_request(operation)->invoke(); }

  CORBA::servant_reference<Chameleon> servant_ = CORBA::make_reference<Chameleon>();
  PoaRef poa_;
};

TEST_F(DefaultServant, ServesObjectsOfManyInterfaces) {
  EXPECT_EQ(object("A")->_repository_id(), "IDL:A:1.0");
  EXPECT_EQ(object("B")->_repository_id(), "IDL:B:1.0");
  EXPECT_TRUE(object("B")->_is_a("IDL:B:1.0"));
  EXPECT_FALSE(object("B")->_is_a("IDL:A:1.0"));
  EXPECT_TRUE(object("B")->_is_a("IDL:omg.org/CORBA/Object:1.0"));
  call("anything");
}

// The client would take for a result what comes behind it. The servant has run.
TEST_F(DefaultServant, IsToldOfResultsThatItForgets) {
  for (const char* operation : {"no_value", "no_result", "no_exception"}) {
    try {
      call(operation);
      ADD_FAILURE() << operation << ": something was sent";
    } catch (const CORBA::BAD_PARAM& refused) {
      EXPECT_EQ(refused.completed(), CORBA::CompletionStatus::COMPLETED_YES) << operation;
    }
  }
}

TEST_F(DefaultServant, IsToldOfMisuse) {
  EXPECT_THROW(call("level_twice"), CORBA::BAD_INV_ORDER);
  EXPECT_THROW(call("no_exception"), CORBA::BAD_PARAM);
  EXPECT_THROW(call("no_value"), CORBA::BAD_PARAM);
  call("fine");
  EXPECT_THROW(servant_->kept->arguments({}), CORBA::BAD_INV_ORDER);
}

TEST_F(DefaultServant, MayRaiseSystemExceptions) {
  try {
    call("system");
    FAIL();
  } catch (const CORBA::TIMEOUT& timeout) {
    EXPECT_EQ(timeout.minor(), 5U);
    EXPECT_EQ(timeout.completed(), CORBA::CompletionStatus::COMPLETED_MAYBE);
  }
}

}  // namespace
}  // namespace corbel::dynamic
