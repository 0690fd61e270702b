// SPDX-License-Identifier: Apache-2.0
// Server interceptors and requests of a peer made by hand: which points are run, and what the reply says
// (CORBA 3.3 part 1, 16.3.8 to 16.3.10).
#include <gtest/gtest.h>

#include "corbel/dynamic/dynamic_implementation.hpp"
#include "corbel/dynamic/request.hpp"
#include "corbel/ior/profile.hpp"
#include "corbel/orb/invocation_policies.hpp"
#include "raw_peer.hpp"
#include "support.hpp"

namespace corbel::interceptors_test {
namespace {

/// A reply as it came.
struct Reply {
  std::uint32_t status = 99;
  std::string contexts;  // "4142:hello "
  std::string text;      // result, or id of the exception
  std::uint32_t minor = 0;
  std::uint32_t completed = 0;
};

Reply read_reply(const test::Octets& octets) {
  test::Reader reader(octets, (octets[6] & 1) != 0, 12);
  Reply reply;
  reader.u32();
  reply.status = reader.u32();
  for (std::uint32_t left = reader.u32(); left > 0; --left) {
    char id[16];
    std::snprintf(id, sizeof id, "%x:", reader.u32());
    const test::Octets data = reader.octets();
    reply.contexts += id + std::string(data.begin(), data.end()) + ' ';
  }
  reader.align(8);
  if (reply.status < 3) reply.text = reader.string();
  if (reply.status == 2) {
    reply.minor = reader.u32();
    reply.completed = reader.u32();
  }
  return reply;
}

/// Two server interceptors, A before B, and a servant that only the peer calls.
class Servers : public ::testing::Test {
 protected:
  Servers() {
    const auto root = orb_.root();
    servant_ = CORBA::make_reference<Servant>();
    reference_ = orb_->object_to_string(root->servant_to_reference(servant_));
    const auto ior = ior::from_string(reference_);
    const auto profile = ior::decode_iiop_profile(ior->profiles.at(0));
    key_ = std::string(base::as_text(profile->object_key));
    ASSERT_TRUE_IN_CONSTRUCTOR(peer_.connect(profile->port));
  }
  static void ASSERT_TRUE_IN_CONSTRUCTOR(bool well) { EXPECT_TRUE(well); }

  Reply ask(std::string_view question, std::string_view key) {
    peer_.send(test::raw_request(++id_, key, "ask", [&](test::Writer& writer) { writer.string(question); }));
    const auto message = peer_.message();
    EXPECT_TRUE(message.has_value());
    return message ? read_reply(*message) : Reply{};
  }
  Reply ask(std::string_view question) { return ask(question, key_); }
  static Watch<PI::ServerRequestInterceptor, ServerInfoRef>::Act raising(std::uint32_t minor) {
    return
        [minor](const ServerInfoRef&) { throw CORBA::NO_PERMISSION(minor, CORBA::CompletionStatus::COMPLETED_MAYBE); };
  }
  Watch<PI::ServerRequestInterceptor, ServerInfoRef>::Act forwarding() {
    return [this](const ServerInfoRef&) { throw PI::ForwardRequest(orb_->string_to_object(reference_)); };
  }

