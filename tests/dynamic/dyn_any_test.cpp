// SPDX-License-Identifier: Apache-2.0
#include "corbel/dynamic/dyn_any.hpp"

#include "corbel/dynamic/type_factory.hpp"
#include "corbel/dynamic/type_of_extended.hpp"
#include "orb_support.hpp"

namespace corbel::dynamic {
namespace {

using CORBA::Any;
using CORBA::typecode_reference;
using DynamicAny::DynAny;

template <class T>
Any any_of(const T& value) {
  Any any;
  any <<= value;
  return any;
}

class DynAnys : public WithOrb {
 protected:
  template <class D = DynAny>
  CORBA::object_reference<D> made(const typecode_reference& type) {
    return IDL::traits<D>::narrow(factory_->create_dyn_any_from_type_code(type));
  }
  template <class D = DynAny>
  CORBA::object_reference<D> opened(const Any& any) {
    return IDL::traits<D>::narrow(factory_->create_dyn_any(any));
  }

  typecode_reference point() {
    return types_->create_struct_tc("IDL:Point:1.0", "Point", {{"x", CORBA::_tc_short}, {"name", CORBA::_tc_string}});
  }
  /// case 1: string text; case 2: point spot; default: double other.
  typecode_reference choice(bool with_default) {
    CORBA::TypeCodeFactory::UnionMemberSeq members = {{"text", any_of(std::int32_t{1}), CORBA::_tc_string},
                                                      {"spot", any_of(std::int32_t{2}), point()}};
    if (with_default) members.push_back({"other", any_of(std::uint8_t{0}), CORBA::_tc_double});
    return types_->create_union_tc("IDL:Choice:1.0", "Choice", CORBA::_tc_long, members);
  }

