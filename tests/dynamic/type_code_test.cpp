// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"

namespace corbel::dynamic {
namespace {

using CORBA::TCKind;
using CORBA::TypeCode;
using CORBA::typecode_reference;

class TypeCodes : public ::testing::Test {
 protected:
  typecode_reference node() {
    const auto kids = make_->create_sequence_tc(0, make_->create_recursive_tc("IDL:Node:1.0"));
    return make_->create_struct_tc("IDL:Node:1.0", "Node", {{"id", CORBA::_tc_long}, {"kids", kids}});
  }
  typecode_reference color() { return make_->create_enum_tc("IDL:Color:1.0", "Color", {"red", "green", "blue"}); }
  typecode_reference num() {
    CORBA::Any one, two, otherwise;
    one <<= std::int32_t{1};
    two <<= std::int32_t{2};
    otherwise <<= std::uint8_t{0};
    return make_->create_union_tc(
        "IDL:Num:1.0", "Num", CORBA::_tc_long,
        {{"s", one, CORBA::_tc_short}, {"str", two, CORBA::_tc_string}, {"d", otherwise, CORBA::_tc_double}});
  }
  std::vector<typecode_reference> some() {
    return {CORBA::_tc_null,
            CORBA::_tc_longlong,
            CORBA::_tc_longdouble,
            CORBA::_tc_wchar,
            CORBA::_tc_any,
            CORBA::_tc_Object,
            node(),
            color(),
            num(),
            make_->create_string_tc(5),
            make_->create_wstring_tc(0),
            make_->create_fixed_tc(7, 2),
            make_->create_array_tc(3, make_->create_array_tc(2, CORBA::_tc_octet)),
            make_->create_alias_tc("IDL:Nodes:1.0", "Nodes", make_->create_sequence_tc(9, node())),
            make_->create_exception_tc("IDL:Oops:1.0", "Oops", {{"why", CORBA::_tc_string}}),
            make_->create_value_box_tc("IDL:Box:1.0", "Box", CORBA::_tc_string),
            make_->create_value_tc("IDL:V:1.0", "V", CORBA::VM_TRUNCATABLE,
                                   make_->create_value_tc("IDL:B:1.0", "B", CORBA::VM_NONE, nullptr, {}),
                                   {{"next", make_->create_recursive_tc("IDL:V:1.0"), CORBA::PRIVATE_MEMBER}}),
            make_->create_abstract_interface_tc("IDL:A:1.0", "A"),
            make_->create_local_interface_tc("IDL:L:1.0", "L"),
            make_->create_native_tc("IDL:N:1.0", "N")};
  }

