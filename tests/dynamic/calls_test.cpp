// SPDX-License-Identifier: Apache-2.0
// Static and dynamic clients, static and dynamic servants, in one ORB and from one to another.
#include <thread>

#include "calls_any.hpp"
#include "calls_server.hpp"
#include "corbel/corba/minor_codes.hpp"
#include "corbel/dynamic/dynamic_implementation.hpp"
#include "orb_support.hpp"

namespace corbel::dynamic {
namespace {

using CORBA::Any;
using ObjectRef = IDL::traits<CORBA::Object>::ref_type;
using PlaceRef = IDL::traits<Calls::Place>::ref_type;
using PoaRef = IDL::traits<PortableServer::POA>::ref_type;
using ObjectId = std::vector<std::uint8_t>;
namespace minor = corba::minor;

constexpr const char* kPlaceId = "IDL:corbel.test/Calls/Place:1.0";

class Place final : public virtual CORBA::servant_traits<Calls::Place>::base_type {
 public:
  std::string join(const std::string& text, std::int32_t& count, Calls::Point& where) override {
    if (text == "oops") throw Calls::Oops("because", Calls::Point(7, 8));
    if (text == "thrown" || text == "held") throw Calls::Oops(text, Calls::Point(1, 2));
    if (text == "unlisted") throw CORBA::PolicyError(CORBA::BAD_POLICY);
    if (text == "system") throw CORBA::NO_PERMISSION(77, CORBA::CompletionStatus::COMPLETED_YES);
    where = Calls::Point(1, -count);
    ++count;
    return text + "!";
  }
  void nothing() override {}
  void fire(std::int32_t amount) override { level_ += amount; }
  PlaceRef self() override { return _this(); }
  Any pass(const Any& value) override { return value; }
  std::int32_t level() override { return level_; }
  void level(std::int32_t value) override { level_ = value; }

 private:
  std::atomic<std::int32_t> level_{0};
};

/// What a dynamic servant or client must know of an operation.
struct Signature {
  CORBA::NVList arguments;
  CORBA::typecode_reference result = CORBA::_tc_void;
  CORBA::ExceptionList exceptions = {};
};

Signature signature_of(const std::string& operation) {
  Signature signature;
  if (operation == "join") {
    signature.arguments.add_type("text", CORBA::_tc_string, CORBA::ARG_IN);
    signature.arguments.add_type("count", CORBA::_tc_long, CORBA::ARG_INOUT);
    signature.arguments.add_type("where", Calls::_tc_Point, CORBA::ARG_OUT);
    signature.result = CORBA::_tc_string;
    signature.exceptions = {Calls::_tc_Oops, Calls::_tc_Other};
  } else if (operation == "fire" || operation == "_set_level") {
    signature.arguments.add_type("amount", CORBA::_tc_long, CORBA::ARG_IN);
  } else if (operation == "_get_level") {
    signature.result = CORBA::_tc_long;
  } else if (operation == "self") {
    signature.result = Calls::_tc_Place;
  } else if (operation == "pass") {
    signature.arguments.add_type("value", CORBA::_tc_any, CORBA::ARG_IN);
    signature.result = CORBA::_tc_any;
  } else if (operation != "nothing") {
    throw CORBA::BAD_OPERATION(minor::kUnknownOperation);
  }
  return signature;
}

/// Passes every request on to another object.
class Bridge final : public PortableServer::DynamicImplementation {
 public:
  explicit Bridge(ObjectRef target) : target_(std::move(target)) {}

  void invoke(IDL::traits<CORBA::ServerRequest>::ref_type request) override {
    Signature signature = signature_of(request->operation());
    auto& arguments = request->arguments(std::move(signature.arguments));
    std::string text;
    if (request->operation() == "join") arguments.front().value >>= text;
    const Calls::Oops oops(text, Calls::Point(1, 2));
    if (text == "thrown") throw oops;
    if (text == "held") {
      Any held;
      held <<= oops;
      return request->set_exception(held);
    }
    const auto onward = target_->_request(request->operation());
    onward->arguments() = arguments;
    onward->set_return_type(signature.result);
    onward->exceptions() = signature.exceptions;
    if (request->operation() == "fire") return onward->send_oneway();
    onward->invoke();
    arguments = onward->arguments();
    if (signature.result->kind() != CORBA::TCKind::tk_void) request->set_result(onward->return_value());
  }
  std::string _primary_interface(const ObjectId&, PoaRef) override { return kPlaceId; }