  CORBA::object_reference<DynamicAny::DynAnyFactory> factory_ = initial<DynamicAny::DynAnyFactory>("DynAnyFactory");
  CORBA::object_reference<CORBA::TypeCodeFactory> types_ = CORBA::make_reference<CORBA::TypeCodeFactory>();
};

template <class T>
void expect_default(const CORBA::object_reference<DynAny>& dyn, const T& expected) {
  T value{};
  ASSERT_TRUE(dyn->to_any() >>= value) << *dyn->type();
  EXPECT_TRUE(value == expected) << *dyn->type();
}

TEST_F(DynAnys, BeginWithTheDefaultOfTheirType) {
  expect_default(made(CORBA::_tc_boolean), false);
  expect_default(made(CORBA::_tc_char), '\0');
  expect_default(made(CORBA::_tc_wchar), L'\0');
  expect_default(made(CORBA::_tc_octet), std::uint8_t{0});
  expect_default(made(CORBA::_tc_longlong), std::int64_t{0});
  expect_default(made(CORBA::_tc_float), 0.0F);
  expect_default(made(CORBA::_tc_double), 0.0);
  expect_default(made(CORBA::_tc_longdouble), 0.0L);
  expect_default(made(CORBA::_tc_string), std::string());
  expect_default(made(CORBA::_tc_wstring), std::wstring());
  expect_default(made(CORBA::_tc_any), Any());
  expect_default(made(CORBA::_tc_Object), CORBA::object_reference<CORBA::Object>());
  expect_default(made(types_->create_sequence_tc(0, CORBA::_tc_long)), std::vector<std::int32_t>());
  expect_default(made(types_->create_array_tc(3, CORBA::_tc_short)), std::array<std::int16_t, 3>{});
  EXPECT_EQ(made(CORBA::_tc_TypeCode)->get_typecode()->kind(), CORBA::TCKind::tk_null);
  EXPECT_EQ(made(CORBA::_tc_null)->to_any().type()->kind(), CORBA::TCKind::tk_null);
}

TEST_F(DynAnys, OfAnysInAnysEnd) {
  Any any = any_of(std::int32_t{1});
  for (int i = 0; i < 200'000; ++i) any = any_of(any);
  const auto dyn = opened(any);
  EXPECT_THROW(dyn->get_dyn_any(), CORBA::MARSHAL);
  EXPECT_THROW(dyn->get_any(), CORBA::MARSHAL);
  EXPECT_THROW(made(CORBA::_tc_any)->insert_any(any), CORBA::MARSHAL);
  EXPECT_THROW(dyn->equal(opened(any_of(any))), CORBA::MARSHAL);
  dyn->destroy();
  // One more each time.
  auto grown = made(CORBA::_tc_any);
  const auto grow = [&] {
    for (int i = 0; i < 10'000; ++i) {
      auto outer = made(CORBA::_tc_any);
      outer->insert_dyn_any(grown);
      grown = outer;
    }
  };
  EXPECT_THROW(grow(), CORBA::MARSHAL);
}

template <class T, class Insert, class Get>
void expect_kept(const CORBA::object_reference<DynAny>& dyn, const T& value, Insert insert, Get get) {
  (*dyn.*insert)(value);
  EXPECT_TRUE((*dyn.*get)() == value) << *dyn->type();
  T extracted{};
  ASSERT_TRUE(dyn->to_any() >>= extracted) << *dyn->type();
  EXPECT_TRUE(extracted == value) << *dyn->type();
}

TEST_F(DynAnys, KeepWhatIsInserted) {
  expect_kept(made(CORBA::_tc_boolean), true, &DynAny::insert_boolean, &DynAny::get_boolean);
  expect_kept(made(CORBA::_tc_octet), std::uint8_t{200}, &DynAny::insert_octet, &DynAny::get_octet);
  expect_kept(made(CORBA::_tc_char), 'x', &DynAny::insert_char, &DynAny::get_char);
  expect_kept(made(CORBA::_tc_short), std::int16_t{-2}, &DynAny::insert_short, &DynAny::get_short);
  expect_kept(made(CORBA::_tc_ushort), std::uint16_t{65535}, &DynAny::insert_ushort, &DynAny::get_ushort);
  expect_kept(made(CORBA::_tc_long), std::int32_t{-70000}, &DynAny::insert_long, &DynAny::get_long);
  expect_kept(made(CORBA::_tc_ulong), std::uint32_t{4000000000}, &DynAny::insert_ulong, &DynAny::get_ulong);
  expect_kept(made(CORBA::_tc_longlong), std::int64_t{-5000000000}, &DynAny::insert_longlong, &DynAny::get_longlong);
  expect_kept(made(CORBA::_tc_ulonglong), std::uint64_t{1} << 63, &DynAny::insert_ulonglong, &DynAny::get_ulonglong);
  expect_kept(made(CORBA::_tc_float), 1.5F, &DynAny::insert_float, &DynAny::get_float);
  expect_kept(made(CORBA::_tc_double), -2.25, &DynAny::insert_double, &DynAny::get_double);
  expect_kept(made(CORBA::_tc_longdouble), 1.0L / 3, &DynAny::insert_longdouble, &DynAny::get_longdouble);
  expect_kept(made(CORBA::_tc_wchar), L'\u20ac', &DynAny::insert_wchar, &DynAny::get_wchar);
  expect_kept(made(CORBA::_tc_string), std::string("grüße"), &DynAny::insert_string, &DynAny::get_string);
  expect_kept(made(CORBA::_tc_wstring), std::wstring(L"grüße"), &DynAny::insert_wstring, &DynAny::get_wstring);
  expect_kept(made(CORBA::_tc_any), any_of(1.5F), &DynAny::insert_any, &DynAny::get_any);
  const auto object = orb_->string_to_object("corbaloc::127.0.0.1:1/key");
  const auto reference = made(CORBA::_tc_Object);
  reference->insert_reference(object);
  EXPECT_TRUE(reference->get_reference()->_is_equivalent(object));
  const auto type = made(CORBA::_tc_TypeCode);
  type->insert_typecode(point());
  EXPECT_TRUE(type->get_typecode()->equal(point()));
  EXPECT_THROW(type->insert_typecode(nullptr), DynAny::InvalidValue);
}

TEST_F(DynAnys, RefuseValuesOfOtherTypes) {
  const auto number = made(CORBA::_tc_long);
  EXPECT_THROW(number->insert_ulong(1), DynAny::TypeMismatch);
  EXPECT_THROW((void)number->get_short(), DynAny::TypeMismatch);
  EXPECT_THROW(number->from_any(any_of(1.5)), DynAny::TypeMismatch);
  EXPECT_THROW(number->from_any(Any(CORBA::_tc_long, nullptr)), DynAny::InvalidValue);
  EXPECT_THROW(number->assign(made(CORBA::_tc_float)), DynAny::TypeMismatch);
  EXPECT_THROW((void)number->current_component(), DynAny::TypeMismatch);
  EXPECT_EQ(number->component_count(), 0U);
  EXPECT_FALSE(number->seek(0));
  const auto text = made(types_->create_string_tc(3));
  text->insert_string("abc");
  EXPECT_THROW(text->insert_string("abcd"), DynAny::InvalidValue);
  EXPECT_EQ(text->get_string(), "abc");
}

TEST_F(DynAnys, LookThroughAliases) {
  const auto alias = types_->create_alias_tc("IDL:Age:1.0", "Age", CORBA::_tc_long);
  const auto age = made(alias);
  age->insert_long(7);
  EXPECT_EQ(age->type()->name(), "Age");
  EXPECT_EQ(age->to_any().type()->name(), "Age");
  age->from_any(any_of(std::int32_t{8}));
  EXPECT_EQ(age->to_any().type()->name(), "Age");
  EXPECT_EQ(age->get_long(), 8);
}

TEST_F(DynAnys, OfStructsHaveTheirMembersAsComponents) {
  const auto dyn = made<DynamicAny::DynStruct>(point());
  ASSERT_EQ(dyn->component_count(), 2U);
  dyn->insert_short(-3);
  EXPECT_EQ(dyn->current_member_name(), "x");
  EXPECT_THROW(dyn->insert_string("first member is a short"), DynAny::TypeMismatch);
  ASSERT_TRUE(dyn->next());
  dyn->insert_string("here");
  EXPECT_EQ(dyn->current_member_kind(), CORBA::TCKind::tk_string);
  EXPECT_FALSE(dyn->next());
  EXPECT_TRUE(dyn->current_component() == nullptr);
  EXPECT_THROW(dyn->insert_string(""), DynAny::InvalidValue);
  EXPECT_THROW((void)dyn->current_member_name(), DynAny::InvalidValue);
  ASSERT_TRUE(dyn->next());
  EXPECT_EQ(dyn->get_short(), -3);
  EXPECT_FALSE(dyn->seek(-1));
  EXPECT_FALSE(dyn->seek(2));
  const auto members = dyn->get_members();
  ASSERT_EQ(members.size(), 2U);
  EXPECT_EQ(members[1].id(), "name");
  EXPECT_TRUE(members[1].value() == any_of(std::string("here")));
}

TEST_F(DynAnys, OfStructsTakeAllMembersAtOnceOrNone) {
  const auto dyn = made<DynamicAny::DynStruct>(point());
  const Any x = any_of(std::int16_t{4}), name = any_of(std::string("there"));
  dyn->seek(1);
  dyn->set_members({{"x", x}, {"", name}});
  EXPECT_EQ(dyn->get_short(), 4);
  EXPECT_THROW(dyn->set_members({{"x", x}}), DynAny::InvalidValue);
  EXPECT_THROW(dyn->set_members({{"y", x}, {"name", name}}), DynAny::TypeMismatch);
  EXPECT_THROW(dyn->set_members({{"x", name}, {"name", name}}), DynAny::TypeMismatch);
  const auto other = made<DynamicAny::DynStruct>(point());
  other->set_members_as_dyn_any(dyn->get_members_as_dyn_any());
  EXPECT_TRUE(other->equal(dyn));
}

TEST_F(DynAnys, ComponentsArePartOfTheWhole) {
  const auto dyn = made<DynamicAny::DynStruct>(types_->create_struct_tc("", "", {{"at", point()}}));
  const auto inner = dyn->current_component();
  inner->insert_short(9);
  EXPECT_THROW((void)dyn->get_short(), DynAny::TypeMismatch);
  const auto again = opened<DynamicAny::DynStruct>(dyn->to_any());
  EXPECT_EQ(again->current_component()->get_short(), 9);
  EXPECT_TRUE(again->equal(dyn));
  const auto copy = dyn->copy();
  inner->insert_short(10);
  EXPECT_FALSE(copy->equal(dyn));
  inner->destroy();
  EXPECT_EQ(inner->get_short(), 10);
  dyn->destroy();
  EXPECT_THROW((void)inner->get_short(), CORBA::OBJECT_NOT_EXIST);
  EXPECT_THROW((void)dyn->to_any(), CORBA::OBJECT_NOT_EXIST);
  EXPECT_EQ(copy->component_count(), 1U);
}

TEST_F(DynAnys, OfExceptionsKeepTheirId) {
  const auto type = types_->create_exception_tc("IDL:Oops:1.0", "Oops", {{"why", CORBA::_tc_string}});
  const auto dyn = made<DynamicAny::DynStruct>(type);
  dyn->insert_string("because");
  const Any any = dyn->to_any();
  any._decode_value([](cdr::Decoder& in) {
    EXPECT_EQ(in.get_plain_string(), "IDL:Oops:1.0");
    EXPECT_EQ(in.get_plain_string(), "because");
  });
  EXPECT_EQ(opened(any)->get_string(), "because");
  const auto empty = made<DynamicAny::DynStruct>(types_->create_exception_tc("IDL:Empty:1.0", "Empty", {}));
  EXPECT_EQ(empty->component_count(), 0U);
  EXPECT_THROW((void)empty->current_member_name(), DynAny::TypeMismatch);
  EXPECT_TRUE(opened(empty->to_any())->equal(empty));
}

TEST_F(DynAnys, OfSequencesGrowAndShrink) {
  const auto dyn = made<DynamicAny::DynSequence>(types_->create_sequence_tc(4, CORBA::_tc_long));
  EXPECT_EQ(dyn->get_length(), 0U);
  EXPECT_TRUE(dyn->current_component() == nullptr);
  EXPECT_THROW(dyn->insert_long(1), DynAny::InvalidValue);
  dyn->set_length(2);
  dyn->insert_long(10);
  dyn->next();
  dyn->insert_long(20);
  EXPECT_EQ(dyn->get_long_seq(), (std::vector<std::int32_t>{10, 20}));
  dyn->set_length(1);
  EXPECT_TRUE(dyn->current_component() == nullptr);
  dyn->set_length(3);
  dyn->insert_long(30);
  EXPECT_EQ(dyn->get_long_seq(), (std::vector<std::int32_t>{10, 30, 0}));
  EXPECT_THROW(dyn->set_length(5), DynAny::InvalidValue);
  EXPECT_THROW(dyn->insert_long_seq(std::vector<std::int32_t>(5)), DynAny::InvalidValue);
  EXPECT_THROW(dyn->insert_short_seq({1}), DynAny::TypeMismatch);
  EXPECT_EQ(dyn->get_elements().size(), 3U);
  EXPECT_THROW(dyn->set_elements({any_of(1.5)}), DynAny::TypeMismatch);
  EXPECT_THROW(dyn->set_elements(std::vector<Any>(5, any_of(std::int32_t{1}))), DynAny::InvalidValue);
  dyn->set_elements({any_of(std::int32_t{7})});
  EXPECT_EQ(dyn->get_long(), 7);
  const auto other = made<DynamicAny::DynSequence>(dyn->type());
  other->set_elements_as_dyn_any(dyn->get_elements_as_dyn_any());
  EXPECT_TRUE(other->equal(dyn));
}

template <class T, class Insert, class Get>
void expect_elements(const CORBA::object_reference<DynAny>& dyn, const std::vector<T>& value, Insert insert, Get get) {
  (*dyn.*insert)(value);
  EXPECT_TRUE((*dyn.*get)() == value) << *dyn->type();
  EXPECT_EQ(dyn->component_count(), value.size());
}

TEST_F(DynAnys, OfSequencesAndArraysTakeVectors) {
  const auto sequence = [&](const typecode_reference& element) { return made(types_->create_sequence_tc(0, element)); };
  const auto array = [&](const typecode_reference& element) { return made(types_->create_array_tc(2, element)); };
  expect_elements<bool>(sequence(CORBA::_tc_boolean), {true, false}, &DynAny::insert_boolean_seq,
                        &DynAny::get_boolean_seq);
  expect_elements<bool>(array(CORBA::_tc_boolean), {true, false}, &DynAny::insert_boolean_seq,
                        &DynAny::get_boolean_seq);
  expect_elements<double>(sequence(CORBA::_tc_double), {1.5, 2}, &DynAny::insert_double_seq, &DynAny::get_double_seq);
  expect_elements<double>(array(CORBA::_tc_double), {1.5, 2}, &DynAny::insert_double_seq, &DynAny::get_double_seq);
  expect_elements<wchar_t>(array(CORBA::_tc_wchar), {L'a', L'\u20ac'}, &DynAny::insert_wchar_seq,
                           &DynAny::get_wchar_seq);
  expect_elements<long double>(sequence(CORBA::_tc_longdouble), {1.5L}, &DynAny::insert_longdouble_seq,
                               &DynAny::get_longdouble_seq);
  expect_elements<std::uint8_t>(sequence(CORBA::_tc_octet), std::vector<std::uint8_t>(3000, 7),
                                &DynAny::insert_octet_seq, &DynAny::get_octet_seq);
  EXPECT_THROW(array(CORBA::_tc_long)->insert_long_seq({1}), DynAny::InvalidValue);
  const auto rows = made(types_->create_array_tc(2, types_->create_array_tc(2, CORBA::_tc_char)));
  rows->insert_char_seq({'a', 'b'});
  EXPECT_EQ(rows->current_component()->get_char(), 'a');
  const auto four = IDL::traits<DynamicAny::DynArray>::narrow(array(CORBA::_tc_long));
  EXPECT_THROW(four->set_elements({any_of(std::int32_t{1})}), DynAny::InvalidValue);
}

TEST_F(DynAnys, OfUnionsFollowTheDiscriminator) {
  const auto dyn = made<DynamicAny::DynUnion>(choice(true));
  EXPECT_EQ(dyn->member_name(), "text");
  EXPECT_EQ(dyn->get_discriminator()->get_long(), 1);
  EXPECT_EQ(dyn->component_count(), 2U);
  dyn->member()->insert_string("kept");
  dyn->set_discriminator(opened(any_of(std::int32_t{1})));
  EXPECT_EQ(dyn->get_string(), "kept");
  dyn->set_discriminator(opened(any_of(std::int32_t{2})));
  EXPECT_EQ(dyn->member_kind(), CORBA::TCKind::tk_struct);
  dyn->get_discriminator()->insert_long(77);
  EXPECT_TRUE(dyn->is_set_to_default_member());
  EXPECT_EQ(dyn->member()->get_double(), 0.0);
  dyn->member()->insert_double(2.5);
  dyn->set_to_default_member();
  EXPECT_EQ(dyn->get_discriminator()->get_long(), 77);
  EXPECT_TRUE(opened(dyn->to_any())->equal(dyn));
  EXPECT_EQ(opened<DynamicAny::DynUnion>(dyn->to_any())->member()->get_double(), 2.5);
  EXPECT_THROW(dyn->set_to_no_active_member(), DynAny::TypeMismatch);
  EXPECT_THROW(dyn->set_discriminator(opened(any_of(std::int16_t{2}))), DynAny::TypeMismatch);
  EXPECT_EQ(dyn->discriminator_kind(), CORBA::TCKind::tk_long);
}

TEST_F(DynAnys, OfUnionsMayHaveNoMember) {
  const auto dyn = made<DynamicAny::DynUnion>(choice(false));
  dyn->set_to_no_active_member();
  EXPECT_TRUE(dyn->has_no_active_member());
  EXPECT_EQ(dyn->component_count(), 1U);
  EXPECT_EQ(dyn->get_discriminator()->get_long(), 0);
  EXPECT_THROW((void)dyn->member(), DynAny::InvalidValue);
  EXPECT_THROW((void)dyn->member_name(), DynAny::InvalidValue);
  EXPECT_THROW(dyn->set_to_default_member(), DynAny::TypeMismatch);
  EXPECT_TRUE(opened<DynamicAny::DynUnion>(dyn->to_any())->has_no_active_member());
  const auto full =
      types_->create_union_tc("IDL:Full:1.0", "Full", CORBA::_tc_boolean,
                              {{"yes", any_of(true), CORBA::_tc_long}, {"no", any_of(false), CORBA::_tc_string}});
  EXPECT_THROW(made<DynamicAny::DynUnion>(full)->set_to_no_active_member(), DynAny::TypeMismatch);
}

TEST_F(DynAnys, OfEnumsTakeNamesAndNumbers) {
  const auto dyn = made<DynamicAny::DynEnum>(types_->create_enum_tc("IDL:Hue:1.0", "Hue", {"red", "green"}));
  EXPECT_EQ(dyn->get_as_string(), "red");
  dyn->set_as_string("green");
  EXPECT_EQ(dyn->get_as_ulong(), 1U);
  EXPECT_THROW(dyn->set_as_string("blue"), DynAny::InvalidValue);
  EXPECT_THROW(dyn->set_as_ulong(2), DynAny::InvalidValue);
  EXPECT_THROW(dyn->insert_ulong(0), DynAny::TypeMismatch);
  dyn->set_as_ulong(0);
  EXPECT_EQ(dyn->get_as_string(), "red");
}

TEST_F(DynAnys, OfFixedTakeTexts) {
  const auto dyn = made<DynamicAny::DynFixed>(types_->create_fixed_tc(5, 2));
  EXPECT_EQ(dyn->get_value(), "0.00");
  EXPECT_TRUE(dyn->set_value("-123.45d"));
  EXPECT_EQ(dyn->get_value(), "-123.45");
  EXPECT_FALSE(dyn->set_value("1.239"));
  EXPECT_EQ(dyn->get_value(), "1.23");
  EXPECT_THROW(dyn->set_value("1234.5"), DynAny::InvalidValue);
  EXPECT_TRUE(dyn->set_value(" \t1.23d\n"));
  for (const char* none : {"much", "", " ", "2 .5"}) EXPECT_THROW(dyn->set_value(none), DynAny::TypeMismatch);
  IDL::Fixed<5, 2> value;
  ASSERT_TRUE(dyn->to_any() >>= value);
  EXPECT_EQ(value.to_string(), "1.23");
}

TEST_F(DynAnys, OpenAnysInsideAnys) {
  const auto dyn = made(CORBA::_tc_any);
  const auto inner = made(point());
  inner->insert_short(5);
  dyn->insert_dyn_any(inner);
  EXPECT_TRUE(dyn->get_dyn_any()->equal(inner));
  EXPECT_EQ(dyn->component_count(), 0U);
}

TEST_F(DynAnys, RecursiveTypesEndWithTheirSequences) {
  const auto kids = types_->create_sequence_tc(0, types_->create_recursive_tc("IDL:Node:1.0"));
  const auto node = types_->create_struct_tc("IDL:Node:1.0", "Node", {{"id", CORBA::_tc_long}, {"kids", kids}});
  const auto dyn = made<DynamicAny::DynStruct>(node);
  dyn->seek(1);
  const auto inside = IDL::traits<DynamicAny::DynSequence>::narrow(dyn->current_component());
  inside->set_length(2);
  inside->current_component()->insert_long(6);
  EXPECT_TRUE(opened(dyn->to_any())->equal(dyn));
  EXPECT_FALSE(dyn->equal(made(node)));
}

TEST_F(DynAnys, AreNotMadeOfTypesWithoutValues) {
  using Inconsistent = DynamicAny::DynAnyFactory::InconsistentTypeCode;
  EXPECT_THROW(made(types_->create_native_tc("IDL:N:1.0", "N")), Inconsistent);
  EXPECT_THROW(made(types_->create_local_interface_tc("IDL:L:1.0", "L")), Inconsistent);
  EXPECT_THROW(made(types_->create_struct_tc("", "", {{"n", types_->create_native_tc("IDL:N:1.0", "N")}})),
               Inconsistent);
  EXPECT_THROW(made(nullptr), CORBA::BAD_TYPECODE);
  const CORBA::TypeCode negative_scale{TypeNode{.kind = CORBA::TCKind::tk_fixed, .digits = 5, .scale = -2}};
  EXPECT_THROW(made(negative_scale._reference()), Inconsistent);
  auto monster = CORBA::_tc_double;
  for (int i = 0; i < 4; ++i) monster = types_->create_array_tc(0x10000, monster);
  EXPECT_THROW(made(monster), CORBA::IMP_LIMIT);
}

TEST_F(DynAnys, AreMadeSeveralAtOnce) {
  const std::vector<Any> values = {any_of(1.5), any_of(std::string("two"))};
  const auto made = factory_->create_multiple_dyn_anys(values, false);
  ASSERT_EQ(made.size(), 2U);
  EXPECT_EQ(made[1]->get_string(), "two");
  EXPECT_TRUE(factory_->create_multiple_anys(made) == values);
  EXPECT_TRUE(factory_->create_dyn_any_without_truncation(values[0])->equal(made[0]));
}

}  // namespace
}  // namespace corbel::dynamic
