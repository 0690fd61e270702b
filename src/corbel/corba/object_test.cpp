// SPDX-License-Identifier: Apache-2.0
#include "corbel/corba/object.hpp"

#include <gtest/gtest.h>

#include <set>
#include <unordered_map>

#include "corbel/corba/minor_codes.hpp"
#include "corbel/corba/references.hpp"
#include "corbel/corba/servant.hpp"
#include "corbel/ior/ior.hpp"

namespace corbel::corba {
namespace {

using ObjectRef = CORBA::object_reference<CORBA::Object>;

/// An ORB that only makes stubs.
class FakeOrb final : public OrbContext {
 public:
  ObjectRef make_object(ior::Ior ior) override;
  CORBA::object_reference<CORBA::ORB> orb() override { return nullptr; }
  const cdr::Limits& limits() const noexcept override { return limits_; }

  cdr::Limits limits_;
};

/// Answers calls from a table of one operation.
class FakeTarget final : public Target {
 public:
  FakeTarget(FakeOrb& orb, ior::Ior ior) : orb_(orb), ior_(std::move(ior)) {}
  void invoke(const Call& call) override {
    asked.push_back(std::string(call.operation.name));
    if (gone) throw CORBA::OBJECT_NOT_EXIST();
    cdr::Encoder arguments;
    call.encode_arguments(arguments);
    cdr::Encoder results;
    if (call.operation.name == "_repository_id") {
      results.put_plain_string("IDL:Most/Derived:1.0");
    } else {
      results.put(answer);
    }
    const base::Bytes octets = results.to_bytes();
    cdr::Decoder decoder(octets, results.format());
    call.decode_results(decoder);
    EXPECT_TRUE(decoder.ok());
  }
  const ior::Ior& ior() const override { return ior_; }
  cdr::Context& context() const noexcept override { return orb_; }
  bool is_local() const noexcept override { return false; }

  std::vector<std::string> asked;
  bool answer = true;
  bool gone = false;