  Story story_;
  CORBA::object_reference<ServerWatch> a_ = CORBA::make_reference<ServerWatch>("A", story_);
  CORBA::object_reference<ServerWatch> b_ = CORBA::make_reference<ServerWatch>("B", story_);
  Orb orb_{Parts{.servers = {a_, b_}}, {"-ORBServerId", "watched server"}};
  CORBA::servant_reference<Servant> servant_;
  std::string reference_;
  std::string key_;
  test::RawPeer peer_;
  std::uint32_t id_ = 0;
};

constexpr const char* kContexts = "A.contexts B.contexts";
constexpr const char* kCame = "A.contexts B.contexts A.receive_request B.receive_request";
constexpr std::uint32_t kYes = 0, kNot = 1, kMaybe = 2;

TEST_F(Servers, AreCalledInTheirOrderAndThenInReverse_16_3_2) {
  const Reply reply = ask("you");
  EXPECT_EQ(reply.status, 0U);
  EXPECT_EQ(reply.text, "answer to you");
  EXPECT_EQ(story_.take(), std::string(kCame) + " B.send_reply A.send_reply");
}

TEST_F(Servers, AreToldOfExceptions_16_3_8_4) {
  PI::ReplyStatus status = PI::UNKNOWN;
  std::uint32_t minor = 0;
  a_->set("send_exception", [&](const ServerInfoRef& info) {
    status = info->reply_status();
    CORBA::NO_PERMISSION sending;
    if (info->sending_exception() >>= sending) minor = sending.minor();
  });
  EXPECT_EQ(ask("refuse").text, "IDL:Watched/Refused:1.0");
  EXPECT_EQ(status, PI::USER_EXCEPTION);
  EXPECT_EQ(story_.take(), std::string(kCame) + " B.send_exception A.send_exception");
  const Reply reply = ask("fail");
  EXPECT_EQ(reply.minor, 7U);
  EXPECT_EQ(minor, 7U);
  EXPECT_EQ(reply.completed, kMaybe);
  EXPECT_EQ(status, PI::SYSTEM_EXCEPTION);
  EXPECT_EQ(story_.take(), std::string(kCame) + " B.send_exception A.send_exception");
}

TEST_F(Servers, AreToldOfRequestsWhoseObjectIsNotThere_16_3_8_1) {
  std::string id = "unset";
  a_->set("send_exception", [&](const ServerInfoRef& info) { id = ending_of([&] { (void)info->object_id(); }); });
  EXPECT_EQ(ask("", "no such key").text, "IDL:omg.org/CORBA/OBJECT_NOT_EXIST:1.0");
  EXPECT_EQ(story_.take(), std::string(kContexts) + " B.send_exception A.send_exception");
  EXPECT_EQ(id, "NO_RESOURCES NO 1");
}

TEST_F(Servers, ThatRaiseAtTheStartingPointAreNotToldNorAreThoseAfterThem_16_3_2_1) {
  b_->set("contexts", raising(4));
  const Reply reply = ask("you");
  EXPECT_EQ(reply.text, "IDL:omg.org/CORBA/NO_PERMISSION:1.0");
  EXPECT_EQ(reply.minor, 4U);
  EXPECT_EQ(reply.completed, kNot);
  EXPECT_EQ(story_.take(), std::string(kContexts) + " A.send_exception");
  a_->set("contexts", raising(5));
  EXPECT_EQ(ask("you").minor, 5U);
  EXPECT_EQ(story_.take(), "A.contexts");
}

TEST_F(Servers, AreAllToldWhenOneRaisesAtTheIntermediatePoint_16_3_2_2) {
  a_->set("receive_request", raising(4));
  const Reply reply = ask("you");
  EXPECT_EQ(reply.minor, 4U);
  EXPECT_EQ(reply.completed, kNot);
  EXPECT_EQ(story_.take(), std::string(kContexts) + " A.receive_request B.send_exception A.send_exception");
}

TEST_F(Servers, ThatRaiseInSendReplyMakeTheRequestFailCompleted_16_3_8_3) {
  b_->set("send_reply", raising(4));
  const Reply reply = ask("you");
  EXPECT_EQ(reply.status, 2U);
  EXPECT_EQ(reply.minor, 4U);
  EXPECT_EQ(reply.completed, kYes);
  EXPECT_EQ(story_.take(), std::string(kCame) + " B.send_reply A.send_exception");
}

TEST_F(Servers, ThatRaiseInSendExceptionReplaceItAndKeepItsCompletion_16_3_8_4) {
  b_->set("send_exception", raising(4));
  Reply reply = ask("fail");
  EXPECT_EQ(reply.minor, 4U);
  EXPECT_EQ(reply.completed, kMaybe);
  reply = ask("refuse");
  EXPECT_EQ(reply.status, 2U);
  EXPECT_EQ(reply.completed, kYes);
}

TEST_F(Servers, MayForwardBeforeTheServantRuns_16_3_6) {
  servant_->on_ask = [](const std::string&) -> std::string { throw std::runtime_error("must not run"); };
  PI::ReplyStatus status = PI::UNKNOWN;
  a_->set("send_other", [&](const ServerInfoRef& info) {
    status = info->reply_status();
    EXPECT_EQ(orb_->object_to_string(info->forward_reference()), reference_);
  });
  b_->set("contexts", forwarding());
  EXPECT_EQ(ask("you").status, 3U);
  EXPECT_EQ(story_.take(), std::string(kContexts) + " A.send_other");
  EXPECT_EQ(status, PI::LOCATION_FORWARD);
  b_->set("contexts", [](const ServerInfoRef&) {});
  b_->set("receive_request", forwarding());
  EXPECT_EQ(ask("you").status, 3U);
  EXPECT_EQ(story_.take(), std::string(kCame) + " B.send_other A.send_other");
}

TEST_F(Servers, MayForwardInSendExceptionOnlyWhatWasNotExecuted_16_3_8_4) {
  b_->set("send_exception", forwarding());
  EXPECT_EQ(ask("fail").status, 2U);
  a_->set("receive_request", raising(4));
  EXPECT_EQ(ask("you").status, 3U);
}

TEST_F(Servers, AddServiceContextsToRepliesOfEachKind_16_3_14) {
  a_->set("contexts", [](const ServerInfoRef& info) {
    info->add_reply_service_context(context(0x4142, "first"), false);
    EXPECT_EQ(ending_of([&] { info->add_reply_service_context(context(0x4142, "no"), false); }), "BAD_INV_ORDER NO 15");
  });
  b_->set("send_reply", [](const ServerInfoRef& info) {
    EXPECT_EQ(text_of(info->get_reply_service_context(0x4142)), "first");
    info->add_reply_service_context(context(0x4142, "second"), true);
  });
  EXPECT_EQ(ask("you").contexts, "4142:second ");
  EXPECT_EQ(ask("refuse").contexts, "4142:first ");
  EXPECT_EQ(ask("fail").contexts, "4142:first ");
  b_->set("receive_request", forwarding());
  EXPECT_EQ(ask("you").contexts, "4142:first ");
}

TEST_F(Servers, ReadTheServiceContextsOfRequests_16_3_12) {
  std::string seen;
  b_->set("contexts", [&](const ServerInfoRef& info) {
    seen = text_of(info->get_request_service_context(0x4142));
    EXPECT_EQ(ending_of([&] { info->get_request_service_context(0x4143); }), "BAD_PARAM NO 26");
  });
  test::Writer writer;
  writer.giop(test::kRequest, 2).u32(8).octet(3).octet(0).octet(0).octet(0).u16(0).octets(test::octets_of(key_));
  writer.string("ask").u32(1).u32(0x4142).octets(test::octets_of("hello")).align(8).string("you");
  peer_.send(writer.finish());
  ASSERT_TRUE(peer_.message().has_value());
  EXPECT_EQ(seen, "hello");
}

TEST_F(Servers, AreToldOfRequestsThatComeTooLate_16_3_8_4) {
  policy::ClientPolicies long_ago;
  long_ago.request_end = 1;
  test::Writer writer;
  writer.giop(test::kRequest, 2).u32(8).octet(3).octet(0).octet(0).octet(0).u16(0).octets(test::octets_of(key_));
  writer.string("ask").u32(1).u32(orb::kInvocationPoliciesContext).octets(orb::encode_invocation_policies(long_ago));
  peer_.send(writer.align(8).string("you").finish());
  ASSERT_TRUE(peer_.message().has_value());
  EXPECT_EQ(story_.take(), std::string(kContexts) + " B.send_exception A.send_exception");
}

TEST_F(Servers, SeeTheWholeOfAOneway_16_3_8) {
  bool expected = true;
  a_->set("contexts", [&](const ServerInfoRef& info) {
    if (info->operation() != "note") return;
    expected = info->response_expected();
    EXPECT_EQ(info->sync_scope(), Messaging::SYNC_WITH_TRANSPORT);
  });
  peer_.send(test::raw_request(
      8, key_, "note", [](test::Writer& writer) { writer.i32(5); }, 0));
  ask("you");
  EXPECT_EQ(story_.take().substr(0, std::string(kCame).size() + 26), std::string(kCame) + " B.send_reply A.send_reply");
  EXPECT_FALSE(expected);
  EXPECT_EQ(servant_->noted, 5);
}

TEST_F(Servers, KnowTheObject_16_3_14) {
  CORBA::PolicyList policies{
      orb_.root()->create_id_assignment_policy(PortableServer::IdAssignmentPolicyValue::USER_ID)};
  const auto poa = orb_.root()->create_POA("upper", nullptr, {})->create_POA("lower", nullptr, policies);
  poa->the_POAManager()->activate();
  const auto servant = CORBA::make_reference<Servant>();
  poa->activate_object_with_id({'m', 'e'}, servant);
  const auto ior = ior::from_string(orb_->object_to_string(poa->id_to_reference({'m', 'e'})));
  const auto key = std::string(base::as_text(ior::decode_iiop_profile(ior->profiles.at(0))->object_key));
  bool seen = false;
  const auto look = [&](const ServerInfoRef& info) {
    EXPECT_EQ(info->object_id(), (CORBA::OctetSeq{'m', 'e'}));
    EXPECT_EQ(info->adapter_name(), (PI::AdapterName{"upper", "lower"}));
    EXPECT_EQ(info->adapter_id(), poa->id());
    EXPECT_FALSE(info->orb_id().empty());
    EXPECT_EQ(info->server_id(), "watched server");
    seen = true;
  };
  b_->set("receive_request", [&](const ServerInfoRef& info) {
    look(info);
    EXPECT_EQ(info->target_most_derived_interface(), "IDL:Watched/Thing:1.0");
    EXPECT_TRUE(info->target_is_a("IDL:Watched/Thing:1.0"));
    EXPECT_FALSE(info->target_is_a("IDL:Watched/Other:1.0"));
    const auto policy = info->get_server_policy(PortableServer::ID_ASSIGNMENT_POLICY_ID);
    EXPECT_EQ(IDL::traits<PortableServer::IdAssignmentPolicy>::narrow(policy)->value(),
              PortableServer::IdAssignmentPolicyValue::USER_ID);
    EXPECT_EQ(ending_of([&] { info->get_server_policy(4711); }), "INV_POLICY NO 2");
  });
  a_->set("send_reply", look);
  a_->set("send_exception", [&](const ServerInfoRef& info) {  // where no upcall is under way any more
    look(info);
    EXPECT_NE(info->get_server_policy(PortableServer::ID_ASSIGNMENT_POLICY_ID), nullptr);
  });
  EXPECT_EQ(ask("you", key).text, "answer to you");
  EXPECT_TRUE(std::exchange(seen, false));
  EXPECT_EQ(ask("refuse", key).status, 1U);
  EXPECT_TRUE(seen);
}

TEST_F(Servers, CannotWaitForTheirOwnRequestsEnd) {
  std::string endings;
  const auto end = [&](const ServerInfoRef&) {
    endings += ending_of([&] { orb_.root()->destroy(true, true); }) + ", ";
    endings += ending_of([&] { orb_->shutdown(true); }) + "; ";
  };
  a_->set("contexts", end);
  a_->set("send_exception", end);
  EXPECT_EQ(ask("refuse").status, 1U);
  EXPECT_EQ(endings, "BAD_INV_ORDER NO 3, BAD_INV_ORDER NO 3; BAD_INV_ORDER NO 3, BAD_INV_ORDER NO 3; ");
}

TEST_F(Servers, SeeRequestsForServantsThatKnowTheirOperationsAtRunTime) {
  class Dynamic final : public PortableServer::DynamicImplementation {
   public:
    void invoke(IDL::traits<CORBA::ServerRequest>::ref_type request) override {
      CORBA::Any question;
      question <<= std::string();
      request->arguments({{"question", question, CORBA::ARG_IN}});
      CORBA::Any result;
      result <<= std::string("dynamic");
      request->set_result(result);
    }
    CORBA::RepositoryId _primary_interface(const PortableServer::ObjectId&,
                                           IDL::traits<PortableServer::POA>::ref_type) override {
      return "IDL:Watched/Thing:1.0";
    }
  };
  const auto reference = orb_->object_to_string(orb_.root()->servant_to_reference(CORBA::make_reference<Dynamic>()));
  const auto ior = ior::from_string(reference);
  const auto key = std::string(base::as_text(ior::decode_iiop_profile(ior->profiles.at(0))->object_key));
  EXPECT_EQ(ask("you", key).text, "dynamic");
  EXPECT_EQ(story_.take(), std::string(kCame) + " B.send_reply A.send_reply");
}

TEST_F(Servers, AreToldThatArgumentsMakeNoSense) {
  peer_.send(test::raw_request(8, key_, "ask", [](test::Writer& writer) { writer.u32(4711); }));
  const auto message = peer_.message();
  ASSERT_TRUE(message.has_value());
  EXPECT_EQ(read_reply(*message).text, "IDL:omg.org/CORBA/MARSHAL:1.0");
  EXPECT_EQ(story_.take(), std::string(kCame) + " B.send_exception A.send_exception");
}

}  // namespace
}  // namespace corbel::interceptors_test
