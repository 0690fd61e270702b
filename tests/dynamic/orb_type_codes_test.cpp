// SPDX-License-Identifier: Apache-2.0
// The ORB's own operations that make TypeCodes are those of the factory.
#include "corbel/corba/service_information.hpp"
#include "corbel/dynamic/type_factory.hpp"
#include "orb_support.hpp"

namespace corbel::dynamic {
namespace {

class OrbTypeCodes : public WithOrb {
 protected:
  CORBA::object_reference<CORBA::TypeCodeFactory> factory_ = CORBA::make_reference<CORBA::TypeCodeFactory>();
};

TEST_F(OrbTypeCodes, OfTypesWithMembersAreTheFactorys) {
  const CORBA::TypeCodeFactory::StructMemberSeq members = {{"a", CORBA::_tc_long}, {"b", CORBA::_tc_string}};
  const auto structure = orb_->create_struct_tc("IDL:S:1.0", "S", {{"a", CORBA::_tc_long}, {"b", CORBA::_tc_string}});
  EXPECT_TRUE(structure->equal(factory_->create_struct_tc("IDL:S:1.0", "S", members)));
  const auto exception = orb_->create_exception_tc("IDL:E:1.0", "E", members);
  EXPECT_TRUE(exception->equal(factory_->create_exception_tc("IDL:E:1.0", "E", members)));
  EXPECT_EQ(orb_->create_enum_tc("IDL:N:1.0", "N", {"x", "y"})->member_name(1), "y");
  CORBA::TypeCodeFactory::UnionMemberSeq cases(1);
  cases[0].name = "only";
  cases[0].label <<= std::int32_t{4};
  cases[0].type = CORBA::_tc_boolean;
  const auto choice = orb_->create_union_tc("IDL:U:1.0", "U", CORBA::_tc_long, cases);
  EXPECT_EQ(choice->member_type(0)->kind(), CORBA::TCKind::tk_boolean);
  EXPECT_EQ(choice->discriminator_type()->kind(), CORBA::TCKind::tk_long);
  const auto value = orb_->create_value_tc("IDL:V:1.0", "V", CORBA::VM_CUSTOM, nullptr,
                                           {{"hidden", CORBA::_tc_octet, CORBA::PRIVATE_MEMBER}});
  EXPECT_EQ(value->type_modifier(), CORBA::VM_CUSTOM);
  EXPECT_EQ(value->member_visibility(0), CORBA::PRIVATE_MEMBER);
}

TEST_F(OrbTypeCodes, OfOtherTypesAreTheFactorys) {
  using Kind = CORBA::TCKind;
  EXPECT_EQ(orb_->create_component_tc("IDL:C:1.0", "C")->kind(), Kind::tk_component);
  EXPECT_EQ(orb_->create_home_tc("IDL:H:1.0", "H")->name(), "H");
  const auto event = orb_->create_event_tc("IDL:E:1.0", "E", CORBA::VM_NONE, nullptr,
                                           {{"next", orb_->create_recursive_tc("IDL:E:1.0"), CORBA::PUBLIC_MEMBER}});
  EXPECT_EQ(event->kind(), Kind::tk_event);
  EXPECT_TRUE(event->member_type(0)->equal(event));
  EXPECT_EQ(orb_->create_alias_tc("IDL:A:1.0", "A", CORBA::_tc_long)->content_type()->kind(), Kind::tk_long);
  EXPECT_EQ(orb_->create_interface_tc("IDL:I:1.0", "I")->kind(), Kind::tk_objref);
  EXPECT_EQ(orb_->create_abstract_interface_tc("IDL:I:1.0", "I")->kind(), Kind::tk_abstract_interface);
  EXPECT_EQ(orb_->create_local_interface_tc("IDL:I:1.0", "I")->kind(), Kind::tk_local_interface);
  EXPECT_EQ(orb_->create_native_tc("IDL:I:1.0", "I")->kind(), Kind::tk_native);
  EXPECT_EQ(orb_->create_string_tc(5)->length(), 5U);
  EXPECT_EQ(orb_->create_wstring_tc(6)->length(), 6U);
  EXPECT_EQ(orb_->create_wstring_tc(6)->kind(), Kind::tk_wstring);
  EXPECT_EQ(orb_->create_fixed_tc(7, 2)->fixed_scale(), 2);
  EXPECT_EQ(orb_->create_sequence_tc(3, CORBA::_tc_char)->length(), 3U);
  EXPECT_EQ(orb_->create_array_tc(4, CORBA::_tc_char)->kind(), Kind::tk_array);
  EXPECT_EQ(orb_->create_value_box_tc("IDL:B:1.0", "B", CORBA::_tc_char)->kind(), Kind::tk_value_box);
  const auto node = orb_->create_struct_tc(
      "IDL:Node:1.0", "Node", {{"kids", orb_->create_sequence_tc(0, orb_->create_recursive_tc("IDL:Node:1.0"))}});
  EXPECT_TRUE(node->member_type(0)->content_type()->equal(node));
  EXPECT_THROW(orb_->create_struct_tc("no id", "S", {}), CORBA::BAD_PARAM);
}

using OrbServices = WithOrb;

TEST_F(OrbServices, AreNone) {
  CORBA::ServiceInformation about({1, 2}, {CORBA::ServiceDetail(3, {4})});
  EXPECT_FALSE(orb_->get_service_information(CORBA::Security, about));
  EXPECT_EQ(about, CORBA::ServiceInformation());
  EXPECT_FALSE(orb_->get_service_information(4711, about));
}

}  // namespace
}  // namespace corbel::dynamic
