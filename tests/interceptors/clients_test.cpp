// SPDX-License-Identifier: Apache-2.0
// Client interceptors and remote objects: points, their order, exceptions between them (CORBA 3.3 part 1, 16.3).
#include <gtest/gtest.h>

#include "corbel/corba/messaging_policies.hpp"
#include "corbel/mapping/with_policies.hpp"
#include "support.hpp"

namespace corbel::interceptors_test {
namespace {

using test::FakePeer;
namespace answer = test::answer;

/// Two client interceptors, A before B.
class Clients : public ::testing::Test {
 protected:
  Story story_;
  CORBA::object_reference<ClientWatch> a_ = CORBA::make_reference<ClientWatch>("A", story_);
  CORBA::object_reference<ClientWatch> b_ = CORBA::make_reference<ClientWatch>("B", story_);
  Orb orb_{Parts{.clients = {a_, b_}}};

  static void raise(std::uint32_t minor, CORBA::CompletionStatus completed = CORBA::CompletionStatus::COMPLETED_MAYBE) {
    throw CORBA::NO_PERMISSION(CORBA::OMGVMCID | minor, completed);
  }
  void forward_to(const FakePeer& peer) { throw PI::ForwardRequest(orb_->string_to_object(peer.ior())); }
  static Watch<PI::ClientRequestInterceptor, ClientInfoRef>::Act raising(std::uint32_t minor) {
    return [minor](const ClientInfoRef&) { raise(minor); };
  }
};

/// Cannot be sent.
class Unwilling : public virtual IDL::traits<Watched::Packet>::obv_type {
 public:
  void marshal(IDL::traits<CORBA::DataOutputStream>::ref_type) override { throw CORBA::NO_PERMISSION(); }
  void unmarshal(IDL::traits<CORBA::DataInputStream>::ref_type) override {}
};

constexpr const char* kSent = "A.send_request B.send_request";

TEST_F(Clients, AreCalledInTheirOrderAndThenInReverse_16_3_2) {
  FakePeer peer({answer::text("well")});
  EXPECT_EQ(orb_.thing(peer.ior())->ask("how"), "well");
  EXPECT_EQ(story_.take(), std::string(kSent) + " B.receive_reply A.receive_reply");
}

TEST_F(Clients, AreToldOfUserAndSystemExceptions_16_3_5_4) {
  FakePeer peer({answer::user_exception("IDL:Watched/Refused:1.0"), answer::system_exception("NO_PERMISSION", 0, 9)});
  std::vector<std::string> ids;
  std::vector<PI::ReplyStatus> statuses;
  a_->set("receive_exception", [&](const ClientInfoRef& info) {
    ids.push_back(info->received_exception_id());
    statuses.push_back(info->reply_status());
    if (statuses.back() == PI::SYSTEM_EXCEPTION) {
      CORBA::NO_PERMISSION received;
      EXPECT_TRUE(info->received_exception() >>= received);
      EXPECT_EQ(received.minor(), 9U);
    } else {
      EXPECT_EQ(info->received_exception().type()->id(), "IDL:Watched/Refused:1.0");
    }
  });
  const ThingRef thing = orb_.thing(peer.ior());
  EXPECT_EQ(ending_of([&] { thing->ask(""); }), "Refused");
  EXPECT_EQ(story_.take(), std::string(kSent) + " B.receive_exception A.receive_exception");
  EXPECT_EQ(ending_of([&] { thing->ask(""); }), "NO_PERMISSION YES");
  EXPECT_EQ(story_.take(), std::string(kSent) + " B.receive_exception A.receive_exception");
  EXPECT_EQ(ids, (std::vector<std::string>{"IDL:Watched/Refused:1.0", "IDL:omg.org/CORBA/NO_PERMISSION:1.0"}));
  EXPECT_EQ(statuses, (std::vector<PI::ReplyStatus>{PI::USER_EXCEPTION, PI::SYSTEM_EXCEPTION}));
}

TEST_F(Clients, AreToldThatAOnewayHasLeftWhateverItsScope_16_3_5_5) {
  FakePeer peer({answer::nothing(), answer::done()});
  bool expected = true;
  PI::ReplyStatus status = PI::UNKNOWN;
  a_->set("receive_other", [&](const ClientInfoRef& info) {
    expected = info->response_expected();
    status = info->reply_status();
  });
  const ThingRef thing = orb_.thing(peer.ior());
  thing->note(1);
  EXPECT_EQ(story_.take(), std::string(kSent) + " B.receive_other A.receive_other");
  EXPECT_FALSE(expected);
  EXPECT_EQ(status, PI::SUCCESSFUL);
  with_policies(thing, {CORBA::make_reference<Messaging::SyncScopePolicy>(Messaging::SYNC_WITH_TARGET)})->note(2);
  EXPECT_EQ(story_.take(), std::string(kSent) + " B.receive_other A.receive_other");
}

TEST_F(Clients, AreToldOfAForwardAndAskedAgain_16_3_5_5) {
  FakePeer other({answer::text("here")});
  FakePeer peer({answer::forward({other.profile()})});
  std::string to;
  a_->set("receive_other", [&](const ClientInfoRef& info) {
    EXPECT_EQ(info->reply_status(), PI::LOCATION_FORWARD);
    to = orb_->object_to_string(info->forward_reference());
  });
  const auto own = [&](const FakePeer& there) { return orb_->object_to_string(orb_->string_to_object(there.ior())); };
  std::vector<std::string> effective;
  b_->set("send_request", [&](const ClientInfoRef& info) {
    effective.push_back(orb_->object_to_string(info->effective_target()));
    EXPECT_EQ(orb_->object_to_string(info->target()), own(peer));
  });
  EXPECT_EQ(orb_.thing(peer.ior())->ask(""), "here");
  const std::string sent(kSent);
  EXPECT_EQ(story_.take(), sent + " B.receive_other A.receive_other " + sent + " B.receive_reply A.receive_reply");
  EXPECT_EQ(to, own(other));
  EXPECT_EQ(effective, (std::vector<std::string>{own(peer), own(other)}));
}

TEST_F(Clients, AreToldThatARequestIsSentAgain_16_3_5_5) {
  FakePeer peer({answer::close_connection(), answer::text("again")});
  PI::ReplyStatus status = PI::UNKNOWN;
  a_->set("receive_other", [&](const ClientInfoRef& info) { status = info->reply_status(); });
  EXPECT_EQ(orb_.thing(peer.ior())->ask(""), "again");
  EXPECT_EQ(story_.take(),
            std::string(kSent) + " B.receive_other A.receive_other " + kSent + " B.receive_reply A.receive_reply");
  EXPECT_EQ(status, PI::TRANSPORT_RETRY);
}

TEST_F(Clients, AreToldThatThereIsNoConnection_16_3_5_4) {
  const test::RefusingPort nowhere;
  EXPECT_EQ(ending_of([&] { orb_.thing(test::ior_string({nowhere.profile()}))->ask(""); }), "TRANSIENT NO");
  EXPECT_EQ(story_.take(), std::string(kSent) + " B.receive_exception A.receive_exception");
}

TEST_F(Clients, ThatRaiseInSendRequestAreNotToldNorAreThoseAfterThem_16_3_2_1) {
  FakePeer peer({answer::text("")});
  b_->set("send_request", raising(4));
  EXPECT_EQ(ending_of([&] { orb_.thing(peer.ior())->ask(""); }), "NO_PERMISSION NO 4");
  EXPECT_EQ(story_.take(), std::string(kSent) + " A.receive_exception");
  a_->set("send_request", raising(5));
  EXPECT_EQ(ending_of([&] { orb_.thing(peer.ior())->ask(""); }), "NO_PERMISSION NO 5");
  EXPECT_EQ(story_.take(), "A.send_request");
  EXPECT_EQ(peer.requests(), 0U);
}

TEST_F(Clients, ThatRaiseInReceiveReplyMakeTheCallFailCompleted_16_3_5_3) {
  FakePeer peer({answer::text("")});
  b_->set("receive_reply", raising(4));
  EXPECT_EQ(ending_of([&] { orb_.thing(peer.ior())->ask(""); }), "NO_PERMISSION YES 4");
  EXPECT_EQ(story_.take(), std::string(kSent) + " B.receive_reply A.receive_exception");
}

TEST_F(Clients, ThatRaiseInReceiveExceptionReplaceItAndTheLastIsRaised_16_3_5_4) {
  FakePeer peer({answer::system_exception("NO_RESOURCES", 2), answer::user_exception("IDL:Watched/Refused:1.0")});
  b_->set("receive_exception", raising(4));
  std::string seen;
  a_->set("receive_exception", [&](const ClientInfoRef& info) {
    seen = info->received_exception_id();
    raise(5);
  });
  EXPECT_EQ(ending_of([&] { orb_.thing(peer.ior())->ask(""); }), "NO_PERMISSION MAYBE 5");
  EXPECT_EQ(seen, "IDL:omg.org/CORBA/NO_PERMISSION:1.0");
  EXPECT_EQ(ending_of([&] { orb_.thing(peer.ior())->ask(""); }), "NO_PERMISSION YES 5");  // the user's was
}

TEST_F(Clients, ThatRaiseInReceiveOtherMakeTheCallFail_16_3_5_5) {
  FakePeer other({answer::text("here")});
  FakePeer peer({answer::forward({other.profile()})});
  b_->set("receive_other", raising(4));
  EXPECT_EQ(ending_of([&] { orb_.thing(peer.ior())->ask(""); }), "NO_PERMISSION NO 4");
  EXPECT_EQ(story_.take(), std::string(kSent) + " B.receive_other A.receive_exception");
  EXPECT_EQ(other.requests(), 0U);
}

TEST_F(Clients, CannotHaveAOnewayThatHasLeftSentAgain_16_3_5_5) {
  FakePeer other({answer::nothing(), answer::text("elsewhere")});
  FakePeer peer({answer::nothing(), answer::text("here"), answer::nothing()});
  b_->set("receive_other", [&](const ClientInfoRef&) { forward_to(other); });
  const ThingRef thing = orb_.thing(peer.ior());
  thing->note(1);
  EXPECT_EQ(story_.take(), std::string(kSent) + " B.receive_other A.receive_other");
  EXPECT_EQ(thing->ask(""), "here");
  EXPECT_EQ(peer.requests(), 2U);
  EXPECT_EQ(other.requests(), 0U);
  b_->set("receive_other", raising(4));
  EXPECT_EQ(ending_of([&] { thing->note(1); }), "NO_PERMISSION MAYBE 4");  // it may have been executed
}

TEST_F(Clients, ThatForwardInSendRequestStartANewRequestElsewhere_16_3_6) {
  FakePeer other({answer::text("elsewhere")});
  FakePeer peer({answer::text("here")});
  b_->set("send_request", [&, first = true](const ClientInfoRef&) mutable {
    if (std::exchange(first, false)) forward_to(other);
  });
  PI::ReplyStatus status = PI::UNKNOWN;
  a_->set("receive_other", [&](const ClientInfoRef& info) { status = info->reply_status(); });
  EXPECT_EQ(orb_.thing(peer.ior())->ask(""), "elsewhere");
  EXPECT_EQ(story_.take(), std::string(kSent) + " A.receive_other " + kSent + " B.receive_reply A.receive_reply");
  EXPECT_EQ(status, PI::LOCATION_FORWARD);
  EXPECT_EQ(peer.requests(), 0U);
}

TEST_F(Clients, ThatForwardAOnewayNobodyWaitsForAreFollowed) {
  FakePeer other({answer::nothing()});
  FakePeer peer({answer::nothing()});
  const ThingRef thing =
      with_policies(orb_.thing(peer.ior()), {CORBA::make_reference<Messaging::SyncScopePolicy>(Messaging::SYNC_NONE)});
  CORBA::PolicyList unfit;
  EXPECT_TRUE(thing->_validate_connection(unfit));  // without a connection the first may be given up
  thing->note(1);
  EXPECT_TRUE(peer.wait_for_messages(1));
  for (std::size_t n = 1; n <= 2; ++n) {
    b_->set("send_request", [&, first = true](const ClientInfoRef&) mutable {
      if (std::exchange(first, false)) forward_to(other);
    });
    thing->note(2);
    EXPECT_TRUE(other.wait_for_messages(n));
  }
  EXPECT_EQ(peer.requests(), 1U);
}

TEST_F(Clients, ThatForwardForEverAreStopped) {
  FakePeer peer({answer::text("here")});
  b_->set("send_request", [&](const ClientInfoRef&) { forward_to(peer); });
  EXPECT_EQ(ending_of([&] { orb_.thing(peer.ior())->ask(""); }).substr(0, 9), "TRANSIENT");
  EXPECT_EQ(peer.requests(), 0U);
}

TEST_F(Clients, ThatForwardToNothingEndTheCall) {
  FakePeer peer({answer::text("here"), answer::system_exception("NO_PERMISSION", 1)});
  const ThingRef thing = orb_.thing(peer.ior());
  b_->set("send_request", [](const ClientInfoRef&) { throw PI::ForwardRequest(nullptr); });
  EXPECT_EQ(ending_of([&] { thing->ask(""); }), "INV_OBJREF NO");
  EXPECT_EQ(peer.requests(), 0U);
  b_->set("send_request", [](const ClientInfoRef&) {});
  b_->set("receive_reply", [](const ClientInfoRef&) { throw PI::ForwardRequest(nullptr); });
  EXPECT_EQ(ending_of([&] { thing->ask(""); }), "INV_OBJREF YES");
}

// A client that counts it once more gets no further with a limit of one.
TEST_F(Clients, ThatLeaveAForwardAsItIsDoNotMakeItTwo) {
  FakePeer other({answer::text("there")});
  FakePeer peer({answer::forward({other.profile()})});
  const Orb orb(Parts{.clients = {a_}}, {"-ORBForwardLimit", "1"});
  EXPECT_EQ(orb.thing(peer.ior())->ask(""), "there");
}

TEST_F(Clients, ReadNoServiceContextsOfTheReplyBefore_16_3_12) {
  const test::RefusingPort nowhere;
  FakePeer peer({[&](test::Conversation& conversation, const test::Received& request) {
    test::Writer writer;
    writer.giop(test::kReply, 2).u32(request.request_id).u32(3).u32(1).u32(0x4142).octets(test::octets_of("hello"));
    writer.align(8);
    test::write_ior(writer, {nowhere.profile()});
    conversation.send(writer.finish());
  }});
  std::string seen;
  a_->set("receive_other", [&](const ClientInfoRef& info) { seen = text_of(info->get_reply_service_context(0x4142)); });
  a_->set("receive_exception", [&](const ClientInfoRef& info) {
    seen += ", then " + ending_of([&] { info->get_reply_service_context(0x4142); });
  });
  EXPECT_EQ(ending_of([&] { orb_.thing(peer.ior())->ask(""); }), "TRANSIENT NO");
  EXPECT_EQ(seen, "hello, then BAD_PARAM NO 26");
}

TEST_F(Clients, MayForwardInReceiveExceptionOnlyWhatWasNotExecuted_16_3_5_4) {
  FakePeer other({answer::text("elsewhere")});
  FakePeer peer({answer::system_exception("NO_PERMISSION", 1), answer::system_exception("NO_PERMISSION", 2)});
  b_->set("receive_exception", [&](const ClientInfoRef&) { forward_to(other); });
  const std::string reference = peer.ior();
  EXPECT_EQ(orb_.thing(reference)->ask(""), "elsewhere");
  EXPECT_EQ(story_.take(),
            std::string(kSent) + " B.receive_exception A.receive_other " + kSent + " B.receive_reply A.receive_reply");
  EXPECT_EQ(ending_of([&] { orb_.thing(reference)->ask(""); }), "NO_PERMISSION MAYBE");
}

TEST_F(Clients, MayForwardACallThatWasGivenUp) {
  FakePeer peer({answer::system_exception("TRANSIENT", 1, 17)});
  int forwarded = 0;
  b_->set("receive_exception", [&](const ClientInfoRef&) {
    if (forwarded++ == 0) forward_to(peer);
  });
  EXPECT_EQ(ending_of([&] { orb_.thing(peer.ior())->ask(""); }), "TRANSIENT NO");
}

TEST_F(Clients, ThatThrowSomethingElseEndTheCallInUnknown3) {
  FakePeer peer({answer::text("")});
  b_->set("send_request", [](const ClientInfoRef&) { throw Watched::Refused(); });
  EXPECT_EQ(ending_of([&] { orb_.thing(peer.ior())->ask(""); }), "UNKNOWN NO 3");
  b_->set("send_request", [](const ClientInfoRef&) { throw 1; });
  EXPECT_EQ(ending_of([&] { orb_.thing(peer.ior())->ask(""); }), "UNKNOWN NO 3");
}

TEST_F(Clients, AddServiceContextsThatArriveAsTheyAre_16_3_13) {
  FakePeer peer({answer::close_connection(), answer::text("")});
  a_->set("send_request", [&](const ClientInfoRef& info) {
    EXPECT_EQ(ending_of([&] { info->get_request_service_context(0x4142); }),
              "BAD_PARAM NO 26");  // also the second time
    info->add_request_service_context(context(0x4142, "first"), false);
    EXPECT_EQ(ending_of([&] { info->add_request_service_context(context(0x4142, "no"), false); }),
              "BAD_INV_ORDER NO 15");
    EXPECT_EQ(text_of(info->get_request_service_context(0x4142)), "first");
  });
  b_->set("send_request", [](const ClientInfoRef& info) {
    info->add_request_service_context(context(0x4142, "second"), true);
    info->add_request_service_context(context(0x4143, "third"), true);
  });
  orb_.thing(peer.ior())->ask("");
  const auto last = peer.last();
  EXPECT_EQ(last.contexts, (std::vector<std::uint32_t>{0x4142, 0x4143, 1}));
  const std::string octets(last.octets.begin(), last.octets.end());
  EXPECT_NE(octets.find("second"), std::string::npos);
  EXPECT_NE(octets.find("third"), std::string::npos);
  EXPECT_EQ(octets.find("first"), std::string::npos);
}

TEST_F(Clients, ReadTheServiceContextsOfReplies_16_3_12) {
  FakePeer peer({[](test::Conversation& conversation, const test::Received& request) {
    test::Writer writer;
    writer.giop(test::kReply, 2).u32(request.request_id).u32(0).u32(1).u32(0x4142).octets(test::octets_of("hello"));
    conversation.send(writer.align(8).string("well").finish());
  }});
  std::string seen;
  a_->set("receive_reply", [&](const ClientInfoRef& info) {
    seen = text_of(info->get_reply_service_context(0x4142));
    EXPECT_EQ(ending_of([&] { info->get_reply_service_context(1); }), "BAD_PARAM NO 26");
  });
  EXPECT_EQ(orb_.thing(peer.ior())->ask(""), "well");
  EXPECT_EQ(seen, "hello");
}

TEST_F(Clients, AreInterceptedThemselvesWhenTheyCall) {
  FakePeer peer({answer::text("")});
  const ThingRef thing = orb_.thing(peer.ior());
  b_->set("send_request", [&, inside = false](const ClientInfoRef&) mutable {
    if (!std::exchange(inside, true)) thing->ask("");
  });
  thing->ask("");
  EXPECT_EQ(story_.take(),
            std::string(kSent) + " " + kSent + " B.receive_reply A.receive_reply" + " B.receive_reply A.receive_reply");
}

TEST_F(Clients, GiveEachRequestAnIdOfItsOwnAndKeepItToTheEnd_16_3_12) {
  FakePeer peer({answer::text("")});
  std::vector<std::uint32_t> ids;
  const auto note = [&](const ClientInfoRef& info) { ids.push_back(info->request_id()); };
  a_->set("send_request", note);
  b_->set("receive_reply", note);
  orb_.thing(peer.ior())->ask("");
  orb_.thing(peer.ior())->ask("");
  ASSERT_EQ(ids.size(), 4U);
  EXPECT_EQ(ids[0], ids[1]);
  EXPECT_EQ(ids[2], ids[3]);
  EXPECT_NE(ids[0], ids[2]);
}

TEST_F(Clients, AreToldOfAsynchronousCallsWhenTheyHaveLeft_16_3_7) {
  FakePeer peer({answer::text("later")});
  a_->set("send_request", [](const ClientInfoRef& info) { info->add_request_service_context(context(9, "x"), false); });
  auto future = orb_.thing(peer.ior())->async_ask("");
  EXPECT_EQ(story_.take(), std::string(kSent) + " B.receive_other A.receive_other");
  EXPECT_EQ(future.get(), "later");
  EXPECT_EQ(story_.take(), "");
  EXPECT_EQ(peer.last().contexts, (std::vector<std::uint32_t>{9, 1}));
}

TEST_F(Clients, AreToldOfAsynchronousCallsThatCannotBeMarshalled_16_3_2) {
  FakePeer peer({answer::text("")});
  std::string id;
  a_->set("receive_exception", [&](const ClientInfoRef& info) { id = info->received_exception_id(); });
  const auto packet = CORBA::make_reference<Unwilling>();
  EXPECT_EQ(ending_of([&] { orb_.thing(peer.ior())->async_pass(packet).get(); }), "NO_PERMISSION NO");
  EXPECT_EQ(story_.take(), std::string(kSent) + " B.receive_exception A.receive_exception");
  EXPECT_EQ(id, "IDL:omg.org/CORBA/NO_PERMISSION:1.0");
  EXPECT_EQ(orb_.thing(peer.ior())->async_ask("").get(), "");
}

TEST_F(Clients, MayRefuseAndForwardAsynchronousCalls) {
  FakePeer other({answer::text("elsewhere")});
  FakePeer peer({answer::text("here")});
  const ThingRef thing = orb_.thing(peer.ior());
  b_->set("send_request", raising(4));
  EXPECT_EQ(ending_of([&] { thing->async_ask("").get(); }), "NO_PERMISSION NO 4");
  EXPECT_EQ(story_.take(), std::string(kSent) + " A.receive_exception");
  b_->set("send_request", [&, first = true](const ClientInfoRef&) mutable {
    if (std::exchange(first, false)) forward_to(other);
  });
  EXPECT_EQ(thing->async_ask("").get(), "elsewhere");
  EXPECT_EQ(story_.take(), std::string(kSent) + " A.receive_other " + kSent + " B.receive_other A.receive_other");
  EXPECT_EQ(peer.requests(), 0U);
}

TEST_F(Clients, KnowWhereTheRequestGoes_16_3_13) {
  FakePeer peer({answer::text("")});
  a_->set("send_request", [](const ClientInfoRef& info) {
    EXPECT_EQ(info->effective_profile().tag(), 0U);
    EXPECT_FALSE(info->effective_profile().profile_data().empty());
    EXPECT_EQ(info->get_effective_component(1).tag(), 1U);  // the code sets
    EXPECT_EQ(info->get_effective_components(1).size(), 1U);
    EXPECT_EQ(ending_of([&] { info->get_effective_component(0x4142); }), "BAD_PARAM NO 28");
    EXPECT_EQ(info->operation(), "ask");
    EXPECT_EQ(info->get_request_policy(Messaging::SYNC_SCOPE_POLICY_TYPE)->policy_type(),
              Messaging::SYNC_SCOPE_POLICY_TYPE);
    EXPECT_EQ(ending_of([&] { info->get_request_policy(4711); }), "INV_POLICY NO 1");
  });
  orb_.thing(peer.ior())->ask("");
}

}  // namespace
}  // namespace corbel::interceptors_test
