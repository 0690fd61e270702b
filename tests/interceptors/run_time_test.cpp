// SPDX-License-Identifier: Apache-2.0
// Arguments, results and exceptions as interceptors are told of them, where they are Anys: of dynamic invocation and
// dynamic servants (CORBA 3.3 part 1, 16.3.12).
#include <gtest/gtest.h>

#include "corbel/dynamic/dynamic_implementation.hpp"
#include "corbel/dynamic/request.hpp"
#include "interceptors_any.hpp"
#include "support.hpp"

namespace corbel::interceptors_test {
namespace {

/// "in:what out:- inout:what", and for each what the Any has.
std::string told_of(const Dynamic::ParameterList& parameters) {
  constexpr const char* kModes[] = {"in:", "out:", "inout:"};
  std::string text;
  for (const Dynamic::Parameter& one : parameters) {
    const bool none = one.argument().type()->kind() == CORBA::TCKind::tk_null;
    text += kModes[static_cast<int>(one.mode())] + (none ? "-" : text_in(one.argument())) + ' ';
  }
  return text;
}

/// Answers "ask" with its question and its arguments changed.
class Changes final : public PortableServer::DynamicImplementation {
 public:
  void invoke(IDL::traits<CORBA::ServerRequest>::ref_type request) override {
    CORBA::NVList types;
    types.add_type("question", CORBA::_tc_string, CORBA::ARG_IN);
    if (request->operation() == "change") {
      types.add_type("more", CORBA::_tc_string, CORBA::ARG_INOUT);
      types.add_type("back", CORBA::_tc_string, CORBA::ARG_OUT);
    }
    auto& arguments = request->arguments(types);
    if (request->operation() == "refuse") throw Watched::Refused();
    if (arguments.size() == 1) return;
    arguments[1].value = any_with("changed");
    arguments[2].value = any_with("new");
    request->set_result(any_with("result"));
  }
  CORBA::RepositoryId _primary_interface(const PortableServer::ObjectId&,
                                         IDL::traits<PortableServer::POA>::ref_type) override {
    return "IDL:Watched/Thing:1.0";
  }
};

class RunTime : public ::testing::TestWithParam<bool> {
 protected:
  RunTime() {
    client_->set("send_request", [this](const ClientInfoRef& info) {
      sent_ = told_of(info->arguments());
      exceptions_ = info->exceptions().size();
      unavailable_ = ending_of([&] { info->contexts(); });
    });
    client_->set("receive_reply", [this](const ClientInfoRef& info) {
      received_ = told_of(info->arguments()) + "= " + result_in(info->result());
    });
    client_->set("receive_exception", [this](const ClientInfoRef& info) { exceptions_ += info->exceptions().size(); });
    server_->set("receive_request",
                 [this](const ServerInfoRef& info) { before_ = ending_of([&] { info->arguments(); }); });
    server_->set("send_reply", [this](const ServerInfoRef& info) {
      replied_ = told_of(info->arguments()) + "= " + result_in(info->result());
      unknown_ = ending_of([&] { info->exceptions(); });
    });
    const auto object = server_orb_.root()->servant_to_reference(CORBA::make_reference<Changes>());
    object_ = GetParam() ? client_orb_->string_to_object(server_orb_->object_to_string(object)) : object;
  }
  static std::string result_in(const CORBA::Any& result) {
    return result.type()->kind() == CORBA::TCKind::tk_void ? "void" : text_in(result);
  }
  IDL::traits<CORBA::Request>::ref_type change() {
    const auto request = object_->_request("change");
    request->add_in_arg() <<= std::string("question");
    request->add_inout_arg() <<= std::string("more");
    request->add_out_arg(CORBA::_tc_string);
    request->set_return_type(CORBA::_tc_string);
    return request;
  }

  Story story_;
  CORBA::object_reference<ClientWatch> client_ = CORBA::make_reference<ClientWatch>("C", story_);
  CORBA::object_reference<ServerWatch> server_ = CORBA::make_reference<ServerWatch>("S", story_);
  Orb server_orb_{GetParam() ? Parts{.servers = {server_}} : Parts{.clients = {client_}, .servers = {server_}}};
  Orb client_orb_{Parts{.clients = {client_}}};
  ObjectRef object_;
  std::string sent_, received_, replied_, unavailable_, before_, unknown_;
  std::size_t exceptions_ = 0;
};

TEST_P(RunTime, ArgumentsAndResultAreKnownOfRequestsAndDynamicServants) {
  change()->invoke();
  EXPECT_EQ(sent_, "in:question inout:more out:- ");
  EXPECT_EQ(received_, "in:question inout:changed out:new = result");
  EXPECT_EQ(replied_, "in:question inout:changed out:new = result");
  EXPECT_EQ(unavailable_, "NO_RESOURCES NO 1");
  EXPECT_EQ(before_, "NO_RESOURCES NO 1") << "the servant has not said yet what they are";
  EXPECT_EQ(unknown_, "NO_RESOURCES NO 1") << "what the servant may raise";
}

TEST_P(RunTime, AVoidResultIsAnAnyOfVoid) {
  const auto request = object_->_request("note");
  request->add_in_arg() <<= std::string("question");
  request->invoke();
  EXPECT_EQ(received_, "in:question = void");
  EXPECT_EQ(replied_, "in:question = void");
}

TEST_P(RunTime, ExceptionsAreThoseThatTheRequestNames) {
  const auto request = object_->_request("refuse");
  request->add_in_arg() <<= std::string("question");
  request->exceptions().push_back(Watched::_tc_Refused);
  EXPECT_EQ(ending_of([&] { request->invoke(); }), "UnknownUserException");
  EXPECT_EQ(exceptions_, 2U) << "one at each point";
}

TEST_P(RunTime, OfADeferredRequestTheyAreKnownWhenItIsSent) {
  const auto request = change();
  request->send_deferred();
  request->get_response();
  EXPECT_EQ(sent_, "in:question inout:more out:- ");
  EXPECT_EQ(replied_, "in:question inout:changed out:new = result");
}

INSTANTIATE_TEST_SUITE_P(Ways, RunTime, ::testing::Bool());

TEST(GeneratedCode, KeepsArgumentsToItself) {
  Story story;
  const auto client = CORBA::make_reference<ClientWatch>("C", story);
  std::string endings;
  client->set("receive_reply", [&](const ClientInfoRef& info) {
    endings = ending_of([&] { info->arguments(); }) + ", " + ending_of([&] { info->result(); });
  });
  const Orb orb(Parts{.clients = {client}});
  test::FakePeer peer({test::answer::text("well")});
  orb.thing(peer.ior())->ask("");
  EXPECT_EQ(endings, "NO_RESOURCES NO 1, NO_RESOURCES NO 1");
}

}  // namespace
}  // namespace corbel::interceptors_test
