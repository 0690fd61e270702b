// SPDX-License-Identifier: Apache-2.0
// TypeCodes and Anys as a peer would make them that means harm.
#include <sstream>

#include "corbel/dynamic/dyn_any.hpp"
#include "corbel/dynamic/labels.hpp"
#include "corbel/ior/ior.hpp"
#include "support.hpp"
#include "support/byte_order.hpp"
#include "typed_values.hpp"

namespace corbel::dynamic {
namespace {

using CORBA::Any;
using CORBA::typecode_reference;
using test::nested;
using test::Node;

const auto kFactory = CORBA::make_reference<CORBA::TypeCodeFactory>();

/// What a receiver with these limits makes of it.
Any receive(const base::Bytes& octets, const cdr::Limits& limits = {}, base::Code expected = base::Code::none) {
  cdr::Decoder decoder(octets, {}, limits);
  Any any;
  mapping::Codec<Any>::decode(decoder, any);
  EXPECT_EQ(decoder.ok() ? base::Code::none : decoder.error().code, expected);
  return any;
}

template <class T>
base::Bytes any_of(const T& value) {
  Any any;
  any <<= value;
  return octets_of(any, corbel::test::kLittleEndian);
}

/// An Any whose value is written by hand.
base::Bytes any_of(const typecode_reference& type, base::FunctionRef<void(cdr::Encoder&)> write) {
  cdr::Encoder encoder;
  encode_type(encoder, *type);
  write(encoder);
  return encoder.to_bytes();
}

base::Code code_of(base::FunctionRef<void()> read) {
  try {
    read();
  } catch (const CORBA::MARSHAL& failure) {
    return static_cast<base::Code>(failure.minor() & 0x7f);
  }
  return base::Code::none;
}

TEST(HostileAny, IsNotExtractedAsAnotherTypeOfTheSameId) {
  const auto words = kFactory->create_array_tc(400'000, CORBA::_tc_ulong);
  const auto lie = kFactory->create_struct_tc("IDL:test/Node:1.0", "Node", {{"x", words}});
  const Any any = receive(any_of(lie, [](cdr::Encoder& out) {
    for (int i = 0; i < 400'000; ++i) out.put(std::uint32_t{1});
  }));
  ASSERT_NE(any._value(), nullptr);
  EXPECT_TRUE(any._type().equivalent(TypeOf<Node>::code._reference()));  // as the standard has it
  Node node;
  EXPECT_FALSE(any >>= node);
  EXPECT_THROW(Any(any).type(TypeOf<Node>::code._reference()), CORBA::BAD_TYPECODE);
}

TEST(HostileAny, IsNotExtractedIfTheLieIsDeepInside) {
  const auto empty = kFactory->create_struct_tc("IDL:test/Node:1.0", "Node", {});
  const auto list = kFactory->create_sequence_tc(0, empty);
  const Any any = receive(any_of(list, [](cdr::Encoder& out) {
    out.put_count(3);
    out.put(std::uint32_t{0});  // three elements of nothing at all; these octets let the count pass
  }));
  std::vector<Node> nodes;
  EXPECT_FALSE(any >>= nodes);
}

TEST(HostileAny, ExtractionIsHeldToTheLimitsOfTheMessage) {
  const std::vector<std::vector<std::uint8_t>> empty(1'000'000);
  cdr::Limits limits;
  limits.max_expansion = 2;
  const base::Bytes octets = any_of(empty);
  Any any = receive(octets, limits);
  std::vector<std::vector<std::uint8_t>> value;
  EXPECT_EQ(code_of([&] { (void)(any >>= value); }), base::Code::too_expanded);
  EXPECT_TRUE(value.empty());
  any = receive(octets);
  EXPECT_TRUE(any >>= value);
  EXPECT_EQ(value.size(), empty.size());
}

TEST(HostileAny, LevelsAreCountedAlikeWhereverTheyStand) {
  // 127 levels, and one for an Any around them.
  const cdr::Limits limits{.max_depth = 128};
  for (const int levels : {1, 127, 128, 129}) {
    const base::Bytes typed = octets_of(nested(levels), corbel::test::kLittleEndian);
    cdr::Decoder decoder(typed, {}, limits);
    Node node;
    mapping::Codec<Node>::decode(decoder, node);
    EXPECT_EQ(decoder.ok(), levels <= 128) << levels;

    const Any any = receive(any_of(nested(levels)), limits, levels <= 127 ? base::Code::none : base::Code::too_deep);
    if (levels <= 127) {
      EXPECT_TRUE(any >>= node);
      EXPECT_EQ(test::depth_of(node), levels);
    }
    // As a parameter of a type that is known at run time only there is no Any around it.
    cdr::Decoder untyped(typed, {}, limits);
    (void)decode_value(untyped, TypeOf<Node>::code._reference());
    EXPECT_EQ(untyped.ok(), levels <= 128) << levels;
  }
}

TEST(HostileAny, AnysInsideAnysAreLevels) {
  for (const int levels : {127, 128, 129}) {
    Any any;
    any <<= std::int32_t{1};
    for (int i = 1; i < levels; ++i) {
      Any outer;
      outer <<= any;
      any = outer;
    }
    (void)receive(octets_of(any, corbel::test::kLittleEndian), {},
                  levels <= 128 ? base::Code::none : base::Code::too_deep);
  }
}

TEST(HostileAny, SequencesOfThemselvesEnd) {
  // A sequence whose element is itself: no level by itself, but not without end either.
  cdr::Encoder out;
  for (const std::uint32_t word : {19U, 16U, 1U, 0xffffffffU, static_cast<std::uint32_t>(-16), 0U}) out.put(word);
  for (int i = 0; i < 100'000; ++i) out.put(std::uint32_t{1});
  (void)receive(out.to_bytes(), {}, base::Code::too_deep);
}

TEST(HostileAny, OfNothingTakesNoMemoryBesidesItself) {
  const std::vector<Any> nothing(100'000);
  std::vector<Any> back =
      value_of<std::vector<Any>>(octets_of(nothing, corbel::test::kLittleEndian), corbel::test::kLittleEndian);
  ASSERT_EQ(back.size(), nothing.size());
  for (const Any& any : back) ASSERT_EQ(any._value(), nullptr);
}

TEST(HostileAny, EverythingThatAnElementTakesIsCharged) {
  // Elements that take much more than their octets: the message must be refused long before its memory is.
  const auto fixed = kFactory->create_fixed_tc(1, 0);
  cdr::Encoder out;
  constexpr std::uint32_t kCount = 200'000;
  out.put_count(kCount);
  for (std::uint32_t i = 0; i < kCount; ++i) {
    encode_type(out, *fixed);
    out.put(std::uint8_t{0x0c});
  }
  const base::Bytes octets = out.to_bytes();
  for (const std::uint32_t expansion : {8U, 64U}) {
    cdr::Decoder decoder(octets, {}, {.max_expansion = expansion, .free_memory = 0});
    std::vector<Any> anys;
    mapping::Codec<std::vector<Any>>::decode(decoder, anys);
    EXPECT_EQ(decoder.ok(), expansion == 64) << expansion;
  }
}

TEST(HonestMessages, ThatAreLargePassTheLimits) {
  const auto passes = [](const auto& value) {
    using T = std::remove_cvref_t<decltype(value)>;
    const base::Bytes octets = octets_of(value, corbel::test::kLittleEndian);
    EXPECT_GT(octets.size(), 400'000U);
    EXPECT_EQ(value_of<T>(octets, corbel::test::kLittleEndian), value);
    const Any any = receive(any_of(value));
    T back;
    EXPECT_TRUE(any >>= back);
    EXPECT_EQ(back, value);
  };
  passes(std::vector<std::uint8_t>(1'000'000, 7));
  passes(std::vector<std::string>(100'000, "x"));
  passes(std::vector<std::string>(100'000, ""));
  passes(std::string(1'000'000, 'x'));
  passes(std::vector<std::vector<double>>(100'000, std::vector<double>{1}));
  std::vector<Any> anys(100'000);
  for (std::size_t i = 0; i < anys.size(); ++i) {
    if (i % 4 == 0) anys[i] <<= static_cast<std::int32_t>(i);
    if (i % 4 == 1) anys[i] <<= std::to_string(i);
    if (i % 4 == 2) anys[i] <<= std::vector<std::string>{"a", "b"};
    if (i % 4 == 3) anys[i] <<= CORBA::TRANSIENT(1, CORBA::CompletionStatus::COMPLETED_NO);
  }
  passes(anys);
}

/// A struct of `count` members, each a sequence of the one before: nested twice on the wire, `count` deep as a graph.
base::Bytes staircase(std::uint32_t count) {
  cdr::Encoder inner({.little_endian = corbel::test::kLittleEndian});
  inner.put(corbel::test::kOrderFlag);
  inner.put_plain_string("");
  inner.put_plain_string("");
  inner.put(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    inner.put_plain_string("");
    inner.put(static_cast<std::uint32_t>(CORBA::TCKind::tk_sequence));
    inner.put(i == 0 ? 12U : 16U);
    inner.put(std::uint32_t{1});  // byte order and its padding
    if (i == 0) {
      inner.put(static_cast<std::uint32_t>(CORBA::TCKind::tk_octet));
    } else {
      inner.put(kIndirection);
      inner.put(i == 1 ? std::int32_t{-44} : std::int32_t{-48});
    }
    inner.put(std::uint32_t{0});
  }
  cdr::Encoder out({.little_endian = corbel::test::kLittleEndian});
  out.put(static_cast<std::uint32_t>(CORBA::TCKind::tk_struct));
  const base::Bytes parameters = inner.to_bytes();
  out.put_octet_sequence(parameters);
  return out.to_bytes();
}

TEST(HostileTypeCodes, LongChainsThroughTheirPartsNeedNoDeepStack) {
  constexpr std::uint32_t kSteps = 60'000;
  const base::Bytes octets = staircase(kSteps);
  const auto stairs = value_of<typecode_reference>(octets, corbel::test::kLittleEndian);
  const auto again = value_of<typecode_reference>(octets, corbel::test::kLittleEndian);
  ASSERT_EQ(stairs->member_count(), kSteps);
  const auto top = stairs->member_type(kSteps - 1);
  EXPECT_TRUE(stairs->equal(again));
  EXPECT_TRUE(top->equal(again->member_type(kSteps - 1)));
  EXPECT_FALSE(top->equal(again->member_type(kSteps - 2)));
  EXPECT_TRUE(top->equivalent(again->member_type(kSteps - 1)));
  EXPECT_TRUE(top->_fits(*again->member_type(kSteps - 1)));
  EXPECT_FALSE(top->_fits(*again->member_type(kSteps - 2)));
  EXPECT_TRUE(top->get_compact_typecode()->equivalent(top));
  std::ostringstream text;
  text << *top;
  EXPECT_LT(text.str().size(), 100U);
  cdr::Encoder encoder;
  encode_type(encoder, *top);
  EXPECT_EQ(encoder.error().code, base::Code::too_large);
}

TEST(HostileTypeCodes, AValueOfThemEnds) {
  // One element in each of the sequences of the topmost step.
  const base::Bytes octets = staircase(2'000);
  const auto top = value_of<typecode_reference>(octets, corbel::test::kLittleEndian)->member_type(1'999);
  cdr::Encoder out;
  for (int i = 0; i < 2'000; ++i) out.put(std::uint32_t{1});
  const base::Bytes value = out.to_bytes();
  cdr::Decoder decoder(value, {});
  (void)decode_value(decoder, top);
  EXPECT_EQ(decoder.error().code, base::Code::too_deep);
}

/// An ORB as far as DynAnys need one.
class NoOrb final : public corba::OrbContext {
 public:
  CORBA::object_reference<CORBA::Object> make_object(ior::Ior) override { return nullptr; }
  CORBA::object_reference<CORBA::ORB> orb() override { return nullptr; }
};

TEST(HostileTypeCodes, ADynAnyOfThemIsTakenApartInOneWalk) {
  constexpr std::uint32_t kSteps = 20'000;
  base::Bytes octets = staircase(kSteps);
  octets.insert(octets.end(), 4 * std::size_t{kSteps}, 0);  // so many sequences without elements
  NoOrb orb;
  const auto factory = CORBA::make_reference<DynamicAny::DynAnyFactory>(orb);
  const Any any = receive(octets);
  const auto dyn = factory->create_dyn_any(any);
  EXPECT_EQ(dyn->component_count(), kSteps);
  ASSERT_TRUE(dyn->seek(kSteps - 1));
  EXPECT_EQ(dyn->current_component()->component_count(), 0U);
  EXPECT_TRUE(dyn->to_any() == any);
  dyn->destroy();
}

TEST(HostileTypeCodes, NestedBeyondTheLimitAreRefused) {
  // 60,000 sequences, each an encapsulation inside that of the one before.
  constexpr std::uint32_t kDepth = 60'000;
  cdr::Encoder out({.little_endian = corbel::test::kLittleEndian});
  for (std::uint32_t left = kDepth; left > 0; --left) {
    out.put(std::uint32_t{19});
    out.put(left * 16 - 4);
    out.put(std::uint32_t{1});  // byte order and its padding
  }
  out.put(std::uint32_t{3});
  for (std::uint32_t i = 0; i < kDepth; ++i) out.put(std::uint32_t{0});
  const base::Bytes octets = out.to_bytes();
  cdr::Decoder decoder(octets, {.little_endian = corbel::test::kLittleEndian});
  EXPECT_EQ(decode_type(decoder), nullptr);
  EXPECT_EQ(decoder.error().code, base::Code::too_deep);
}

TEST(HostileTypeCodes, ComparingCirclesTakesNoMoreStepsThanThereAreTypes) {
  // Rings of sequences whose lengths have no common divisor are alike only in the product of their lengths.
  const auto ring = [](std::uint32_t length) {
    typecode_reference type = kFactory->create_sequence_tc(0, kFactory->create_recursive_tc("IDL:test/Ring:1.0"));
    for (std::uint32_t i = 1; i < length; ++i) type = kFactory->create_struct_tc("", "", {{"", type}});
    return kFactory->create_struct_tc("IDL:test/Ring:1.0", "", {{"", type}});
  };
  const auto a = ring(101);
  const auto b = ring(103);
  EXPECT_FALSE(a->_fits(*b));  // one is a sequence where the other is a struct
  EXPECT_TRUE(a->_fits(*ring(101)));
}

TEST(HostileTypeCodes, AliasesOfAliasesHaveALimit) {
  const auto aliases = [](int count) {
    CORBA::TypeCodeFactory::StructMemberSeq members;
    typecode_reference type = CORBA::_tc_octet;
    for (int i = 0; i < count; ++i) {
      type = kFactory->create_alias_tc("IDL:test/A" + std::to_string(i) + ":1.0", "", type);
      members.push_back({"m" + std::to_string(i), type});
    }
    return octets_of(kFactory->create_struct_tc("IDL:test/S:1.0", "S", members), corbel::test::kLittleEndian);
  };
  EXPECT_NE(value_of<typecode_reference>(aliases(128), corbel::test::kLittleEndian), nullptr);
  const base::Bytes many = aliases(129);
  cdr::Decoder decoder(many, {.little_endian = corbel::test::kLittleEndian});
  EXPECT_EQ(decode_type(decoder), nullptr);
  EXPECT_EQ(decoder.error().code, base::Code::too_deep);
}

TEST(HostileTypeCodes, WhatTheyTakeIsCharged) {
  const base::Bytes octets = staircase(1'000);
  for (const std::uint32_t expansion : {2U, 64U}) {
    cdr::Decoder decoder(octets, {.little_endian = corbel::test::kLittleEndian},
                         {.max_expansion = expansion, .free_memory = 0});
    EXPECT_EQ(decode_type(decoder) != nullptr, expansion == 64) << expansion;
  }
}

typecode_reference union_of(const std::vector<std::int32_t>& labels, int default_at) {
  CORBA::TypeCodeFactory::UnionMemberSeq members;
  for (const std::int32_t label : labels) {
    Any any;
    if (static_cast<int>(members.size()) == default_at) {
      any <<= std::uint8_t{0};
    } else {
      any <<= label;
    }
    members.push_back({"m" + std::to_string(members.size()), any, CORBA::_tc_octet});
  }
  return kFactory->create_union_tc("IDL:test/U:1.0", "U", CORBA::_tc_long, members);
}

TEST(HostileUnions, LabelsAreFoundHoweverManyThereAre) {
  std::vector<std::int32_t> labels;
  for (std::int32_t i = 0; i < 20'000; ++i) labels.push_back((i * 7919) % 20'011 - 10'000);
  for (const int default_at : {-1, 5, 19'999}) {
    const auto local = union_of(labels, default_at);
    for (const auto& type : {local, value_of<typecode_reference>(octets_of(local, corbel::test::kLittleEndian),
                                                                 corbel::test::kLittleEndian)}) {
      const TypeNode& node = type->_node();
      for (std::int32_t i = 0; i < 20'000; ++i) {
        ASSERT_EQ(selected_member(node, labels[static_cast<std::size_t>(i)]), i == default_at ? default_at : i);
      }
      EXPECT_EQ(selected_member(node, 1 << 30), default_at);
      const auto unused = unused_label(node);
      ASSERT_TRUE(unused);
      EXPECT_EQ(selected_member(node, *unused), default_at);
    }
  }
}

TEST(HostileUnions, TheFirstOfEqualLabelsCounts) {
  // The factory refuses them, strangers do not.
  for (const std::uint32_t count : {2U, 20U}) {
    cdr::Encoder inner({.little_endian = corbel::test::kLittleEndian});
    inner.put(corbel::test::kOrderFlag);
    inner.put_plain_string("");
    inner.put_plain_string("");
    inner.put(static_cast<std::uint32_t>(CORBA::TCKind::tk_long));
    inner.put(std::int32_t{-1});
    inner.put(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      inner.put(std::int32_t{4});
      inner.put_plain_string("");
      inner.put(static_cast<std::uint32_t>(CORBA::TCKind::tk_octet));
    }
    cdr::Encoder out({.little_endian = corbel::test::kLittleEndian});
    out.put(static_cast<std::uint32_t>(CORBA::TCKind::tk_union));
    out.put_octet_sequence(inner.to_bytes());
    const base::Bytes octets = out.to_bytes();
    const auto type = value_of<typecode_reference>(octets, corbel::test::kLittleEndian);
    EXPECT_EQ(selected_member(type->_node(), 4), 0) << count;
    EXPECT_EQ(selected_member(type->_node(), 5), -1) << count;
  }
}

}  // namespace
}  // namespace corbel::dynamic