 private:
  FakeOrb& orb_;
  const ior::Ior ior_;
};

class Stub final : public CORBA::Object {};

ObjectRef make(FakeOrb& orb, ior::Ior ior) {
  auto stub = base::make_shared<Stub>();
  stub->_bind(base::make_shared<FakeTarget>(orb, std::move(ior)));
  return ObjectRef(std::move(stub));
}

ObjectRef FakeOrb::make_object(ior::Ior ior) {
  return make(*this, std::move(ior));
}

FakeTarget& target(const ObjectRef& object) {
  return static_cast<FakeTarget&>(*object->_target());
}

ior::Ior sample(base::Octet last) {
  return {"IDL:Static/Type:1.0", {{0x43424c00, {1, 2, last}}}};
}

class Local final : public CORBA::LocalObject {};

TEST(Object, AnswersIsAFromTypeIdWithoutAsking) {
  FakeOrb orb;
  const auto object = make(orb, sample(1));
  EXPECT_TRUE(object->_is_a("IDL:omg.org/CORBA/Object:1.0"));
  EXPECT_TRUE(object->_is_a("IDL:Static/Type:1.0"));
  EXPECT_TRUE(target(object).asked.empty());
  EXPECT_TRUE(object->_is_a("IDL:Other:1.0"));
  target(object).answer = false;
  EXPECT_FALSE(object->_is_a("IDL:Other:1.0"));
  EXPECT_EQ(target(object).asked, (std::vector<std::string>{"_is_a", "_is_a"}));
}

TEST(Object, IsNonExistentWhenToldOrRefused) {
  FakeOrb orb;
  const auto object = make(orb, sample(1));
  target(object).answer = false;
  EXPECT_FALSE(object->_non_existent());
  target(object).gone = true;
  EXPECT_TRUE(object->_non_existent());
}

TEST(Object, AsksForItsRepositoryId) {
  FakeOrb orb;
  EXPECT_EQ(make(orb, sample(1))->_repository_id(), "IDL:Most/Derived:1.0");
}

TEST(Object, ReferencesMayBeKeysByIdentity) {
  FakeOrb orb;
  const auto one = make(orb, sample(1));
  const auto other = make(orb, sample(1));
  const std::set<ObjectRef> ordered{one, other, one, nullptr};
  EXPECT_EQ(ordered.size(), 3U);
  EXPECT_TRUE(ordered.contains(one) && ordered.contains(nullptr));
  std::unordered_map<ObjectRef, int> hashed{{one, 1}, {other, 2}, {nullptr, 3}};
  EXPECT_EQ(hashed[ObjectRef(one)], 1);
  EXPECT_EQ(hashed[other], 2);
  EXPECT_EQ(hashed[nullptr], 3);
  EXPECT_NE(one < other, other < one);
}

TEST(Object, IsEquivalentByItsProfiles) {
  FakeOrb orb;
  const auto object = make(orb, sample(1));
  auto other_type = sample(1);
  other_type.type_id = "IDL:Base:1.0";
  EXPECT_TRUE(object->_is_equivalent(object));
  EXPECT_TRUE(object->_is_equivalent(make(orb, other_type)));
  EXPECT_FALSE(object->_is_equivalent(make(orb, sample(2))));
  EXPECT_FALSE(object->_is_equivalent(nullptr));
  EXPECT_FALSE(object->_is_equivalent(CORBA::make_reference<Local>()));
}

TEST(Object, IsEquivalentInAnyByteOrderWithTheSameHash) {
  FakeOrb orb;
  const ior::Ior big{"IDL:A:1.0", {{0, {0, 1, 2, 0, 0, 0, 0, 2, 'h', 0, 1, 2, 0, 0, 0, 1, 7, 0, 0, 0, 0, 0, 0, 0}}}};
  const ior::Ior little{"IDL:A:1.0", {{0, {1, 1, 2, 0, 2, 0, 0, 0, 'h', 0, 2, 1, 1, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0}}}};
  ior::Ior longer = big;
  longer.profiles.push_back(sample(1).profiles[0]);
  EXPECT_TRUE(make(orb, big)->_is_equivalent(make(orb, little)));
  EXPECT_EQ(make(orb, big)->_hash(0xffffffff), make(orb, little)->_hash(0xffffffff));
  EXPECT_FALSE(make(orb, big)->_is_equivalent(make(orb, longer)));
}

TEST(Object, HashIsStableAndBounded) {
  FakeOrb orb;
  EXPECT_EQ(make(orb, sample(1))->_hash(0xffffffff), make(orb, sample(1))->_hash(0xffffffff));
  for (base::Octet i = 0; i < 50; ++i) EXPECT_LE(make(orb, sample(i))->_hash(6), 6U);
  EXPECT_EQ(make(orb, sample(1))->_hash(0), 0U);
}

TEST(Object, NilReferenceThrows) {
  const ObjectRef nil;
  EXPECT_THROW(nil->_non_existent(), CORBA::INV_OBJREF);
}

TEST(LocalObject, KnowsWhatItIs) {
  const auto local = CORBA::make_reference<Local>();
  EXPECT_TRUE(local->_is_local());
  EXPECT_TRUE(local->_is_a("IDL:omg.org/CORBA/LocalObject:1.0"));
  EXPECT_FALSE(local->_is_a("IDL:Other:1.0"));
  EXPECT_FALSE(local->_non_existent());
  EXPECT_THROW(local->_get_orb(), CORBA::NO_IMPLEMENT);
}

TEST(References, TravelAsIors) {
  FakeOrb orb;
  cdr::Encoder encoder;
  const auto object = make(orb, sample(7));
  encode_reference(encoder, object._shared().get());
  encode_reference(encoder, nullptr);
  ASSERT_TRUE(encoder.ok());
  const base::Bytes octets = encoder.to_bytes();
  cdr::Decoder decoder(octets, encoder.format());
  decoder.set_context(&orb);
  EXPECT_TRUE(decode_reference(decoder)->_is_equivalent(object));
  EXPECT_EQ(decode_reference(decoder), nullptr);
  EXPECT_TRUE(decoder.ok());
}

TEST(References, ObeyTheLimitsOfTheirOrb) {
  FakeOrb orb;
  ior::Ior three = sample(1);
  while (three.profiles.size() < 3) three.profiles.push_back(three.profiles.front());
  cdr::Encoder encoder;
  ior::encode(encoder, three);
  const base::Bytes octets = encoder.to_bytes();
  const auto decode = [&](std::uint32_t most) {
    orb.limits_.max_profiles = most;
    cdr::Decoder decoder(octets, encoder.format());
    decoder.set_context(&orb);
    (void)decode_reference(decoder);
    return decoder.ok() ? base::Code::none : decoder.error().code;
  };
  EXPECT_EQ(decode(3), base::Code::none);
  EXPECT_EQ(decode(2), base::Code::too_many_profiles);
  EXPECT_EQ(decode(cdr::Limits().max_profiles), base::Code::none);
}

TEST(References, LocalObjectsDoNotTravel) {
  cdr::Encoder encoder;
  encode_reference(encoder, CORBA::make_reference<Local>()._shared().get());
  EXPECT_EQ(encoder.error().code, base::Code::bad_argument);
}

TEST(References, NeedAnOrbToArrive) {
  cdr::Encoder encoder;
  ior::encode(encoder, sample(1));
  const base::Bytes octets = encoder.to_bytes();
  cdr::Decoder decoder(octets, encoder.format());
  EXPECT_EQ(decode_reference(decoder), nullptr);
  EXPECT_FALSE(decoder.ok());
}

}  // namespace
}  // namespace corbel::corba
