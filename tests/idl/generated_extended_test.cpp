// SPDX-License-Identifier: Apache-2.0
// any, TypeCode, fixed, long double and the types of IDL 4, as generated: round trips, text, TypeCodes.
#include <gtest/gtest.h>

#include <corbel/mapping/print.hpp>
#include <random>

#include "coded.hpp"
#include "extended_any.hpp"
#include "extended_server.hpp"

namespace {

using corbel::base::Bytes;
using corbel::mapping::to_text;
using idl_test::back_from;
using idl_test::octets_of;

template <class T>
void expect_travels(const T& value) {
  for (const bool little : {false, true}) {
    const Bytes octets = octets_of(value, little);
    EXPECT_TRUE(back_from<T>(octets, little) == value);
    for (std::size_t i = 0; i < octets.size(); ++i) {
      Bytes mutated = octets;
      mutated[i] ^= 0x55;
      corbel::cdr::Decoder decoder(mutated, {.little_endian = little});
      T ignored{};
      corbel::mapping::Codec<T>::decode(decoder, ignored);
    }
  }
}

/// Also inside an Any, which proves that the TypeCode says what the codec does.
template <class T>
void expect_travels_in_any(const T& value) {
  expect_travels(value);
  CORBA::Any any;
  any <<= value;
  for (const bool little : {false, true}) {
    const auto received = back_from<CORBA::Any>(octets_of(any, little), little);
    const auto again = back_from<CORBA::Any>(octets_of(received, !little), !little);
    T result{};
    ASSERT_TRUE(again >>= result);
    EXPECT_TRUE(result == value);
  }
}

Extended::Money money(const char* text) {
  return Extended::Money(std::string(text));
}

TEST(GeneratedExtended, CarriesDynamicTypes) {
  CORBA::Any any;
  any <<= std::string("text");
  Extended::Choice choice;
  choice.dynamic_(any);
  expect_travels_in_any(choice);
  choice.money_(money("-0.01"));
  expect_travels_in_any(choice);
  choice.real(1.0L / 3);
  expect_travels_in_any(choice);
  Extended::Dynamic dynamic(any, Extended::_tc_Derived, {any, CORBA::Any()});
  const auto back = back_from<Extended::Dynamic>(octets_of(dynamic, true), true);
  EXPECT_TRUE(back.type()->equal(Extended::_tc_Derived));
  EXPECT_TRUE(back.more() == dynamic.more());
  const Extended::Trouble trouble(any, money("1.50"));
  EXPECT_TRUE(back_from<Extended::Trouble>(octets_of(trouble, false), false).cost() == money("1.50"));
}

TEST(GeneratedExtended, CarriesNumbers) {
  expect_travels_in_any(Extended::Exact(-1, 200, -300, 60000, -70000, 4000000000U, -5000000000, 1ULL << 63));
  expect_travels_in_any(Extended::Numbers(1, -2.5L, money("99999.99"), 3, IDL::Fixed<1, 1>(0.5)));
  EXPECT_EQ(Extended::fee.to_string(), "12345.67");
  EXPECT_EQ(Extended::rate.to_string(), "1.25");
  EXPECT_EQ(Extended::third, 1.0L / 3.0L);
  EXPECT_EQ(Extended::smallest, -128);
}

TEST(GeneratedExtended, CarriesDerivedStructsBaseFirst) {
  const Extended::Derived derived(Extended::Base(1, "one"), 0.5, Extended::Nothing());
  expect_travels_in_any(derived);
  expect_travels_in_any(Extended::Most(derived, {derived, derived}));
  const Extended::Base& base = derived;
  EXPECT_EQ(base.name(), "one");
  EXPECT_EQ(to_text(derived), "Extended::Derived{id=1,name=\"one\",weight=0.5,none=Extended::Nothing{}}");
  const auto octets = octets_of(derived, true);
  EXPECT_EQ(octets_of(Extended::Base(1, "one"), true), Bytes(octets.begin(), octets.begin() + 12));
}

TEST(GeneratedExtended, DefaultsAndOptionalMembers) {
  Extended::Defaults defaults;
  EXPECT_EQ(defaults.count(), 7);
  EXPECT_EQ(defaults.text(), "x");
  EXPECT_EQ(defaults.level_(), Extended::Level::medium);
  EXPECT_TRUE(defaults.on());
  EXPECT_FALSE(defaults.note().has_value());
  expect_travels_in_any(defaults);
  defaults.note("hello");
  defaults.number(5);
  defaults.base_(Extended::Base(1, "b"));
  defaults.small_(Extended::Small::three);
  expect_travels_in_any(defaults);
  EXPECT_NE(to_text(defaults).find("note=\"hello\",number=5,"), std::string::npos);
  static_assert(sizeof(Extended::Small) == 1 && IDL::traits<Extended::Small>::bit_bound::value == 8);
}

TEST(GeneratedExtended, MembersHaveTheDefaultsOfTheirTypes) {
  const Extended::ByType members;
  EXPECT_EQ(members.first(), 8);
  EXPECT_EQ(members.second(), 8);
  EXPECT_EQ(members.third(), 9);
  EXPECT_EQ(members.label_(), "none");
  EXPECT_FALSE(members.fourth().has_value());
  EXPECT_EQ(members.fifth(), nullptr);
  EXPECT_EQ(Extended::Late().hours(), 8);
  Extended::Either either;
  EXPECT_EQ(either._d() ? either.five() : either.eight_(), either._d() ? 5 : 8);
}

TEST(GeneratedExtended, PacksBits) {
  Extended::Flags flags = Extended::Flags::ready;
  flags |= Extended::Flags::set;
  EXPECT_EQ(flags._bits(), 9);
  EXPECT_EQ(to_text(flags), "Extended::Flags{ready,set}");
  Extended::Header header(5, true, -2000);
  EXPECT_EQ(header.kind(), 5);
  EXPECT_EQ(header.length(), -2000);
  const Extended::Wider wider(5, true, 100, 0xfffff);
  EXPECT_EQ(wider.length(), 100);
  EXPECT_EQ(wider.rest(), 0xfffffU);
  expect_travels(Extended::Packed(flags, header, wider));
  static_assert(sizeof(Extended::Flags) == 2);
  expect_travels_in_any(flags);
  expect_travels_in_any(wider);
  const auto octets = octets_of(std::uint16_t{0x8000}, true);
  corbel::cdr::Decoder decoder(octets, {.little_endian = true});
  corbel::mapping::Codec<Extended::Flags>::decode(decoder, flags);
  EXPECT_FALSE(decoder.ok());
}

TEST(GeneratedExtended, SignedBitfieldsKeepTheirSign) {
  const Extended::Signs negative(-1, 31, -7, -2097152);
  EXPECT_EQ(negative.a(), -1);
  EXPECT_EQ(negative.b(), 31);
  EXPECT_EQ(negative.c(), -7);
  EXPECT_EQ(negative.d(), -2097152);
  EXPECT_EQ(to_text(negative), "Extended::Signs{a=-1,b=31,c=-7,d=-2097152}");
  const Extended::Signs positive(7, 0, std::int64_t{1} << 31, 2097151);
  EXPECT_EQ(positive.a(), 7);
  EXPECT_EQ(positive.c(), std::int64_t{1} << 31);
  EXPECT_EQ(positive.d(), 2097151);
  EXPECT_EQ(Extended::Whole(INT64_MIN).all(), INT64_MIN);
  EXPECT_EQ(Extended::Whole(INT64_MAX).all(), INT64_MAX);
  expect_travels(negative);
}

template <class T>
std::string written(const T& value) {
  std::ostringstream stream;
  stream << IDL::traits<T>::write(value);
  std::ostringstream other;
  EXPECT_EQ(&IDL::traits<T>::write_on(other, value), &other);
  EXPECT_EQ(other.str(), stream.str());
  return stream.str();
}

TEST(GeneratedExtended, TraitsWriteEveryType) {
  EXPECT_EQ(written(std::string("a\"b")), "\"a\\\"b\"");
  EXPECT_EQ(written(std::int8_t{-3}), "-3");
  EXPECT_EQ(written(true), "true");
  EXPECT_EQ(written(std::vector<wchar_t>{L'x'}), "{L'x'}");
  EXPECT_EQ(written(std::map<std::string, std::int32_t>{{"one", 1}}), "{\"one\":1}");
  EXPECT_EQ(written(Extended::Base(1, "one")), "Extended::Base{id=1,name=\"one\"}");
  EXPECT_EQ(written(Extended::Level::medium), "Extended::Level::medium");
  EXPECT_EQ(written(Extended::Flags(Extended::Flags::set)), "Extended::Flags{set}");
  std::ostringstream stream;
  stream << IDL::traits<CORBA::Object>::write(nullptr) << IDL::traits<CORBA::TypeCode>::write(CORBA::_tc_long);
  EXPECT_EQ(stream.str(), "ref_type{nil}ref_type{object}");
}

TEST(GeneratedExtended, CarriesMaps) {
  Extended::Maps maps({{"one", 1}, {"two", 2}}, {{1, Extended::Derived()}});
  expect_travels_in_any(maps);
  EXPECT_EQ(to_text(Extended::Maps({{"one", 1}}, {})), "Extended::Maps{index_={\"one\":1},few={}}");
  corbel::cdr::Encoder encoder;
  corbel::mapping::Codec<Extended::Maps>::encode(
      encoder, Extended::Maps({}, std::map<std::int32_t, Extended::Derived>{{1, {}}, {2, {}}, {3, {}}}));
  EXPECT_FALSE(encoder.ok());
}

}  // namespace
