// SPDX-License-Identifier: Apache-2.0
// Details of types and values in which two cases differ by one thing only: what is compared, labels at the ends of
// their ranges, parts of a TypeCode that cannot be, what is charged.
#include <algorithm>
#include <sstream>

#include "corbel/corba/minor_codes.hpp"
#include "corbel/dynamic/default_value.hpp"
#include "corbel/dynamic/kept_value.hpp"
#include "corbel/dynamic/labels.hpp"
#include "support.hpp"

namespace corbel::dynamic {
namespace {

using CORBA::Any;
using CORBA::TCKind;
using CORBA::TypeCode;
using CORBA::typecode_reference;

const auto kMake = CORBA::make_reference<CORBA::TypeCodeFactory>();

const TypeMember kFirst[] = {{"a", &CORBA::detail::k_octet, 5}, {"b", &CORBA::detail::k_octet, 1}};
const TypeMember kOther[] = {{"a", &CORBA::detail::k_octet, 9}, {"b", &CORBA::detail::k_octet, 1}};

TypeCode choice(const TypeMember (&members)[2], std::int32_t default_index) {
  return TypeCode{TypeNode{.kind = TCKind::tk_union,
                           .id = "",
                           .name = "",
                           .members = members,
                           .content = &CORBA::detail::k_long,
                           .default_index = default_index}};
}

TEST(TypeDetails, TypesThatDifferInTheirNameOnlyAreEquivalentAndNotEqual) {
  const CORBA::TypeCodeFactory::StructMemberSeq members = {{"m", CORBA::_tc_long}};
  const auto one = kMake->create_struct_tc("IDL:S:1.0", "One", members);
  const auto other = kMake->create_struct_tc("IDL:S:1.0", "Other", members);
  EXPECT_FALSE(one->equal(other));
  EXPECT_TRUE(one->equal(kMake->create_struct_tc("IDL:S:1.0", "One", members)));
  EXPECT_TRUE(one->equivalent(other));
  EXPECT_TRUE(one->_fits(*other));
}

TEST(TypeDetails, WhichMemberOfAUnionIsTheDefaultCounts) {
  const TypeCode first = choice(kFirst, 0), second = choice(kFirst, 1), none = choice(kFirst, -1);
  for (const TypeCode* other : {&second, &none}) {
    EXPECT_FALSE(first.equal(other->_reference()));
    EXPECT_FALSE(first.equivalent(other->_reference()));
    EXPECT_FALSE(first._fits(*other));
  }
}

TEST(TypeDetails, TheLabelThatADefaultMemberCarriesDoesNotCount) {
  const TypeCode one = choice(kFirst, 0), other = choice(kOther, 0);
  EXPECT_TRUE(one.equal(other._reference()));
  EXPECT_TRUE(one.equivalent(other._reference()));
  EXPECT_TRUE(one._fits(other));
  EXPECT_FALSE(choice(kFirst, -1).equal(choice(kOther, -1)._reference()));
}

/// The TypeCode of a union as a stranger writes it.
base::Bytes union_octets(const std::vector<std::int32_t>& labels, std::int32_t default_index) {
  cdr::Encoder inner({.little_endian = true});
  inner.put(true);
  inner.put_plain_string("");
  inner.put_plain_string("");
  inner.put(static_cast<std::uint32_t>(TCKind::tk_long));
  inner.put(default_index);
  inner.put_count(labels.size());
  for (const std::int32_t label : labels) {
    inner.put(label);
    inner.put_plain_string("");
    inner.put(static_cast<std::uint32_t>(TCKind::tk_octet));
  }
  cdr::Encoder out({.little_endian = true});
  out.put(static_cast<std::uint32_t>(TCKind::tk_union));
  const base::Bytes parameters = inner.to_bytes();
  out.put_octet_sequence(parameters);
  return out.to_bytes();
}

TEST(UnionDetails, TheLabelThatADefaultMemberCarriesSelectsNothing) {
  for (const std::size_t count : {2U, 8U, 9U, 20U}) {
    std::vector<std::int32_t> labels(count, 100);
    for (std::size_t i = 0; i < count; ++i) labels[i] += static_cast<std::int32_t>(i);
    labels[0] = 101;  // that of the next member
    const auto type = value_of<typecode_reference>(union_octets(labels, 0), true);
    EXPECT_EQ(selected_member(type->_node(), 101), 1) << count;
    EXPECT_EQ(selected_member(type->_node(), 100), 0) << count;
  }
}

TEST(UnionDetails, ADefaultBeyondTheMembersIsRefused) {
  const auto code_of = [](std::int32_t default_index) {
    const base::Bytes octets = union_octets({1, 2}, default_index);
    cdr::Decoder decoder(octets, {.little_endian = true});
    return decode_type(decoder) != nullptr ? base::Code::none : decoder.error().code;
  };
  for (const std::int32_t good : {-1, 0, 1}) EXPECT_EQ(code_of(good), base::Code::none) << good;
  for (const std::int32_t bad : {-2, 2, 3, INT32_MAX, INT32_MIN}) EXPECT_EQ(code_of(bad), base::Code::malformed) << bad;
}

TEST(UnionDetails, LabelsKeepTheirValueAtTheEndsOfTheirRange) {
  const auto back = [](const typecode_reference& discriminator, std::int64_t label) {
    for (const bool little : {false, true}) {
      cdr::Encoder out({.little_endian = little});
      put_label(out, *discriminator, label);
      const base::Bytes octets = out.to_bytes();
      cdr::Decoder in(octets, {.little_endian = little});
      EXPECT_EQ(get_label(in, *discriminator), label);
      EXPECT_TRUE(in.ok() && in.remaining() == 0);
    }
  };
  for (const std::int64_t label : {0, 127, 128, 255}) {
    back(CORBA::_tc_char, label);
    back(CORBA::_tc_octet, label);
  }
  for (const std::int64_t label : {-32768, -1, 0, 32767}) back(CORBA::_tc_short, label);
  for (const std::int64_t label : {0, 32767, 32768, 65535}) back(CORBA::_tc_ushort, label);
  for (const std::int64_t label : {std::int64_t{INT32_MIN}, std::int64_t{-1}, std::int64_t{INT32_MAX}}) {
    back(CORBA::_tc_long, label);
  }
  for (const std::int64_t label : {std::int64_t{0}, std::int64_t{1} << 31, (std::int64_t{1} << 32) - 1}) {
    back(CORBA::_tc_ulong, label);
  }
  for (const std::int64_t label : {INT64_MIN, std::int64_t{-1}, INT64_MAX}) {
    back(CORBA::_tc_longlong, label);
    back(CORBA::_tc_ulonglong, label);
  }
  back(CORBA::_tc_boolean, 0);
  back(CORBA::_tc_boolean, 1);
}

template <class Label>
void expect_selects(const typecode_reference& discriminator, Label label) {
  Any any;
  any <<= label;
  const auto made = kMake->create_union_tc("IDL:U:1.0", "U", discriminator, {{"wide", any, CORBA::_tc_longlong}});
  const auto type = value_of<typecode_reference>(octets_of(made, true), true);
  EXPECT_TRUE(type->equal(made));
  cdr::Encoder out;
  out.put(label);
  out.put(std::int64_t{-7});
  const base::Bytes octets = out.to_bytes();
  cdr::Decoder in(octets, {});
  const Any value = decode_value(in, type);
  EXPECT_TRUE(in.ok() && in.remaining() == 0) << "the member that the label selects was not read";
  EXPECT_EQ(octets_of(value, true).size(), octets_of(value, false).size());
}

TEST(UnionDetails, MembersAreSelectedByLabelsAtTheEndsOfTheirRange) {
  expect_selects(CORBA::_tc_char, '\xf0');
  expect_selects(CORBA::_tc_short, std::int16_t{-32768});
  expect_selects(CORBA::_tc_ushort, std::uint16_t{40'000});
  expect_selects(CORBA::_tc_long, std::int32_t{INT32_MIN});
  expect_selects(CORBA::_tc_ulong, std::uint32_t{3'000'000'000});
  expect_selects(CORBA::_tc_longlong, std::int64_t{INT64_MIN});
  expect_selects(CORBA::_tc_ulonglong, ~std::uint64_t{0});
}

TEST(UnionDetails, ANewOneWhoseFirstMemberIsTheDefaultSelectsIt) {
  Any octet, zero, two;
  octet <<= std::uint8_t{0};
  zero <<= std::int32_t{0};
  two <<= std::int32_t{2};
  const auto type = kMake->create_union_tc(
      "IDL:U:1.0", "U", CORBA::_tc_long,
      {{"rest", octet, CORBA::_tc_string}, {"none", zero, CORBA::_tc_double}, {"two", two, CORBA::_tc_double}});
  cdr::Encoder out;
  put_default(out, *type);
  ASSERT_TRUE(out.ok());
  const base::Bytes octets = out.to_bytes();
  cdr::Decoder in(octets, {});
  EXPECT_EQ(in.get<std::int32_t>(), 1);  // the first that no member has
  EXPECT_EQ(in.get_plain_string(), "");
  EXPECT_TRUE(in.ok() && in.remaining() == 0);
}

TEST(ValueDetails, ANewExceptionBeginsWithItsId) {
  const auto type = kMake->create_exception_tc("IDL:Oops:1.0", "Oops", {{"why", CORBA::_tc_string}});
  cdr::Encoder out;
  put_default(out, *type);
  const base::Bytes octets = out.to_bytes();
  cdr::Decoder in(octets, {});
  EXPECT_EQ(in.get_plain_string(), "IDL:Oops:1.0");
  EXPECT_EQ(in.get_plain_string(), "");
  EXPECT_TRUE(in.ok() && in.remaining() == 0);
}

base::Code code_of_type(std::initializer_list<std::uint32_t> words) {
  cdr::Encoder out({.little_endian = true});
  for (const auto word : words) out.put(word);
  const base::Bytes octets = out.to_bytes();
  cdr::Decoder decoder(octets, {.little_endian = true});
  return decode_type(decoder) != nullptr ? base::Code::none : decoder.error().code;
}

TEST(TypeDetails, KindsThatDoNotExistAreRefused) {
  // Each with what a struct without members has behind it.
  for (const std::uint32_t kind : {37U, 38U, 100U, 0x7fffffffU, 0x80000000U, 0xfffffffeU}) {
    EXPECT_EQ(code_of_type({kind, 24, 1, 1, 0, 1, 0, 0}), base::Code::malformed) << kind;
  }
  EXPECT_EQ(code_of_type({15, 24, 1, 1, 0, 1, 0, 0}), base::Code::none);
}

TEST(TypeDetails, AFixedHasAtMost31Digits) {
  EXPECT_EQ(code_of_type({28, 31}), base::Code::none);
  EXPECT_EQ(code_of_type({28, 32}), base::Code::malformed);
  EXPECT_EQ(code_of_type({28, 0xffff}), base::Code::malformed);
}

TEST(TypeDetails, WhatEndsInsideItsParametersIsRefused) {
  // A struct that ends behind its byte order, its id, its name; a sequence without its bound.
  EXPECT_NE(code_of_type({15, 4, 1}), base::Code::none);
  EXPECT_NE(code_of_type({15, 12, 1, 1, 0}), base::Code::none);
  EXPECT_NE(code_of_type({15, 20, 1, 1, 0, 1, 0}), base::Code::none);
  EXPECT_NE(code_of_type({19, 8, 1, 3}), base::Code::none);
  EXPECT_EQ(code_of_type({19, 12, 1, 3, 0}), base::Code::none);
}

TEST(TypeDetails, IndirectionsLeadToWhatWasReadBefore) {
  for (const std::int32_t offset : {0, 4, 8, -1, -3, -4, -8, INT32_MAX, INT32_MIN}) {
    EXPECT_EQ(code_of_type({19, 16, 1, 0xffffffff, static_cast<std::uint32_t>(offset), 0, 3, 3}), base::Code::malformed)
        << offset;
  }
}

/// Reads a value of the type from a message with these limits.
base::Code code_of_value(const typecode_reference& type, base::FunctionRef<void(cdr::Encoder&)> write,
                         const cdr::Limits& limits = {}) {
  cdr::Encoder out;
  write(out);
  const base::Bytes octets = out.to_bytes();
  cdr::Decoder decoder(octets, {}, limits);
  (void)decode_value(decoder, type);
  return decoder.ok() ? base::Code::none : decoder.error().code;
}

TEST(ValueDetails, RunsOfNumbersAndOctetsAreCharged) {
  // Of 100,000 octets each: `least` times the message is not enough for what they take, once more is.
  const auto expect = [&](const typecode_reference& element, const auto& elements, std::uint32_t least) {
    const auto sequence = kMake->create_sequence_tc(0, element);
    const auto write = [&](cdr::Encoder& out) {
      mapping::Codec<std::decay_t<decltype(elements)>>::encode(out, elements);
    };
    EXPECT_EQ(code_of_value(sequence, write, {.max_expansion = least, .free_memory = 0}), base::Code::too_expanded)
        << *element;
    EXPECT_EQ(code_of_value(sequence, write, {.max_expansion = least + 1, .free_memory = 0}), base::Code::none)
        << *element;
  };
  expect(CORBA::_tc_octet, std::vector<std::uint8_t>(100'000), 1);
  expect(CORBA::_tc_char, std::vector<char>(100'000), 1);
  expect(CORBA::_tc_short, std::vector<std::int16_t>(50'000), 1);
  expect(CORBA::_tc_ulong, std::vector<std::uint32_t>(25'000), 1);
  expect(CORBA::_tc_double, std::vector<double>(12'500), 1);
}

TEST(ValueDetails, SmallAnysAreChargedWhatTheyTakeBesidesTheirPlace) {
  std::vector<Any> many(50'000);
  for (Any& any : many) any <<= std::int32_t{1};
  const base::Bytes octets = octets_of(many, true);
  const auto code_of = [&](std::uint32_t expansion) {
    cdr::Decoder decoder(octets, {.little_endian = true}, {.max_expansion = expansion, .free_memory = 0});
    std::vector<Any> back;
    mapping::Codec<std::vector<Any>>::decode(decoder, back);
    return decoder.ok() ? base::Code::none : decoder.error().code;
  };
  constexpr std::uint32_t kPlace = sizeof(Any) / 8;  // of 8 octets each
  EXPECT_EQ(code_of(kPlace + 1), base::Code::too_expanded);
  EXPECT_EQ(code_of(kPlace + 12), base::Code::none);
}

TEST(TypeDetails, NamesAreCharged) {
  const auto type = kMake->create_struct_tc("IDL:S:1.0", std::string(100'000, 'x'), {{"m", CORBA::_tc_long}});
  const base::Bytes octets = octets_of(type, true);
  for (const std::uint32_t expansion : {1U, 4U}) {
    cdr::Decoder decoder(octets, {.little_endian = true}, {.max_expansion = expansion, .free_memory = 0});
    EXPECT_EQ(decode_type(decoder) != nullptr, expansion == 4);
  }
}

TEST(ValueDetails, WhatAnAnyHoldsStaysWhenTheMessageGoes) {
  const std::vector<std::uint8_t> sent(100'000, 7);
  Any any;
  any <<= sent;
  base::Bytes octets = octets_of(any, true);
  any = value_of<Any>(octets, true);
  std::fill(octets.begin(), octets.end(), base::Octet{0});
  std::vector<std::uint8_t> kept;
  ASSERT_TRUE(any >>= kept);
  EXPECT_EQ(kept, sent);
}

TEST(ValueDetails, CustomValuesAreNotReadAsIfTheirStateFollowed) {
  const auto value = [](cdr::Encoder& out) {
    out.put(std::uint32_t{0x7fffff00});  // a value of the formal type, its state behind
    out.put(std::int32_t{5});
  };
  const auto type = [](CORBA::ValueModifier modifier) {
    return kMake->create_value_tc("IDL:V:1.0", "V", modifier, nullptr, {{"m", CORBA::_tc_long, CORBA::PUBLIC_MEMBER}});
  };
  EXPECT_EQ(code_of_value(type(CORBA::VM_NONE), value), base::Code::none);
  EXPECT_EQ(code_of_value(type(CORBA::VM_TRUNCATABLE), value), base::Code::none);
  EXPECT_EQ(code_of_value(type(CORBA::VM_CUSTOM), value), base::Code::unsupported);
}

TEST(ValueDetails, ValuesAreTruncatedOnlyIfTheirRestCanBeSkipped) {
  const auto type =
      kMake->create_value_tc("IDL:V:1.0", "V", CORBA::VM_NONE, nullptr, {{"m", CORBA::_tc_long, CORBA::PUBLIC_MEMBER}});
  const auto write = [](std::initializer_list<const char*> ids, bool chunked) {
    return [ids = std::vector<std::string>(ids.begin(), ids.end()), chunked](cdr::Encoder& out) {
      out.put(chunked ? std::uint32_t{0x7fffff0e} : std::uint32_t{0x7fffff06});
      out.put_count(ids.size());
      for (const auto& id : ids) out.put_plain_string(id);
      if (chunked) out.put(std::int32_t{4});
      out.put(std::int32_t{5});
      if (chunked) out.put(std::int32_t{-1});
    };
  };
  EXPECT_EQ(code_of_value(type, write({"IDL:V:1.0"}, false)), base::Code::none);
  EXPECT_EQ(code_of_value(type, write({"IDL:D:1.0", "IDL:V:1.0"}, true)), base::Code::none);
  EXPECT_EQ(code_of_value(type, write({"IDL:D:1.0", "IDL:V:1.0"}, false)), base::Code::unsupported);
  EXPECT_EQ(code_of_value(type, write({"IDL:D:1.0"}, true)), base::Code::not_found);
}

TEST(ValueDetails, WithoutFactoryAreToldAsOutsideOfAnys) {
  try {
    throw_bad_value(base::error(base::Stage::decode, base::Code::not_found));
  } catch (const CORBA::MARSHAL& exception) {
    EXPECT_EQ(exception.minor(), corba::minor::kNoValueFactory);
  }
}

TEST(AnyDetails, AnysInAnysNestNoDeeperThanIsSent) {
  const auto nest = [](int levels) {
    Any any;
    any <<= std::int32_t{1};
    for (int i = 0; i < levels; ++i) {
      Any outer;
      outer <<= any;
      any = std::move(outer);
    }
    return any;
  };
  const auto expect_refused = [](const auto& act) {
    try {
      act();
      ADD_FAILURE() << "not refused";
    } catch (const CORBA::MARSHAL& failure) {
      EXPECT_EQ(failure.minor() & 0x7f, static_cast<std::uint32_t>(base::Code::too_deep));
    }
  };
  // Those that are still C++ objects, and those that are octets by now.
  const Any deepest = nest(cdr::Encoder::kMaxDepth);
  const auto keep = [](const Any& any) {
    return keep_value(CORBA::_tc_any, nullptr, [&](cdr::Encoder& out) { mapping::Codec<Any>::encode(out, any); });
  };
  const Any kept = keep(nest(cdr::Encoder::kMaxDepth - 1));
  EXPECT_EQ(deepest, nest(cdr::Encoder::kMaxDepth));
  EXPECT_EQ(kept, deepest);
  Any inner;
  EXPECT_TRUE(kept >>= inner);
  expect_refused([&] { (void)keep(deepest); });
  const Any too_deep = keep(kept);
  expect_refused([&] { (void)keep(too_deep); });
  expect_refused([&] { (void)(too_deep >>= inner); });

  const Any deeper = nest(200'000);
  EXPECT_TRUE(deeper >>= inner);
  expect_refused([&] { (void)(deeper == nest(200'000)); });
  expect_refused([&] { (void)keep(deeper); });
  std::ostringstream text;
  text << deeper;
  EXPECT_EQ(text.str(), "any{any}");
}

}  // namespace
}  // namespace corbel::dynamic