 private:
  const ObjectRef target_;
};

struct Setup {
  const char* name;
  bool remote;
  bool dynamic;
};

class DynamicCalls : public WithOrb, public ::testing::WithParamInterface<Setup> {
 protected:
  DynamicCalls() {
    poa_->the_POAManager()->activate();
    place_ = seen_by_client(servant_->_this());
    if (GetParam().dynamic) {
      const auto bridge = CORBA::make_reference<Bridge>(ObjectRef(place_));
      place_ = seen_by_client(poa_->id_to_reference(poa_->activate_object(bridge)));
    }
  }
  ~DynamicCalls() override { client_->destroy(); }

  PlaceRef seen_by_client(const ObjectRef& object) {
    if (!GetParam().remote) return IDL::traits<Calls::Place>::narrow(object);
    return IDL::traits<Calls::Place>::narrow(client_->string_to_object(orb_->object_to_string(object)));
  }
  CORBA::object_reference<CORBA::Request> request(const std::string& operation) {
    Signature signature = signature_of(operation);
    auto made = place_->_request(operation);
    made->set_return_type(signature.result);
    made->exceptions() = signature.exceptions;
    return made;
  }
  CORBA::object_reference<CORBA::Request> join(const std::string& text, std::int32_t count) {
    auto made = request("join");
    made->add_in_arg("text") <<= text;
    made->add_inout_arg("count") <<= count;
    made->add_out_arg(Calls::_tc_Point, "where");
    return made;
  }

