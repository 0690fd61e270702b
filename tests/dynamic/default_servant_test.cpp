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

/// How it ended: "done", or the OMG's minor code of a BAD_INV_ORDER.
template <class Run>
std::string order_of(const Run& run) {
  try {
    run();
    return "done";
  } catch (const CORBA::BAD_INV_ORDER& refused) {
    return std::to_string(refused.minor() - CORBA::OMGVMCID);
  }
}

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
    } else if (request->operation() == "add" || request->operation() == "result_first") {
      const auto types = [] {
        CORBA::NVList list;
        list.add_type("amount", CORBA::_tc_long, CORBA::ARG_IN);
        return list;
      };
      const auto set_result = [&] {
        Any sum;
        sum <<= std::int32_t{7};
        request->set_result(sum);
      };
      if (request->operation() == "result_first") set_result();
      request->arguments(types());
      endings.push_back(order_of(set_result));
      endings.push_back(order_of(set_result));
      endings.push_back(order_of([&] { request->arguments(types()); }));
    } else if (request->operation() == "exception_first") {
      Any timeout;
      timeout <<= CORBA::TIMEOUT(5, CORBA::CompletionStatus::COMPLETED_MAYBE);
      request->set_exception(timeout);
      endings.push_back(order_of([&] { request->set_result(timeout); }));
      endings.push_back(order_of([&] { request->arguments({}); }));
    } else if (request->operation() == "no_result") {
      request->set_result(Any(CORBA::_tc_long, nullptr));
    }
  }
  std::string _primary_interface(const ObjectId& object_id, PoaRef poa) override {
    EXPECT_EQ(poa->the_name(), "chameleons");
    return "IDL:" + std::string(object_id.begin(), object_id.end()) + ":1.0";
  }

  IDL::traits<CORBA::ServerRequest>::ref_type kept;
  std::vector<std::string> endings;
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

TEST_F(DefaultServant, SetsItsResultOnceAfterTheArguments_12_3) {
  const auto add = [&](const std::string& operation) {
    const auto request = object("A")->_request(operation);
    request->add_in_arg() <<= std::int32_t{5};
    request->set_return_type(CORBA::_tc_long);
    request->invoke();
    std::int32_t sum = 0;
    request->return_value() >>= sum;
    return sum;
  };
  EXPECT_EQ(add("add"), 7);
  EXPECT_EQ(servant_->endings, (std::vector<std::string>{"done", "9", "7"}));
  EXPECT_EQ(order_of([&] { add("result_first"); }), "9");
  servant_->endings.clear();
  EXPECT_THROW(call("exception_first"), CORBA::TIMEOUT);
  EXPECT_EQ(servant_->endings, (std::vector<std::string>{"9", "7"}));
  EXPECT_EQ(order_of([&] { servant_->kept->set_result(Any()); }), "9");
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
