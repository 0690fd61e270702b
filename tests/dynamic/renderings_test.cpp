// SPDX-License-Identifier: Apache-2.0
// Types of the OMG's own IDL (idl/) as users' IDL uses them: in structs, in Anys, in calls, as local objects.
#include <algorithm>

#include "corbel/interceptors/portable_interceptor.hpp"
#include "orb_support.hpp"
#include "renderings_any.hpp"
#include "renderings_server.hpp"

namespace corbel::dynamic {
namespace {

using OrbRef = IDL::traits<CORBA::ORB>::ref_type;
using State = PortableServer::POAManager::State;
using ServiceRef = IDL::traits<Rendered::Service>::ref_type;

class Service final : public virtual CORBA::servant_traits<Rendered::Service>::base_type {
 public:
  CORBA::StringSeq reversed(const CORBA::StringSeq& names) override {
    if (names.size() == 1) throw CORBA::PolicyError(CORBA::BAD_POLICY_VALUE);
    if (names.size() == 3) throw CORBA::InvalidPolicies({0, 2});
    return {names.rbegin(), names.rend()};
  }
  Rendered::Adapter changed(const Rendered::Adapter& current, Rendered::Life& life, IOP::Encoding& form) override {
    switch (current.state()) {
      case State::INACTIVE:
        throw PortableServer::POA::InvalidPolicy(7);
      case State::DISCARDING:
        throw PortableServer::ForwardRequest(_this());
      case State::HOLDING:
        throw DynamicAny::DynAny::InvalidValue();
      default:
        break;
    }
    life.store("disk");
    form = IOP::Encoding(IOP::ENCODING_CDR_ENCAPS, 1, 1);
    Rendered::Adapter result = current;
    result.settings().push_back(current.settings().front());
    return result;
  }
  void set(const CORBA::PolicyList& policies, CORBA::SetOverrideType how) override {
    if (!policies.empty() || how != CORBA::SetOverrideType::ADD_OVERRIDE) throw CORBA::BAD_PARAM();
  }
};

class Limit final : public virtual IDL::traits<Rendered::Limit>::base_type {
 public:
  CORBA::PolicyType policy_type() override { return 4711; }
  IDL::traits<CORBA::Policy>::ref_type copy() override { return CORBA::make_reference<Limit>(); }
  std::uint32_t most() override { return 3; }
};

class Keeper final : public virtual IDL::traits<Rendered::Keeper>::base_type {
 public:
  void keep(IDL::traits<CORBA::Policy>::ref_type one, const CORBA::PolicyList& more) override {
    if (one == nullptr) throw CORBA::InvalidPolicies({0});
    kept_ = more;
    kept_.push_back(one);
  }
  CORBA::PolicyList kept(IDL::traits<PortableServer::POA>::ref_type, IDL::traits<IOP::Codec>::ref_type) override {
    return kept_;
  }

 private:
  CORBA::PolicyList kept_;
};

Rendered::Record some_record() {
  const IOP::TaggedProfile profile(IOP::TAG_INTERNET_IOP, {1, 2, 3});
  return Rendered::Record({"a", "b"}, {9, 8}, "IDL:X:1.0", CORBA::PUBLIC_MEMBER, CORBA::VM_CUSTOM,
                          CORBA::TCKind::tk_union, CORBA::ParameterMode::PARAM_OUT, CORBA::_tc_StringSeq, {7},
                          {profile, profile}, {IOP::ENCODING_CDR_ENCAPS, 1, 1});
}

Rendered::Adapter some_adapter(State state) {
  CORBA::Any most;
  most <<= std::int32_t{9};
  return Rendered::Adapter(PortableServer::ThreadPolicyValue::SINGLE_THREAD_MODEL, state,
                           {PortableServer::RequestProcessingPolicyValue::USE_SERVANT_MANAGER}, {{"most", most}},
                           CORBA::SetOverrideType::ADD_OVERRIDE);
}

OrbRef make_orb(const std::string& id) {
  std::vector<std::string> arguments;
  return CORBA::ORB_init(arguments, id);
}

/// A client and a server in two ORBs, so that calls are marshalled.
class Renderings : public ::testing::Test {
 protected:
  Renderings() : server_(make_orb("renderings_server")), client_(make_orb("renderings_client")) {}
  ~Renderings() override {
    client_->destroy();
    server_->destroy();
  }
  ServiceRef service() {
    const auto servant = CORBA::make_reference<Service>();
    const auto poa = IDL::traits<PortableServer::POA>::narrow(server_->resolve_initial_references("RootPOA"));
    poa->the_POAManager()->activate();
    const auto reference = poa->servant_to_reference(servant);
    return IDL::traits<Rendered::Service>::narrow(client_->string_to_object(server_->object_to_string(reference)));
  }

