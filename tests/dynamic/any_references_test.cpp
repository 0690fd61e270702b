// SPDX-License-Identifier: Apache-2.0
// References in Anys that were never on a wire.
#include "calls_any.hpp"
#include "corbel/dynamic/codec_factory.hpp"
#include "corbel/dynamic/dyn_any.hpp"
#include "orb_support.hpp"

namespace corbel::dynamic {
namespace {

using CORBA::Any;
using ObjectRef = IDL::traits<CORBA::Object>::ref_type;
using PlaceReference = IDL::traits<Calls::Place>::ref_type;

class AnyReferences : public WithOrb {
 protected:
  /// Of nobody: no call is made.
  PlaceReference place(const std::string& key = "place") {
    return IDL::traits<Calls::Place>::unchecked_narrow(orb_->string_to_object("corbaloc::127.0.0.1:1/" + key));
  }
  ObjectRef object_in(const Any& any) {
    ObjectRef object;
    EXPECT_TRUE(any >>= object);
    return object;
  }
  IDL::traits<DynamicAny::DynAny>::ref_type dyn_any(const Any& any) {
    return initial<DynamicAny::DynAnyFactory>("DynAnyFactory")->create_dyn_any(any);
  }
};

TEST_F(AnyReferences, CanBeTakenOutAsObjects) {
  Any any;
  any <<= place();
  const ObjectRef object = object_in(any);
  ASSERT_NE(object, nullptr);
  EXPECT_TRUE(object->_is_equivalent(place()));
  PlaceReference same;
  EXPECT_TRUE(any >>= same);
  EXPECT_TRUE(same->_is_equivalent(place()));
}

TEST_F(AnyReferences, CanBeNil) {
  Any any;
  any <<= PlaceReference();
  ObjectRef object = place();
  EXPECT_TRUE(any >>= object);
  EXPECT_EQ(object, nullptr);
}

TEST_F(AnyReferences, AreFoundByDynAnys) {
  Any any;
  any <<= place();
  EXPECT_TRUE(dyn_any(any)->get_reference()->_is_equivalent(place()));
}

TEST_F(AnyReferences, AreFoundInStructsAndInAnysWithin) {
  Any inner;
  inner <<= place("inner");
  Any outer;
  outer <<= Calls::Pair(place("outer"), inner);
  const auto whole = IDL::traits<DynamicAny::DynStruct>::narrow(dyn_any(outer));
  ASSERT_NE(whole, nullptr);
  const auto members = whole->get_members();
  ASSERT_EQ(members.size(), 2U);
  EXPECT_TRUE(object_in(members[0].value())->_is_equivalent(place("outer")));
  Any second;
  ASSERT_TRUE(members[1].value() >>= second);
  EXPECT_TRUE(object_in(second)->_is_equivalent(place("inner")));
  Any nil_and_any;
  nil_and_any <<= Calls::Pair(nullptr, second);
  const auto other = IDL::traits<DynamicAny::DynStruct>::narrow(dyn_any(nil_and_any));
  Any third;
  ASSERT_TRUE(other->get_members()[1].value() >>= third);
  EXPECT_TRUE(object_in(third)->_is_equivalent(place("inner"))) << "what stays octets knows its ORB as well";
}

/// As they arrive.
TEST_F(AnyReferences, MayBeToComponentsAndHomes) {
  const auto codec = initial<IOP::CodecFactory>("CodecFactory")->create_codec({IOP::ENCODING_CDR_ENCAPS, 1, 2});
  const auto dynamics = initial<DynamicAny::DynAnyFactory>("DynAnyFactory");
  for (const auto& type : {orb_->create_component_tc("IDL:C:1.0", "C"), orb_->create_home_tc("IDL:H:1.0", "H")}) {
    const auto dyn = dynamics->create_dyn_any_from_type_code(type);
    const Any nil = codec->decode(codec->encode(dyn->to_any()));
    EXPECT_TRUE(nil.type()->equal(type));
    EXPECT_EQ(object_in(nil), nullptr);
    dyn->insert_reference(place());
    const Any any = codec->decode(codec->encode(dyn->to_any()));
    EXPECT_TRUE(any.type()->equal(type));
    EXPECT_TRUE(object_in(any)->_is_equivalent(place()));
    EXPECT_TRUE(dyn_any(any)->get_reference()->_is_equivalent(place()));
  }
}

TEST_F(AnyReferences, OutliveTheirVariables) {
  Any any;
  {
    Any typed;
    typed <<= Calls::Pair(place(), Any());
    any = dyn_any(typed)->to_any();
  }
  Calls::Pair pair;
  ASSERT_TRUE(any >>= pair);
  EXPECT_TRUE(pair.first()->_is_equivalent(place()));
}

}  // namespace
}  // namespace corbel::dynamic