  IDL::traits<CORBA::ORB>::ref_type client_ = CORBA::ORB_init(arguments_, "dynamic-client");
  PoaRef poa_ = initial<PortableServer::POA>("RootPOA");
  CORBA::servant_traits<Calls::Place>::ref_type servant_ = CORBA::make_reference<Place>();
  PlaceRef place_;
};

INSTANTIATE_TEST_SUITE_P(All, DynamicCalls,
                         ::testing::Values(Setup{"CollocatedStatic", false, false},
                                           Setup{"CollocatedDynamic", false, true}, Setup{"RemoteStatic", true, false},
                                           Setup{"RemoteDynamic", true, true}),
                         [](const auto& setup) { return setup.param.name; });

TEST_P(DynamicCalls, StubsReachTheServant) {
  std::int32_t count = 4;
  Calls::Point where;
  EXPECT_EQ(place_->join("text", count, where), "text!");
  EXPECT_EQ(count, 5);
  EXPECT_TRUE(where == Calls::Point(1, -4));
  place_->nothing();
  place_->level(12);
  EXPECT_EQ(place_->level(), 12);
  EXPECT_TRUE(place_->self()->_is_equivalent(servant_->_this()));
  Any any;
  any <<= Calls::Point(3, 4);
  EXPECT_TRUE(place_->pass(any) == any);
}

TEST_P(DynamicCalls, StubsGetExceptionsThatDynamicServantsThrowOrHold) {
  for (const std::string how : {"thrown", "held"}) {
    std::int32_t count = 0;
    Calls::Point where;
    try {
      place_->join(how, count, where);
      FAIL();
    } catch (const Calls::Oops& oops) {
      EXPECT_EQ(oops.why(), how);
      EXPECT_TRUE(oops.where() == Calls::Point(1, 2));
    }
  }
}

TEST_P(DynamicCalls, StubsGetExceptionsWithTheirTypes) {
  std::int32_t count = 0;
  Calls::Point where;
  try {
    place_->join("oops", count, where);
    FAIL();
  } catch (const Calls::Oops& oops) {
    EXPECT_EQ(oops.why(), "because");
    EXPECT_TRUE(oops.where() == Calls::Point(7, 8));
  }
  EXPECT_THROW(place_->join("unlisted", count, where), CORBA::UNKNOWN);
  try {
    place_->join("system", count, where);
    FAIL();
  } catch (const CORBA::NO_PERMISSION& refusal) {
    EXPECT_EQ(refusal.minor(), 77U);
    EXPECT_EQ(refusal.completed(), CORBA::CompletionStatus::COMPLETED_YES);
  }
}

TEST_P(DynamicCalls, EveryObjectSaysWhatItIs) {
  EXPECT_TRUE(place_->_is_a(kPlaceId));
  EXPECT_FALSE(place_->_is_a("IDL:corbel.test/Calls/Elsewhere:1.0"));
  EXPECT_EQ(place_->_repository_id(), kPlaceId);
  EXPECT_FALSE(place_->_non_existent());
}

TEST_P(DynamicCalls, RequestsBringBackResultsAndArguments) {
  const auto made = join("text", 4);
  made->invoke();
  std::string result;
  ASSERT_TRUE(made->return_value() >>= result);
  EXPECT_EQ(result, "text!");
  std::int32_t count = 0;
  Calls::Point where;
  ASSERT_TRUE((made->arguments()[1].value >>= count) && (made->arguments()[2].value >>= where));
  EXPECT_EQ(count, 5);
  EXPECT_TRUE(where == Calls::Point(1, -4));
  EXPECT_TRUE(made->target()->_is_equivalent(place_));
}

TEST_P(DynamicCalls, RequestsAreMadeFromLists) {
  Any value;
  value <<= Calls::Point(3, 4);
  CORBA::NVList arguments;
  Any wrapped;
  wrapped <<= value;
  arguments.add_value("value", wrapped, CORBA::ARG_IN);
  const auto made = place_->_create_request("pass", arguments, {"", Any(CORBA::_tc_any, nullptr), CORBA::ARG_OUT});
  made->invoke();
  Any back;
  ASSERT_TRUE(made->return_value() >>= back);
  EXPECT_TRUE(back == value);
}

TEST_P(DynamicCalls, RequestsCarryReferencesAndAttributes) {
  const auto set = request("_set_level");
  set->add_in_arg() <<= std::int32_t{5};
  set->invoke();
  const auto self = request("self");
  self->invoke();
  PlaceRef place;
  ASSERT_TRUE(self->return_value() >>= place);
  EXPECT_EQ(place->level(), 5);
  const auto get = place->_request("_get_level");
  get->set_return_type(CORBA::_tc_long);
  get->invoke();
  std::int32_t level = 0;
  EXPECT_TRUE(get->return_value() >>= level);
  EXPECT_EQ(level, 5);
}

TEST_P(DynamicCalls, RequestsServeOperationsOfEveryObject) {
  const auto made = place_->_request("_is_a");
  made->add_in_arg() <<= std::string(kPlaceId);
  made->set_return_type(CORBA::_tc_boolean);
  made->invoke();
  bool result = false;
  EXPECT_TRUE((made->return_value() >>= result) && result);
  for (const char* spelling : {"_non_existent", "_not_existent"}) {  // the second is that of GIOP 1.0 (part 2, 9.4.2)
    const auto asked = place_->_request(spelling);
    asked->set_return_type(CORBA::_tc_boolean);
    asked->invoke();
    result = true;
    EXPECT_TRUE((asked->return_value() >>= result) && !result) << spelling;
  }
}

TEST_P(DynamicCalls, RequestsGetUserExceptionsAsAnys) {
  try {
    join("oops", 0)->invoke();
    FAIL();
  } catch (const CORBA::UnknownUserException& unknown) {
    Calls::Oops oops;
    ASSERT_TRUE(unknown.exception() >>= oops);
    EXPECT_EQ(oops.why(), "because");
    EXPECT_TRUE(unknown.exception().type()->equal(Calls::_tc_Oops));
  }
  const auto unprepared = join("oops", 0);
  unprepared->exceptions().clear();
  try {
    unprepared->invoke();
    FAIL();
  } catch (const CORBA::UNKNOWN& unknown) {
    EXPECT_EQ(unknown.minor(), minor::kUnlistedUserException);
  }
  EXPECT_THROW(join("system", 0)->invoke(), CORBA::NO_PERMISSION);
  EXPECT_THROW(place_->_request("unheard_of")->invoke(), CORBA::BAD_OPERATION);
}

TEST_P(DynamicCalls, DeferredRequestsAreFinishedLater) {
  const auto first = join("first", 1), second = join("second", 2);
  Any& count = first->arguments()[1].value;
  first->send_deferred();
  first->arguments().add_value("too late", count, CORBA::ARG_IN);
  second->send_deferred();
  EXPECT_EQ(place_->level(), 0);
  while (!second->poll_response()) std::this_thread::yield();
  second->get_response();
  first->get_response();
  std::string result;
  std::int32_t number = 0;
  ASSERT_TRUE((first->return_value() >>= result) && (count >>= number));
  EXPECT_EQ(result, "first!");
  EXPECT_EQ(number, 2);
  ASSERT_TRUE(second->return_value() >>= result);
  EXPECT_EQ(result, "second!");
  EXPECT_TRUE(first->arguments()[3].value.type()->equal(CORBA::_tc_long)) << "as it was added";
}

TEST_P(DynamicCalls, DeferredRequestsRaiseWhenTheyAreFinished) {
  const auto oops = join("oops", 0), system = join("system", 0);
  oops->send_deferred();
  system->send_deferred();
  EXPECT_THROW(oops->get_response(), CORBA::UnknownUserException);
  EXPECT_THROW(system->get_response(), CORBA::NO_PERMISSION);
}

TEST_P(DynamicCalls, ForgottenRequestsDoNoHarm) {
  for (int i = 0; i < 20; ++i) join("forgotten", i)->send_deferred();
  place_->nothing();
}

template <class Action>
std::uint32_t order_minor(const Action& action) {
  try {
    action();
  } catch (const CORBA::BAD_INV_ORDER& refusal) {
    return refusal.minor();
  }
  return 0;
}

TEST_P(DynamicCalls, ResponsesAreTakenOnceAndInOrder) {
  const auto fresh = request("nothing");
  EXPECT_EQ(order_minor([&] { fresh->get_response(); }), minor::kRequestNotSent);
  EXPECT_EQ(order_minor([&] { fresh->poll_response(); }), minor::kRequestNotSent);
  fresh->send_deferred();
  EXPECT_EQ(order_minor([&] { fresh->invoke(); }), minor::kRequestSentTwice);
  fresh->get_response();
  EXPECT_EQ(order_minor([&] { fresh->get_response(); }), minor::kResultTakenTwice);
  const auto synchronous = request("nothing");
  synchronous->invoke();
  EXPECT_EQ(order_minor([&] { synchronous->get_response(); }), minor::kRequestNotDeferred);
}

TEST_P(DynamicCalls, OnewaysArrive) {
  const auto made = request("fire");
  made->add_in_arg() <<= std::int32_t{3};
  made->send_oneway();
  place_->fire(4);
  // Requests on one connection arrive in order; those to the bridge may go on over another.
  while (place_->level() != 7) std::this_thread::yield();
}

TEST_P(DynamicCalls, WrongArgumentsAreRefused) {
  const auto wrong = request("join");
  wrong->add_in_arg() <<= std::int32_t{1};
  EXPECT_THROW(wrong->invoke(), CORBA::MARSHAL);
  const auto empty = request("join");
  empty->add_in_arg("text");
  EXPECT_THROW(empty->invoke(), CORBA::BAD_PARAM);
  const auto made = request("nothing");
  made->invoke();
  try {
    made->invoke();
    FAIL();
  } catch (const CORBA::BAD_INV_ORDER& twice) {
    EXPECT_EQ(twice.minor(), minor::kRequestSentTwice);
  }
  const auto bad_list = request("nothing");
  bad_list->exceptions() = {CORBA::_tc_long};
  EXPECT_THROW(bad_list->invoke(), CORBA::BAD_TYPECODE);
}

TEST_F(WithOrb, OnewaysIgnoreWhatAnswersThem) {
  const auto poa = initial<PortableServer::POA>("RootPOA");
  poa->the_POAManager()->activate();
  const auto servant = CORBA::make_reference<Place>();
  const std::string reference = orb_->object_to_string(servant->_this());
  for (const std::string scope : {"server", "target"}) {
    std::vector<std::string> arguments{"test", "-ORBSyncScope", scope};
    const auto client = CORBA::ORB_init(arguments, "dynamic-" + scope);
    const auto made = client->string_to_object(reference)->_request("_get_level");
    made->set_return_type(CORBA::_tc_long);
    EXPECT_NO_THROW(made->send_oneway()) << scope;
    client->destroy();
  }
}

TEST_F(WithOrb, LocalObjectsTakeNoRequests) {
  EXPECT_THROW(orb_->resolve_initial_references("CodecFactory")->_request("create_codec"), CORBA::NO_IMPLEMENT);
}

}  // namespace
}  // namespace corbel::dynamic