  OrbRef server_;
  OrbRef client_;
};

TEST_F(Renderings, SequencesAndExceptionsOfModuleCorbaTravel) {
  const auto remote = service();
  EXPECT_EQ(remote->reversed({"x", "y"}), (CORBA::StringSeq{"y", "x"}));
  try {
    remote->reversed({"x"});
    ADD_FAILURE() << "nothing thrown";
  } catch (const CORBA::PolicyError& error) {
    EXPECT_EQ(error.reason(), CORBA::BAD_POLICY_VALUE);
  }
  try {
    remote->reversed({"x", "y", "z"});
    ADD_FAILURE() << "nothing thrown";
  } catch (const CORBA::InvalidPolicies& error) {
    EXPECT_EQ(error.indicies(), (std::vector<std::uint16_t>{0, 2}));
    EXPECT_STREQ(error.what(), "CORBA::InvalidPolicies{indicies={0,2}}");
  }
}

TEST_F(Renderings, EnumsStructsAndExceptionsOfObjectAdaptersAndDynAnysTravel) {
  const auto remote = service();
  Rendered::Life life;
  life.seconds(3);
  IOP::Encoding form;
  const Rendered::Adapter changed = remote->changed(some_adapter(State::ACTIVE), life, form);
  EXPECT_EQ(changed.threads(), PortableServer::ThreadPolicyValue::SINGLE_THREAD_MODEL);
  EXPECT_EQ(changed.processing(), some_adapter(State::ACTIVE).processing());
  ASSERT_EQ(changed.settings().size(), 2U);
  EXPECT_TRUE(changed.settings()[0] == changed.settings()[1]);
  EXPECT_EQ(changed.settings()[1].id(), "most");
  EXPECT_EQ(life._d(), PortableServer::LifespanPolicyValue::PERSISTENT);
  EXPECT_EQ(life.store(), "disk");
  EXPECT_EQ(form.minor_version(), 1);

  EXPECT_THROW(remote->changed(some_adapter(State::HOLDING), life, form), DynamicAny::DynAny::InvalidValue);
  try {
    remote->changed(some_adapter(State::INACTIVE), life, form);
    ADD_FAILURE() << "nothing thrown";
  } catch (const PortableServer::POA::InvalidPolicy& error) {
    EXPECT_EQ(error.index(), 7);
  }
  try {
    remote->changed(some_adapter(State::DISCARDING), life, form);
    ADD_FAILURE() << "nothing thrown";
  } catch (const PortableServer::ForwardRequest& forward) {
    EXPECT_TRUE(forward.forward_reference()->_is_equivalent(remote));
  }
}

TEST_F(Renderings, PoliciesStayInTheProcess) {
  const auto remote = service();
  EXPECT_NO_THROW(remote->set({}, CORBA::SetOverrideType::ADD_OVERRIDE));
  EXPECT_THROW(remote->set({CORBA::make_reference<Limit>()}, CORBA::SetOverrideType::ADD_OVERRIDE), CORBA::MARSHAL);
}

TEST(RenderedTypes, GoThroughAnys) {
  CORBA::Any any;
  any <<= some_record();
  const auto members = any.type();
  EXPECT_EQ(members->member_type(0)->id(), "IDL:omg.org/CORBA/StringSeq:1.0");
  EXPECT_TRUE(members->member_type(0)->equal(CORBA::_tc_StringSeq));
  EXPECT_EQ(members->member_type(8)->id(), "IDL:omg.org/PortableServer/ObjectId:1.0");
  EXPECT_EQ(members->member_type(8)->content_type()->id(), "IDL:omg.org/CORBA/OctetSeq:1.0");

  cdr::Encoder encoder({.little_endian = true});
  mapping::Codec<CORBA::Any>::encode(encoder, any);
  ASSERT_TRUE(encoder.ok());
  const auto octets = encoder.to_bytes();
  cdr::Decoder decoder(octets, {.little_endian = true});
  CORBA::Any back;
  mapping::Codec<CORBA::Any>::decode(decoder, back);
  Rendered::Record record;
  ASSERT_TRUE(back >>= record);
  EXPECT_EQ(record.names(), some_record().names());
  EXPECT_EQ(record.profiles(), some_record().profiles());
  EXPECT_EQ(record.modifier(), CORBA::VM_CUSTOM);
  EXPECT_EQ(record.form(), IOP::Encoding(IOP::ENCODING_CDR_ENCAPS, 1, 1));
  EXPECT_TRUE(record.type()->equal(CORBA::_tc_StringSeq));

  back <<= CORBA::StringSeq{"q"};
  CORBA::StringSeq names;
  EXPECT_TRUE(back >>= names);
  EXPECT_EQ(names, CORBA::StringSeq{"q"});
  back <<= CORBA::SetOverrideType::SET_OVERRIDE;
  EXPECT_EQ(back.type()->member_name(1), "ADD_OVERRIDE");
}

template <class T>
std::string text_of(const T& value) {
  std::ostringstream stream;
  stream << value;
  return stream.str();
}

TEST(RenderedTypes, PrintAsGeneratedOnesDo) {
  EXPECT_EQ(text_of(some_adapter(State::ACTIVE)),
            "Rendered::Adapter{threads=PortableServer::ThreadPolicyValue::SINGLE_THREAD_MODEL,"
            "state=PortableServer::POAManager::State::ACTIVE,"
            "processing={PortableServer::RequestProcessingPolicyValue::USE_SERVANT_MANAGER},"
            "settings={DynamicAny::NameValuePair{id=\"most\",value=any{long}}},"
            "how=CORBA::SetOverrideType::ADD_OVERRIDE}");
  EXPECT_EQ(text_of(CORBA::TCKind::tk_union), "CORBA::TCKind::tk_union");
  EXPECT_EQ(text_of(static_cast<CORBA::TCKind>(99)), "99");
  EXPECT_EQ(text_of(CORBA::ServiceInformation({7}, {CORBA::ServiceDetail(1, {2})})),
            "CORBA::ServiceInformation{service_options={7},"
            "service_details={CORBA::ServiceDetail{service_detail_type=1,service_detail={2}}}}");
  EXPECT_EQ(text_of(IOP::Encoding_1_2(0, 1, 2, 3, 4)),
            "IOP::Encoding_1_2{format=0,major_version=1,minor_version=2,char_codeset=3,wchar_codeset=4}");
  EXPECT_EQ(text_of(IOP::Encoding()), "IOP::Encoding{format=0,major_version=1,minor_version=2}");
}

/// Inserted by its C++ type, what the library says the type is must be what IDL says.
template <class T>
void expect_type(const T& value, const CORBA::typecode_reference& generated_struct, std::uint32_t member) {
  CORBA::Any any;
  any <<= value;
  EXPECT_TRUE(generated_struct->member_type(member)->equivalent(any.type())) << text_of(*any.type());
  T back{};
  ASSERT_TRUE(any >>= back);
  EXPECT_TRUE(back == value);
}

TEST(RenderedTypes, HaveTheTypeCodesThatTheirIdlSays) {
  const auto adapter = some_adapter(State::DISCARDING);
  expect_type(adapter.threads(), Rendered::_tc_Adapter, 0);
  expect_type(adapter.state(), Rendered::_tc_Adapter, 1);
  expect_type(adapter.settings(), Rendered::_tc_Adapter, 3);
  expect_type(adapter.how(), Rendered::_tc_Adapter, 4);
  expect_type(IOP::Encoding(IOP::ENCODING_CDR_ENCAPS, 1, 0), Rendered::_tc_Record, 10);
  EXPECT_TRUE(Rendered::_tc_Offer->member_type(1)->equal(CORBA::_tc_ServiceOption));
  expect_type(Rendered::LEVEL, Rendered::_tc_Offer, 1);
  expect_type(CORBA::ServiceInformation({7}, {CORBA::ServiceDetail(CORBA::Security, {1, 2})}), Rendered::_tc_Offer, 3);
  expect_type(IOP::Encoding_1_2(IOP::ENCODING_CDR_ENCAPS, 1, 2, 3, 4), Rendered::_tc_Offer, 4);
  EXPECT_TRUE(Rendered::_tc_Adapter->member_type(3)->equal(DynamicAny::_tc_NameValuePairSeq));
  EXPECT_TRUE(Rendered::_tc_Inside->member_type(0)->equal(PortableServer::_tc_POAList));
  EXPECT_TRUE(Rendered::_tc_Inside->member_type(1)->equal(DynamicAny::_tc_NameDynAnyPairSeq));
  EXPECT_TRUE(Rendered::_tc_Inside->member_type(2)->equal(CORBA::_tc_PolicyList));
  CORBA::Any any;
  any <<= PortableServer::POA::InvalidPolicy(3);
  PortableServer::POA::InvalidPolicy back;
  ASSERT_TRUE(any >>= back);
  EXPECT_EQ(back.index(), 3);
  EXPECT_EQ(any.type()->id(), "IDL:omg.org/PortableServer/POA/InvalidPolicy:1.0");
}

Rendered::Carried some_carried() {
  const IOP::TaggedComponent component(IOP::TAG_ORB_TYPE, {4, 5});
  const CONV_FRAME::CodeSetComponent wide(6, {7, 8});
  return Rendered::Carried(IOP::IOR("IDL:X:1.0", some_record().profiles()), {component}, {component, component},
                           {IOP::ServiceContext(IOP::RTCorbaPriority, {9})}, {10}, IOP::FIREWALL_PATH,
                           CONV_FRAME::CodeSetComponentInfo(CONV_FRAME::CodeSetComponent(), wide));
}

TEST(RenderedTypes, WhatIopIdlDeclaresIsTheLibrarysOwn) {
  const Rendered::Carried carried = some_carried();
  expect_type(carried.reference(), Rendered::_tc_Carried, 0);
  expect_type(carried.code_sets(), Rendered::_tc_Carried, 6);
  const auto is_type = [](std::uint32_t at, const CORBA::typecode_reference& type) {
    EXPECT_TRUE(Rendered::_tc_Carried->member_type(at)->equal(type)) << at;
  };
  is_type(0, IOP::_tc_IOR);
  is_type(1, IOP::_tc_MultipleComponentProfile);
  is_type(2, IOP::_tc_TaggedComponentSeq);
  is_type(3, IOP::_tc_ServiceContextList);
  is_type(4, IOP::_tc_ObjectKey);
  is_type(5, IOP::_tc_ServiceId);
  is_type(6, CONV_FRAME::_tc_CodeSetComponentInfo);
  CORBA::Any any;
  any <<= carried;
  Rendered::Carried back;
  ASSERT_TRUE(any >>= back);
  EXPECT_EQ(back, carried);
  EXPECT_EQ(text_of(carried.contexts().at(0)), "IOP::ServiceContext{context_id=10,context_data={9}}");
}

TEST(RenderedTypes, LocalObjectsInStructsCannotBeSent) {
  cdr::Encoder empty({.little_endian = true});
  mapping::Codec<Rendered::Inside>::encode(empty, Rendered::Inside());
  EXPECT_TRUE(empty.ok()) << "nothing local in it";
  cdr::Encoder encoder({.little_endian = true});
  mapping::Codec<Rendered::Inside>::encode(encoder, Rendered::Inside({}, {}, {CORBA::make_reference<Limit>()}));
  EXPECT_FALSE(encoder.ok());
}

TEST_F(Renderings, ProfilesAreEncodedByTheOrbsCodec) {
  const auto factory = IDL::traits<IOP::CodecFactory>::narrow(client_->resolve_initial_references("CodecFactory"));
  const auto codec = factory->create_codec({IOP::ENCODING_CDR_ENCAPS, 1, 2});
  CORBA::Any any;
  any <<= some_record().profiles();
  IOP::TaggedProfileSeq profiles;
  ASSERT_TRUE(codec->decode(codec->encode(any)) >>= profiles);
  EXPECT_EQ(profiles, some_record().profiles());
  ASSERT_TRUE(codec->decode_value(codec->encode_value(any), IOP::_tc_TaggedProfileSeq) >>= profiles);
}

TEST(RenderedTypes, PoliciesAreLocalObjects) {
  const IDL::traits<Rendered::Keeper>::ref_type keeper = CORBA::make_reference<Keeper>();
  const IDL::traits<Rendered::Limit>::ref_type limit = CORBA::make_reference<Limit>();
  keeper->keep(limit, {limit->copy()});
  const auto kept = keeper->kept(nullptr, nullptr);
  ASSERT_EQ(kept.size(), 2U);
  EXPECT_EQ(kept[0]->policy_type(), 4711U);
  EXPECT_TRUE(IDL::traits<Rendered::Limit>::narrow(kept[1]) == limit);
  EXPECT_TRUE(limit->_is_a("IDL:omg.org/CORBA/Policy:1.0"));
  EXPECT_THROW(keeper->keep(nullptr, {}), CORBA::InvalidPolicies);
}

}  // namespace
}  // namespace corbel::dynamic
