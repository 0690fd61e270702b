// SPDX-License-Identifier: Apache-2.0
// Generated TypeCodes, and generated types in Anys.
#include <gtest/gtest.h>

#include <corbel/dynamic/corba_types.hpp>
#include <corbel/dynamic/known_type.hpp>

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

/// Puts in what `thrown` is caught as, and takes it out as what it is.
template <class Base, class E>
E through_base(const E& thrown) {
  CORBA::Any any;
  try {
    thrown._raise();
  } catch (const Base& exception) {
    any <<= exception;
  }
  E there;
  EXPECT_TRUE(any >>= there);
  EXPECT_STREQ(there.what(), thrown.what());
  EXPECT_TRUE(any.type()->equal(corbel::dynamic::TypeOf<E>::code._reference()));
  E arrived;
  EXPECT_TRUE(travel(travel(any, true), false) >>= arrived);
  return arrived;
}

TEST(GeneratedAny, CarriesExceptionsOfWhichOnlyABaseIsKnown) {
  const auto failed = through_base<CORBA::UserException>(Types::Failed("name", 7, Types::Color::green));
  EXPECT_EQ(failed.name(), "name");
  EXPECT_EQ(failed.id(), 7);
  EXPECT_EQ(through_base<CORBA::Exception>(Types::Base::Refused(Types::Base::Report(Types::Base::State::busy, {1, 2})))
                .last()
                .data(),
            (std::vector<std::int32_t>{1, 2}));
  (void)through_base<CORBA::Exception>(Types::Plain());
  const auto system = through_base<CORBA::SystemException>(CORBA::TRANSIENT(5, CORBA::CompletionStatus::COMPLETED_YES));
  EXPECT_EQ(system.minor(), 5U);
  EXPECT_EQ(system.completed(), CORBA::CompletionStatus::COMPLETED_YES);
}

TEST(GeneratedAny, KnowsTheLibrarysExceptionsByTheirBase) {
  EXPECT_EQ(through_base<CORBA::UserException>(CORBA::PolicyError(3)).reason(), 3);
}

/// As if generated, in a program without what belongs to its Anys.
class Unknown : public CORBA::UserException {
 public:
  explicit Unknown(bool member) : member_(member) {}
  [[noreturn]] void _raise() const override { throw Unknown(*this); }
  const char* _rep_id() const noexcept override { return "IDL:corbel.test/Unknown:1.0"; }
  const char* _name() const noexcept override { return "Unknown"; }
  void _encode(corbel::cdr::Encoder& encoder) const override {
    encoder.put_plain_string(_rep_id());
    if (member_) encoder.put(std::uint8_t{7});
  }

 private:
  bool member_;
};

TEST(GeneratedAny, NeedsNoTypeCodeOfExceptionsWithoutMembers) {
  CORBA::Any any;
  any <<= Unknown(false);
  EXPECT_EQ(any.type()->id(), "IDL:corbel.test/Unknown:1.0");
  EXPECT_EQ(any.type()->kind(), CORBA::TCKind::tk_except);
  EXPECT_EQ(any.type()->member_count(), 0U);
  CORBA::Any other;
  EXPECT_THROW(other <<= Unknown(true), CORBA::BAD_TYPECODE);
  EXPECT_EQ(other.type()->kind(), CORBA::TCKind::tk_null);
  const corbel::dynamic::TypeMember members[] = {{"seven", &CORBA::detail::k_octet}};
  const CORBA::TypeCode code{corbel::dynamic::TypeNode{
      .kind = CORBA::TCKind::tk_except, .id = "IDL:corbel.test/Unknown:1.0", .name = "Unknown", .members = members}};
  {
    const corbel::dynamic::KnownType known(code);
    other <<= Unknown(true);
    EXPECT_EQ(other.type()->member_count(), 1U);
  }
  EXPECT_THROW(other <<= Unknown(true), CORBA::BAD_TYPECODE);
  other = CORBA::Any();
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
