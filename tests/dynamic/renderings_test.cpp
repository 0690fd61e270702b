// SPDX-License-Identifier: Apache-2.0
// Types of the OMG's own IDL (idl/) as users' IDL uses them: in structs, in Anys, in calls, as local objects.
#include <algorithm>

#include "IOP_any.hpp"
#include "orb_support.hpp"
#include "renderings_any.hpp"
#include "renderings_server.hpp"

namespace corbel::dynamic {
namespace {

using OrbRef = IDL::traits<CORBA::ORB>::ref_type;
using ServiceRef = IDL::traits<Rendered::Service>::ref_type;

class Service final : public virtual CORBA::servant_traits<Rendered::Service>::base_type {
 public:
  CORBA::StringSeq reversed(const CORBA::StringSeq& names) override {
    if (names.size() == 1) throw CORBA::PolicyError(CORBA::BAD_POLICY_VALUE);
    if (names.size() == 3) throw CORBA::InvalidPolicies({0, 2});
    return {names.rbegin(), names.rend()};
  }
  void set(const CORBA::PolicyList& policies, CORBA::SetOverrideType how) override {
    if (!policies.empty() || how != CORBA::SetOverrideType::ADD_OVERRIDE) throw CORBA::BAD_PARAM();
  }
};

class Limit final : public virtual IDL::traits<Rendered::Limit>::base_type {
 public:
  CORBA::PolicyType policy_type() const override { return 4711; }
  IDL::traits<CORBA::Policy>::ref_type copy() const override { return CORBA::make_reference<Limit>(); }
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