  CORBA::object_reference<CORBA::TypeCodeFactory> make_ = CORBA::make_reference<CORBA::TypeCodeFactory>();
};

TEST_F(TypeCodes, TravelInBothByteOrdersAtEveryOffset) {
  for (const auto& type : some()) {
    for (std::size_t offset = 0; offset < 8; ++offset) {
      for (const bool little : {false, true}) {
        const auto back = value_of<typecode_reference>(octets_of(type, little, offset), little, offset);
        ASSERT_NE(back, nullptr) << *type;
        EXPECT_TRUE(type->equal(back)) << *type;
        EXPECT_TRUE(back->equivalent(type)) << *type;
        EXPECT_EQ(octets_of(back, little, offset), octets_of(type, little, offset)) << *type;
      }
    }
  }
}

TEST_F(TypeCodes, AnswerWhatTheirKindHas) {
  const auto type = node();
  EXPECT_EQ(type->kind(), TCKind::tk_struct);
  EXPECT_EQ(type->id(), "IDL:Node:1.0");
  EXPECT_EQ(type->name(), "Node");
  ASSERT_EQ(type->member_count(), 2U);
  EXPECT_EQ(type->member_name(1), "kids");
  EXPECT_EQ(type->member_type(0)->kind(), TCKind::tk_long);
  EXPECT_TRUE(type->member_type(1)->content_type()->equal(type));
  EXPECT_EQ(type->member_type(1)->length(), 0U);
  EXPECT_EQ(make_->create_fixed_tc(7, 2)->fixed_digits(), 7);
  EXPECT_EQ(make_->create_fixed_tc(7, 2)->fixed_scale(), 2);
  EXPECT_EQ(color()->member_name(2), "blue");
  const auto u = num();
  EXPECT_EQ(u->default_index(), 2);
  EXPECT_EQ(u->discriminator_type()->kind(), TCKind::tk_long);
  std::int32_t label = 0;
  EXPECT_TRUE(u->member_label(1) >>= label);
  EXPECT_EQ(label, 2);
  std::uint8_t octet = 1;
  EXPECT_TRUE(u->member_label(2) >>= octet);
  EXPECT_EQ(octet, 0);
}

TEST_F(TypeCodes, RefuseWhatTheirKindHasNot) {
  EXPECT_THROW(CORBA::_tc_long->id(), TypeCode::BadKind);
  EXPECT_THROW(CORBA::_tc_long->member_count(), TypeCode::BadKind);
  EXPECT_THROW(color()->member_type(0), TypeCode::BadKind);
  EXPECT_THROW(node()->content_type(), TypeCode::BadKind);
  EXPECT_THROW(node()->length(), TypeCode::BadKind);
  EXPECT_THROW(node()->member_name(2), TypeCode::Bounds);
  EXPECT_THROW(node()->fixed_digits(), TypeCode::BadKind);
  EXPECT_THROW(node()->member_visibility(0), TypeCode::BadKind);
}

TEST_F(TypeCodes, InnerTypesOutliveTheOuter) {
  auto inner = value_of<typecode_reference>(octets_of(node(), true), true)->member_type(1);
  EXPECT_EQ(inner->content_type()->member_type(1)->content_type()->name(), "Node");
}

TEST_F(TypeCodes, AreEquivalentWhateverTheNames) {
  const auto plain = make_->create_struct_tc("", "", {{"", CORBA::_tc_long}});
  const auto named = make_->create_struct_tc("IDL:S:1.0", "S", {{"x", CORBA::_tc_long}});
  const auto other = make_->create_struct_tc("IDL:T:1.0", "S", {{"x", CORBA::_tc_long}});
  const auto alias = make_->create_alias_tc("IDL:A:1.0", "A", named);
  EXPECT_TRUE(plain->equivalent(named));
  EXPECT_TRUE(named->equivalent(alias));
  EXPECT_TRUE(alias->equivalent(named));
  EXPECT_FALSE(named->equivalent(other));
  EXPECT_FALSE(named->equal(alias));
  EXPECT_FALSE(plain->equal(named));
  EXPECT_FALSE(plain->equivalent(make_->create_struct_tc("", "", {{"", CORBA::_tc_short}})));
  EXPECT_FALSE(make_->create_string_tc(4)->equivalent(CORBA::_tc_string));
  EXPECT_FALSE(plain->equivalent(nullptr));
}

TEST_F(TypeCodes, RecursiveOnesCanBeComparedWithoutIds) {
  const auto compact = node()->get_compact_typecode();
  EXPECT_EQ(compact->name(), "");
  EXPECT_EQ(compact->member_name(0), "");
  EXPECT_EQ(compact->id(), "IDL:Node:1.0");
  EXPECT_TRUE(compact->equivalent(node()));
  EXPECT_FALSE(compact->equal(node()));
}

TEST_F(TypeCodes, FactoryRefusesWhatIsNoIdl) {
  EXPECT_THROW(make_->create_struct_tc("IDL:S:1.0", "1", {}), CORBA::BAD_PARAM);
  EXPECT_THROW(make_->create_struct_tc("S", "S", {}), CORBA::BAD_PARAM);
  EXPECT_THROW(make_->create_struct_tc("IDL:S:1.0", "S", {{"a", CORBA::_tc_long}, {"A", CORBA::_tc_long}}),
               CORBA::BAD_PARAM);
  EXPECT_THROW(make_->create_sequence_tc(0, CORBA::_tc_void), CORBA::BAD_TYPECODE);
  EXPECT_THROW(make_->create_sequence_tc(0, nullptr), CORBA::BAD_TYPECODE);
  EXPECT_THROW(make_->create_fixed_tc(32, 0), CORBA::BAD_PARAM);
  EXPECT_THROW(make_->create_union_tc("", "", CORBA::_tc_string, {}), CORBA::BAD_PARAM);
  CORBA::Any otherwise;
  otherwise <<= std::uint8_t{0};
  EXPECT_THROW(make_->create_union_tc("IDL:U:1.0", "U", CORBA::_tc_long,
                                      {{"a", otherwise, CORBA::_tc_long}, {"b", otherwise, CORBA::_tc_octet}}),
               CORBA::BAD_PARAM)
      << "two defaults";
  cdr::Encoder encoder;
  mapping::Codec<typecode_reference>::encode(encoder, make_->create_recursive_tc("IDL:S:1.0"));
  EXPECT_FALSE(encoder.ok());
}

TEST_F(TypeCodes, FactorySaysWhatItRefusesAndWhere) {
  const auto said = [](const auto& ask) -> std::string {
    try {
      ask();
    } catch (const CORBA::SystemException& refused) {
      return refused.what();
    }
    return {};
  };
  const auto expect_said = [&](std::string_view what, const auto& ask) {
    const std::string text = said(ask);
    EXPECT_NE(text.find(what), std::string::npos) << text;
  };
  using Values = CORBA::TypeCodeFactory::ValueMemberSeq;
  const auto& number = CORBA::_tc_long;
  expect_said("create_struct_tc: member 1: its TypeCode is nil", [&] {
    make_->create_struct_tc("IDL:S:1.0", "S", {{"a", number}, {"b", nullptr}});
  });
  expect_said("create_struct_tc: member 0: no value can be of its type", [&] {
    make_->create_struct_tc("IDL:S:1.0", "S", {{"a", CORBA::_tc_void}});
  });
  expect_said("create_exception_tc: member 0: its TypeCode is nil", [&] {
    make_->create_exception_tc("IDL:E:1.0", "E", {{"a", nullptr}});
  });
  expect_said("create_exception_tc: there is no repository id", [&] { make_->create_exception_tc("", "E", {}); });
  CORBA::Any label;
  label <<= std::int32_t{1};
  expect_said("create_union_tc: member 0: its TypeCode is nil", [&] {
    make_->create_union_tc("IDL:U:1.0", "U", number, {{"a", label, nullptr}});
  });
  expect_said("create_union_tc: member 1: another one has this label", [&] {
    make_->create_union_tc("IDL:U:1.0", "U", number, {{"a", label, number}, {"b", label, number}});
  });
  expect_said("create_union_tc: the discriminator's TypeCode is nil",
              [&] { make_->create_union_tc("IDL:U:1.0", "U", nullptr, {}); });
  expect_said("create_value_tc: member 0: its TypeCode is nil", [&] {
    make_->create_value_tc("IDL:V:1.0", "V", CORBA::VM_NONE, nullptr, Values{{"a", nullptr}});
  });
  expect_said("create_event_tc: member 0: its TypeCode is nil", [&] {
    make_->create_event_tc("IDL:V:1.0", "V", CORBA::VM_NONE, nullptr, Values{{"a", nullptr}});
  });
  expect_said("create_sequence_tc: its TypeCode is nil", [&] { make_->create_sequence_tc(0, nullptr); });
  expect_said("create_array_tc: its TypeCode is nil", [&] { make_->create_array_tc(1, nullptr); });
  expect_said("create_alias_tc: its TypeCode is nil", [&] { make_->create_alias_tc("IDL:A:1.0", "A", nullptr); });
  expect_said("create_value_box_tc: its TypeCode is nil",
              [&] { make_->create_value_box_tc("IDL:B:1.0", "B", nullptr); });
  expect_said("create_enum_tc: member 1: another one has this name: a", [&] {
    make_->create_enum_tc("IDL:E:1.0", "E", {"a", "A"});
  });
  expect_said("create_enum_tc: the name is no identifier: 1", [&] { make_->create_enum_tc("IDL:E:1.0", "1", {}); });
}

TEST_F(TypeCodes, ThatAreNotPartOfTheirTypeYetAnswerNothing) {
  const auto open = make_->create_recursive_tc("IDL:S:1.0");
  const auto expect_bad = [](const auto& ask) {
    try {
      ask();
      ADD_FAILURE();
    } catch (const CORBA::BAD_TYPECODE& bad) {
      EXPECT_EQ(bad.minor(), CORBA::OMGVMCID | 1);
    }
  };
  expect_bad([&] { (void)open->kind(); });
  expect_bad([&] { (void)open->id(); });
  expect_bad([&] { (void)open->name(); });
  expect_bad([&] { (void)open->member_count(); });
  expect_bad([&] { (void)open->member_name(0); });
  expect_bad([&] { (void)open->member_type(0); });
  expect_bad([&] { (void)open->member_label(0); });
  expect_bad([&] { (void)open->content_type(); });
  expect_bad([&] { (void)open->concrete_base_type(); });
  expect_bad([&] { (void)open->equal(open); });
  expect_bad([&] { (void)open->equivalent(CORBA::_tc_null); });
  expect_bad([&] { (void)open->get_compact_typecode(); });
  const auto around = make_->create_sequence_tc(0, open);
  EXPECT_EQ(around->kind(), TCKind::tk_sequence);
  expect_bad([&] { (void)around->content_type()->kind(); });
  const auto made = make_->create_struct_tc("IDL:S:1.0", "S", {{"kids", around}});
  EXPECT_EQ(made->member_type(0)->content_type()->kind(), TCKind::tk_struct);
  EXPECT_EQ(made->member_type(0)->content_type()->id(), "IDL:S:1.0");
}

TEST_F(TypeCodes, SurviveMutation) {
  for (const auto& type : some()) {
    expect_survives_mutation<typecode_reference>(octets_of(type, true));
    expect_survives_mutation<typecode_reference>(octets_of(type, false));
  }
}

/// Little-endian octets by hand.
base::Bytes words(std::initializer_list<std::uint32_t> values) {
  cdr::Encoder encoder({.little_endian = true});
  for (const auto value : values) encoder.put(value);
  return encoder.to_bytes();
}

TEST_F(TypeCodes, AliasesOfNothingButThemselvesAreRefused) {
  // tk_alias, 28 octets: byte order, "" "", indirection to itself.
  const auto octets = words({21, 28, 1, 1, 0, 1, 0, 0xffffffff, static_cast<std::uint32_t>(-32)});
  cdr::Decoder decoder(octets, {.little_endian = true});
  EXPECT_EQ(decode_type(decoder), nullptr);
  EXPECT_FALSE(decoder.ok());
}

TEST_F(TypeCodes, AUnionWhoseDiscriminatorIsAnAliasOfNothingButItselfIsRefused) {
  // tk_union, 72 octets: byte order, "" "", the alias of the test above, no default, one member with its label.
  const auto octets = words(
      {16, 72, 1, 1, 0, 1, 0, 21, 28, 1, 1, 0, 1, 0, 0xffffffff, static_cast<std::uint32_t>(-32), 0xffffffff, 1, 0, 0});
  cdr::Decoder decoder(octets, {.little_endian = true});
  EXPECT_EQ(decode_type(decoder), nullptr);
  EXPECT_FALSE(decoder.ok());
}

TEST_F(TypeCodes, FitOnlyIfEveryDetailOfTheStructureDoes) {
  const auto expect = [&](const typecode_reference& a, const typecode_reference& b, bool equivalent, bool fits,
                          bool equal) {
    EXPECT_EQ(a->equivalent(b), equivalent) << *a << " and " << *b;
    EXPECT_EQ(b->equivalent(a), equivalent) << *a << " and " << *b;
    EXPECT_EQ(a->_fits(*b), fits) << *a << " and " << *b;
    EXPECT_EQ(b->_fits(*a), fits) << *a << " and " << *b;
    EXPECT_EQ(a->equal(b), equal) << *a << " and " << *b;
    EXPECT_EQ(b->equal(a), equal) << *a << " and " << *b;
  };
  const auto pair = [&](const std::string& id, const typecode_reference& x, const typecode_reference& y) {
    return make_->create_struct_tc(id, "", {{"", x}, {"", y}});
  };
  const auto value = [&](const std::string& id, CORBA::ValueModifier modifier, CORBA::Visibility access) {
    return make_->create_value_tc(id, "", modifier, nullptr, {{"", CORBA::_tc_long, access}});
  };
  const auto choice = [&](const std::string& id, std::int32_t first, std::int32_t second) {
    CORBA::Any a, b;
    a <<= first;
    b <<= second;
    return make_->create_union_tc(id, "", CORBA::_tc_long, {{"", a, CORBA::_tc_long}, {"", b, CORBA::_tc_octet}});
  };
  expect(make_->create_fixed_tc(7, 2), make_->create_fixed_tc(7, 2), true, true, true);
  expect(make_->create_fixed_tc(7, 2), make_->create_fixed_tc(7, 3), false, false, false);
  expect(make_->create_fixed_tc(7, 2), make_->create_fixed_tc(8, 2), false, false, false);
  expect(make_->create_sequence_tc(3, CORBA::_tc_long), make_->create_sequence_tc(4, CORBA::_tc_long), false, false,
         false);
  expect(make_->create_array_tc(3, CORBA::_tc_long), make_->create_array_tc(4, CORBA::_tc_long), false, false, false);
  expect(make_->create_wstring_tc(3), make_->create_wstring_tc(4), false, false, false);
  // Behind equal ids everything may be different.
  const std::string id = "IDL:S:1.0";
  expect(pair(id, CORBA::_tc_long, CORBA::_tc_short), pair(id, CORBA::_tc_long, CORBA::_tc_short), true, true, true);
  expect(pair(id, CORBA::_tc_long, CORBA::_tc_short), pair(id, CORBA::_tc_long, CORBA::_tc_long), true, false, false);
  expect(pair(id, CORBA::_tc_long, CORBA::_tc_short), pair("", CORBA::_tc_long, CORBA::_tc_short), true, true, false);
  expect(pair(id, CORBA::_tc_long, CORBA::_tc_short), pair("IDL:T:1.0", CORBA::_tc_long, CORBA::_tc_short), false,
         false, false);
  expect(pair(id, CORBA::_tc_long, CORBA::_tc_long), make_->create_struct_tc(id, "", {{"", CORBA::_tc_long}}), true,
         false, false);
  expect(choice(id, 1, 2), choice(id, 1, 2), true, true, true);
  expect(choice(id, 1, 2), choice(id, 1, 3), true, false, false);
  expect(choice("", 1, 2), choice("", 1, 3), false, false, false);
  expect(make_->create_enum_tc(id, "", {"a", "b"}), make_->create_enum_tc(id, "", {"a", "b", "c"}), true, false, false);
  expect(make_->create_enum_tc(id, "", {"a", "b"}), make_->create_enum_tc(id, "", {"a", "c"}), true, true, false);
  // Whether a value may be truncated, and which code sees its members, is not part of its octets.
  expect(value(id, CORBA::VM_NONE, 0), value(id, CORBA::VM_NONE, 0), true, true, true);
  expect(value(id, CORBA::VM_NONE, 0), value(id, CORBA::VM_TRUNCATABLE, 0), true, true, false);
  expect(value(id, CORBA::VM_NONE, 0), value(id, CORBA::VM_NONE, 1), true, true, false);
  const auto base = value("IDL:B:1.0", CORBA::VM_NONE, 0);
  expect(make_->create_value_tc(id, "", CORBA::VM_NONE, base, {}),
         make_->create_value_tc(id, "", CORBA::VM_NONE, nullptr, {}), true, false, false);
}

TEST_F(TypeCodes, ABaseThatIsStillBeingReadIsABase) {
  // valuetype Node { public Derived d; }; valuetype Derived : Node {};
  const auto derived = make_->create_value_tc("IDL:Derived:1.0", "Derived", CORBA::VM_NONE,
                                              make_->create_recursive_tc("IDL:Node:1.0"), {});
  const auto type =
      make_->create_value_tc("IDL:Node:1.0", "Node", CORBA::VM_NONE, nullptr, {{"d", derived, CORBA::PUBLIC_MEMBER}});
  for (const bool little : {false, true}) {
    const base::Bytes octets = octets_of(type, little);
    const auto back = value_of<typecode_reference>(octets, little);
    const auto inner = back->member_type(0);
    ASSERT_NE(inner->concrete_base_type(), nullptr);
    EXPECT_EQ(&*inner->concrete_base_type(), &*back);
    EXPECT_EQ(back->concrete_base_type(), nullptr);
    EXPECT_TRUE(back->equal(type));
    EXPECT_TRUE(back->_fits(*type));
    EXPECT_EQ(octets_of(back, little), octets);
  }
  // As the specification has it (9.3.5.1): tk_value, its encapsulation, the base an indirection to the whole.
  EXPECT_EQ(base::to_hex(octets_of(type, false)),
            "0000001d00000072"
            "000000000000000d49444c3a4e6f64653a312e3000000000000000054e6f646500000000"
            "0000000000000001"
            "0000000264000000"
            "0000001d00000034"
            "000000000000001049444c3a446572697665643a312e3000000000084465726976656400"
            "00000000ffffffffffffff90"
            "00000000"
            "0001");
}

TEST_F(TypeCodes, DepthIsLimited) {
  typecode_reference type = CORBA::_tc_long;
  for (int i = 0; i < 200; ++i) type = make_->create_sequence_tc(0, type);
  const auto octets = octets_of(type, true);
  cdr::Decoder decoder(octets, {.little_endian = true});
  EXPECT_EQ(decode_type(decoder), nullptr);
  EXPECT_EQ(decoder.error().code, base::Code::too_deep);
}

TEST_F(TypeCodes, WhatTheyContainTwiceIsWrittenOnce) {
  typecode_reference type = make_->create_struct_tc("IDL:S:1.0", "S", {});
  for (int i = 0; i < 40; ++i) type = make_->create_struct_tc("", "", {{"a", type}, {"b", type}});
  const auto octets = octets_of(type, true);
  EXPECT_LT(octets.size(), 8000U);
  EXPECT_TRUE(value_of<typecode_reference>(octets, true)->equal(type));
}

}  // namespace
}  // namespace corbel::dynamic
