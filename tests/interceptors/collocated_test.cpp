// SPDX-License-Identifier: Apache-2.0
// A call that stays in the process is seen as one over the wire: the client's side, then the server's (16.3).
#include <gtest/gtest.h>

#include "corbel/dynamic/request.hpp"
#include "corbel/dynamic/type_factory.hpp"
#include "corbel/ior/ior.hpp"
#include "support.hpp"

namespace corbel::interceptors_test {
namespace {

class Collocated : public ::testing::Test {
 protected:
  Collocated() {
    servant_ = CORBA::make_reference<Servant>();
    thing_ = IDL::traits<Watched::Thing>::narrow(orb_.root()->servant_to_reference(servant_));
    story_.take();
  }
  Story story_;
  CORBA::object_reference<ClientWatch> c_ = CORBA::make_reference<ClientWatch>("C", story_);
  CORBA::object_reference<ServerWatch> s_ = CORBA::make_reference<ServerWatch>("S", story_);
  Orb orb_{Parts{.clients = {c_}, .servers = {s_}}};
  CORBA::servant_reference<Servant> servant_;
  ThingRef thing_;
};

TEST_F(Collocated, CallsPassBothSides) {
  EXPECT_EQ(thing_->ask("you"), "answer to you");
  EXPECT_EQ(story_.take(), "C.send_request S.contexts S.receive_request S.send_reply C.receive_reply");
  EXPECT_EQ(ending_of([&] { thing_->ask("refuse"); }), "Refused");
  EXPECT_EQ(story_.take(), "C.send_request S.contexts S.receive_request S.send_exception C.receive_exception");
  EXPECT_EQ(ending_of([&] { thing_->ask("fail"); }), "NO_PERMISSION MAYBE");
  thing_->note(5);
  EXPECT_EQ(servant_->noted, 5);
}

TEST_F(Collocated, OnewaysHaveNoReplyForTheClient) {
  thing_->note(5);
  EXPECT_EQ(story_.take(), "C.send_request S.contexts S.receive_request S.send_reply C.receive_other");
  EXPECT_EQ(servant_->noted, 5);
}

TEST_F(Collocated, OnewaysThatWereExecutedAreNotMadeAgain) {
  test::FakePeer other({test::answer::text("elsewhere")});
  const auto elsewhere = orb_->string_to_object(other.ior());
  c_->set("receive_other", [&](const ClientInfoRef&) { throw PI::ForwardRequest(elsewhere); });
  thing_->note(6);
  EXPECT_EQ(servant_->noted, 6);
  c_->set("receive_other", [](const ClientInfoRef&) { throw CORBA::NO_PERMISSION(); });
  EXPECT_EQ(ending_of([&] { thing_->note(7); }), "NO_PERMISSION MAYBE");
  EXPECT_EQ(servant_->noted, 7);
  c_->set("receive_other", [](const ClientInfoRef&) {});
  EXPECT_EQ(orb_.thing(other.ior())->ask(""), "elsewhere");  // and that is the first request there
  EXPECT_EQ(other.requests(), 1U);
}

TEST_F(Collocated, WhatTheAdapterRefusesIsSeenToGoOn) {
  test::FakePeer other({test::answer::text("elsewhere")});
  ior::Ior ior = thing_->_target()->ior();
  const auto elsewhere = orb_->string_to_object(other.ior());
  for (const auto& profile : elsewhere->_target()->ior().profiles) ior.profiles.push_back(profile);
  auto& context = static_cast<corba::OrbContext&>(thing_->_target()->context());
  const auto both = IDL::traits<Watched::Thing>::unchecked_narrow(context.make_object(ior));
  const auto manager = orb_.root()->the_POAManager();
  manager->discard_requests(false);
  std::vector<bool> same;
  c_->set("send_request", [&](const ClientInfoRef& info) { same.push_back(info->target()->_is_equivalent(both)); });
  EXPECT_EQ(both->ask(""), "elsewhere");
  EXPECT_EQ(story_.take(), "C.send_request S.contexts S.send_exception C.receive_other C.send_request C.receive_reply");
  EXPECT_EQ(same, std::vector<bool>(2, true));
  c_->set("receive_other", [](const ClientInfoRef&) { throw CORBA::NO_PERMISSION(); });
  EXPECT_EQ(ending_of([&] { both->ask(""); }), "NO_PERMISSION NO") << "an interceptor has the last word";
  EXPECT_EQ(other.requests(), 1U);
  manager->activate();
}

TEST_F(Collocated, RequestsMadeAtRunTimeGetTheExceptionsThatTheyList) {
  const auto request = thing_->_request("ask");
  request->add_in_arg() <<= std::string("refuse");
  request->set_return_type(CORBA::_tc_string);
  request->exceptions() = {orb_->create_exception_tc("IDL:Watched/Refused:1.0", "Refused", {})};
  std::string id;
  c_->set("receive_exception", [&](const ClientInfoRef& info) {
    id = info->received_exception_id();
    EXPECT_EQ(info->received_exception().type()->id(), id);
  });
  try {
    request->invoke();
    FAIL();
  } catch (const CORBA::UnknownUserException& unknown) {
    EXPECT_EQ(unknown.exception().type()->id(), "IDL:Watched/Refused:1.0");
  }
  EXPECT_EQ(id, "IDL:Watched/Refused:1.0");
}

TEST_F(Collocated, ServiceContextsAreHandedOver) {
  c_->set("send_request", [](const ClientInfoRef& info) { info->add_request_service_context(context(9, "to"), true); });
  std::string to;
  s_->set("contexts", [&](const ServerInfoRef& info) {
    to = text_of(info->get_request_service_context(9));
    info->add_reply_service_context(context(10, "back"), false);
  });
  std::string back;
  c_->set("receive_reply", [&](const ClientInfoRef& info) { back = text_of(info->get_reply_service_context(10)); });
  thing_->ask("");
  EXPECT_EQ(to + back, "toback");
}

TEST_F(Collocated, CallsAreForwardedAndRefusedByEitherSide) {
  test::FakePeer other({test::answer::text("elsewhere")});
  const auto forward = [&] { throw PI::ForwardRequest(orb_->string_to_object(other.ior())); };
  s_->set("contexts", [&](const ServerInfoRef&) { forward(); });
  EXPECT_EQ(thing_->ask(""), "elsewhere");
  EXPECT_EQ(story_.take(), "C.send_request S.contexts C.receive_other C.send_request C.receive_reply");
  s_->set("contexts", {[](const ServerInfoRef&) {}});
  s_->set("receive_request", [&](const ServerInfoRef&) { forward(); });
  EXPECT_EQ(thing_->ask(""), "elsewhere");
  EXPECT_EQ(story_.take(),
            "C.send_request S.contexts S.receive_request S.send_other C.receive_other C.send_request C.receive_reply");
  s_->set("receive_request", [](const ServerInfoRef&) { throw CORBA::NO_PERMISSION(); });
  EXPECT_EQ(ending_of([&] { thing_->ask(""); }), "NO_PERMISSION NO");
  EXPECT_EQ(story_.take(), "C.send_request S.contexts S.receive_request S.send_exception C.receive_exception");
}

TEST_F(Collocated, AsynchronousCallsPassBothSides) {
  EXPECT_EQ(thing_->async_ask("you").get(), "answer to you");
  EXPECT_EQ(story_.take(), "C.send_request S.contexts S.receive_request S.send_reply C.receive_reply");
}

TEST_F(Collocated, BuiltInOperationsAreSeenUnderTheirNames) {
  std::string name;
  s_->set("receive_request", [&](const ServerInfoRef& info) { name = info->operation(); });
  EXPECT_EQ(thing_->_repository_id(), "IDL:Watched/Thing:1.0");
  EXPECT_EQ(name, "_repository_id");
  EXPECT_FALSE(thing_->_non_existent());
  EXPECT_EQ(name, "_non_existent");
}

}  // namespace
}  // namespace corbel::interceptors_test
