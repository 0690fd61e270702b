// SPDX-License-Identifier: Apache-2.0
// Types, calls and exceptions looked at while the program runs.
#include <corbel/dynamic/type_members.hpp>

#include "support.hpp"

namespace {

TEST(PortableDynamics, TypesAreMadeOfWhatTheInterfaceRepositoryCallsMembers) {
  const portable::World world("types");
  IDL::traits<CORBA::TypeCodeFactory>::ref_type types =
      IDL::traits<CORBA::TypeCodeFactory>::narrow(world.orb->resolve_initial_references("TypeCodeFactory"));
  ASSERT_TRUE(types);
  CORBA::StructMemberSeq members(1);
  members[0].name("count");
  members[0].type(CORBA::_tc_long);
  members.push_back(CORBA::StructMember("name", CORBA::_tc_string, nullptr));
  EXPECT_EQ(types->create_struct_tc("IDL:S:1.0", "S", members)->member_name(1), "name");
  EXPECT_EQ(world.orb->create_exception_tc("IDL:X:1.0", "X", members)->member_count(), 2U);
  EXPECT_EQ(world.orb->create_struct_tc("IDL:S:1.0", "S", {CORBA::StructMember("a", CORBA::_tc_any, nullptr)})
                ->member_count(),
            1U);

  CORBA::UnionMemberSeq cases(1);
  cases[0].name("number");
  cases[0].label() <<= int32_t{3};
  cases[0].type(CORBA::_tc_long);
  EXPECT_EQ(world.orb->create_union_tc("IDL:U:1.0", "U", CORBA::_tc_long, cases)->member_name(0), "number");

  const CORBA::ValueMemberSeq state = {
      CORBA::ValueMember("id", "", "", "1.0", CORBA::_tc_long, nullptr, CORBA::PRIVATE_MEMBER)};
  const auto value = world.orb->create_value_tc("IDL:V:1.0", "V", CORBA::VM_NONE, nullptr, state);
  EXPECT_EQ(value->member_visibility(0), CORBA::PRIVATE_MEMBER);
  EXPECT_EQ(world.orb->create_enum_tc("IDL:E:1.0", "E", CORBA::EnumMemberSeq{"one"})->member_name(0), "one");
}

TEST(PortableDynamics, AnOutArgumentIsAddedByAValueOfItsType) {
  const portable::World world("requests");
  const auto servant = CORBA::make_reference<portable::Till_i>();
  IDL::traits<CORBA::Object>::ref_type object = servant->_this();
  const auto request = object->_request("sell");
  request->add_in_arg("name") <<= std::string("tea");
  request->add_out_arg("receipt") <<= std::string();
  request->set_return_type(CORBA::_tc_long);
  request->invoke();
  std::string receipt;
  EXPECT_TRUE(request->arguments()[1].value >>= receipt);
  EXPECT_EQ(receipt, "one tea");
}

/// Notes the exceptions that go by, by their members.
class Listener : public virtual IDL::traits<PortableInterceptor::ClientRequestInterceptor>::base_type,
                 public virtual IDL::traits<PortableInterceptor::ServerRequestInterceptor>::base_type {
 public:
  using ClientInfo = IDL::traits<PortableInterceptor::ClientRequestInfo>::ref_type;
  using ServerInfo = IDL::traits<PortableInterceptor::ServerRequestInfo>::ref_type;

  std::string name() override { return {}; }
  void destroy() override {}
  void send_request(ClientInfo) override {}
  void send_poll(ClientInfo) override {}
  void receive_reply(ClientInfo) override {}
  void receive_exception(ClientInfo info) override {
    EXPECT_NE(info->effective_profile().tag(), IOP::TAG_MULTIPLE_COMPONENTS);
    EXPECT_THROW(info->get_reply_service_context(IOP::TransactionService), CORBA::BAD_PARAM);
    note(received, info->received_exception());
  }
  void receive_other(ClientInfo) override {}
  void receive_request_service_contexts(ServerInfo) override {}
  void receive_request(ServerInfo) override {}
  void send_reply(ServerInfo) override {}
  void send_exception(ServerInfo info) override { note(sent, info->sending_exception()); }
  void send_other(ServerInfo) override {}

  static inline std::string received;
  static inline std::string sent;

 private:
  static void note(std::string& where, const CORBA::Any& exception) {
    Shop::SoldOut sold_out;
    where = (exception >>= sold_out) ? sold_out.what() : "another";
  }
};

class Initialiser : public virtual IDL::traits<PortableInterceptor::ORBInitializer>::base_type {
 public:
  void pre_init(IDL::traits<PortableInterceptor::ORBInitInfo>::ref_type info) override {
    const auto listener = CORBA::make_reference<Listener>();
    EXPECT_TRUE(listener->_is_a("IDL:omg.org/PortableInterceptor/ClientRequestInterceptor:1.0"));
    EXPECT_TRUE(listener->_is_a("IDL:omg.org/PortableInterceptor/Interceptor:1.0"));
    EXPECT_FALSE(listener->_is_a("IDL:omg.org/PortableInterceptor/IORInterceptor:1.0"));
    info->add_client_request_interceptor(listener);
    info->add_server_request_interceptor(listener);
  }
  void post_init(IDL::traits<PortableInterceptor::ORBInitInfo>::ref_type) override {}
};

TEST(PortableDynamics, InterceptorsSeeTheExceptionsOfStubsAndSkeletons_16_3_13) {
  PortableInterceptor::register_orb_initializer(CORBA::make_reference<Initialiser>());
  const portable::World server("intercepted server");
  const portable::World client("intercepted client");
  const auto servant = CORBA::make_reference<portable::Till_i>();
  const auto id = server.root->activate_object(servant);
  const auto ior = server.orb->object_to_string(server.root->id_to_reference(id));
  const auto till = IDL::traits<Shop::Till>::narrow(client.orb->string_to_object(ior));
  std::string receipt;
  EXPECT_THROW(till->sell("", receipt), Shop::SoldOut);
  EXPECT_EQ(Listener::received, "Shop::SoldOut{what=\"nothing\"}");
  EXPECT_EQ(Listener::sent, "Shop::SoldOut{what=\"nothing\"}");
}

}  // namespace
