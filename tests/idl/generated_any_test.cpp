// SPDX-License-Identifier: Apache-2.0
// Generated TypeCodes, and generated types in Anys.
#include <gtest/gtest.h>

#include "names_any.hpp"
#include "types_any.hpp"

namespace {

using corbel::dynamic::TypeOf;

/// Through octets in one byte order, then those sent on in the other.
CORBA::Any travel(const CORBA::Any& any, bool little) {
  using Codec = corbel::mapping::Codec<CORBA::Any>;
  corbel::cdr::Encoder encoder({.little_endian = little});
  Codec::encode(encoder, any);
  EXPECT_TRUE(encoder.ok());
  const auto octets = encoder.to_bytes();
  corbel::cdr::Decoder decoder(octets, encoder.format());
  CORBA::Any result;
  Codec::decode(decoder, result);
  EXPECT_TRUE(decoder.ok());
  EXPECT_EQ(decoder.remaining(), 0U);
  return result;
}

template <class T>
T through(const T& value) {
  CORBA::Any any;
  any <<= value;
  const CORBA::Any back = travel(travel(any, true), false);
  EXPECT_TRUE(back.type()->equal(any.type()));
  T result{};
  EXPECT_TRUE(back >>= result);
  return result;
}

template <class T>
void expect_travels(const T& value) {
  EXPECT_TRUE(through(value) == value);
}

TEST(GeneratedAny, CarriesGeneratedTypes) {
  expect_travels(Types::Color::blue);
  expect_travels(Types::Point(1, -2));
  expect_travels(Types::BinStruct(1, 'c', -3, 4, 0.5));
  expect_travels(std::vector<Types::BinStruct>(20, Types::BinStruct(1, 'c', -3, 4, 0.5)));
  Types::Node node("root", {Types::Node("leaf", {}), Types::Node("leaf", {})});
  expect_travels(node);
  Types::Value value;
  value.text("two", 2);
  expect_travels(value);
  value.real(0.25);
  expect_travels(value);
  Types::By_color nothing;
  nothing._default();
  expect_travels(nothing);
  Types::Tree tree, leaf;
  leaf.leaf(3);
  tree.children({leaf, leaf});
  expect_travels(tree);
  expect_travels(Types::Composed());
  expect_travels(Types::Base::Report(Types::Base::State::busy, {1, 2}));
  expect_travels(Names::_cxx_class(1, 2, 3, "x"));
}

TEST(GeneratedAny, CarriesExceptionsWithTheirId) {
  const Types::Failed back = through(Types::Failed("name", 7, Types::Color::green));
  EXPECT_EQ(back.name(), "name");
  EXPECT_EQ(back.id(), 7);
  EXPECT_EQ(back._cxx_what(), Types::Color::green);
}

TEST(GeneratedAny, CarriesReferences) {
  EXPECT_TRUE(through(IDL::traits<Types::Peer>::ref_type()) == nullptr);
}

TEST(GeneratedTypeCode, SaysWhatTheIdlSays) {
  const auto& color = Types::_tc_Color;
  EXPECT_EQ(color->kind(), CORBA::TCKind::tk_enum);
  EXPECT_EQ(color->id(), "IDL:corbel.test/Types/Color:1.0");
  EXPECT_EQ(color->member_name(1), "green");
  EXPECT_EQ(Types::_tc_Grid->kind(), CORBA::TCKind::tk_alias);
  EXPECT_EQ(Types::_tc_Grid->content_type()->length(), 2U);
  EXPECT_EQ(Types::_tc_Grid->content_type()->content_type()->length(), 3U);
  EXPECT_EQ(Types::_tc_Node->member_type(1)->content_type()->content_type()->name(), "Node");
  EXPECT_EQ(Types::_tc_Value->default_index(), 3);
  EXPECT_EQ(Types::_tc_Value->member_count(), 4U);
  EXPECT_EQ(Types::_tc_Base_Report->id(), "IDL:corbel.test/Types/Base/Report:1.0");
  EXPECT_EQ(Types::_tc_Peer->kind(), CORBA::TCKind::tk_objref);
  EXPECT_EQ(Names::_tc_class->name(), "class");
  EXPECT_TRUE(Types::_tc_Nodes->equivalent(TypeOf<std::vector<Types::Node>>::code._reference()));
}

}  // namespace
