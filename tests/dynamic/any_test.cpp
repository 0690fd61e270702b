// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"

#include <random>
#include <sstream>

namespace corbel::dynamic {
namespace {

using CORBA::Any;

/// Through octets in one byte order, then those sent on in the other.
Any travel(const Any& any, bool little, std::size_t offset = 0) {
  const Any received = value_of<Any>(octets_of(any, little, offset), little, offset);
  return value_of<Any>(octets_of(received, !little, offset), !little, offset);
}

template <class T>
void expect_travels(const T& value) {
  Any any;
  any <<= value;
  T result{};
  EXPECT_TRUE(any >>= result);
  EXPECT_TRUE(result == value);
  for (std::size_t offset = 0; offset < 8; ++offset) {
    for (const bool little : {false, true}) {
      const Any back = travel(any, little, offset);
      result = T{};
      ASSERT_TRUE(back >>= result) << back << " at " << offset;
      EXPECT_TRUE(result == value) << back << " at " << offset;
      EXPECT_TRUE(back == any);
    }
  }
}

TEST(Any, CarriesEveryBasicType) {
  expect_travels(true);
  expect_travels('x');
  expect_travels(L'\u20ac');
  expect_travels(std::uint8_t{200});
  expect_travels(std::int16_t{-2});
  expect_travels(std::uint16_t{65535});
  expect_travels(std::int32_t{-70000});
  expect_travels(std::uint32_t{4000000000});
  expect_travels(std::int64_t{-5000000000});
  expect_travels(std::uint64_t{1} << 63);
  expect_travels(1.5F);
  expect_travels(-2.25);
  expect_travels(3.141592653589793238L);
  expect_travels(std::string("grüße"));
  expect_travels(std::wstring(L"grüße"));
  expect_travels(IDL::bounded_string<8>("short"));
}

TEST(Any, CarriesContainersAndAnys) {
  expect_travels(std::vector<bool>{true, false, true});
  expect_travels(std::vector<std::uint8_t>(5000, 7));
  expect_travels(std::vector<double>(300, 0.5));
  expect_travels(std::vector<std::string>{"a", "", std::string(3000, 'x')});
  expect_travels(std::array<std::array<std::int64_t, 2>, 3>{{{{1, 2}}, {{3, 4}}, {{5, 6}}}});
  Any inner;
  inner <<= std::string("inside");
  expect_travels(inner);
  expect_travels(std::vector<Any>{inner, Any(), inner});
  expect_travels(Any());
}

TEST(Any, CarriesTypeCodesAndExceptions) {
  Any any;
  any <<= CORBA::_tc_longlong;
  CORBA::typecode_reference type;
  ASSERT_TRUE(travel(any, true) >>= type);
  EXPECT_TRUE(type->equal(CORBA::_tc_longlong));
  any <<= CORBA::TRANSIENT(CORBA::OMGVMCID | 2, CORBA::CompletionStatus::COMPLETED_MAYBE);
  CORBA::TRANSIENT transient;
  ASSERT_TRUE(travel(any, true) >>= transient);
  EXPECT_EQ(transient.minor(), CORBA::OMGVMCID | 2);
  EXPECT_EQ(transient.completed(), CORBA::CompletionStatus::COMPLETED_MAYBE);
  CORBA::TIMEOUT timeout;
  EXPECT_FALSE(any >>= timeout);
}

TEST(Any, ExtractsOnlyWhatItHolds) {
  Any any;
  std::int32_t number = 5;
  EXPECT_FALSE(any >>= number);
  EXPECT_EQ(any.type()->kind(), CORBA::TCKind::tk_null);
  any <<= "text";
  EXPECT_FALSE(any >>= number);
  EXPECT_EQ(number, 5);
  std::string text;
  EXPECT_TRUE(any >>= text);
  EXPECT_EQ(text, "text");
  EXPECT_THROW(any.type(CORBA::_tc_long), CORBA::BAD_TYPECODE);
  auto factory = CORBA::make_reference<CORBA::TypeCodeFactory>();
  any.type(factory->create_alias_tc("IDL:Title:1.0", "Title", CORBA::_tc_string));
  EXPECT_EQ(any.type()->name(), "Title");
  EXPECT_TRUE(travel(any, false) >>= text);
  EXPECT_EQ(travel(any, false).type()->name(), "Title");
}

TEST(Any, SaysWhatItHolds) {
  Any any;
  any <<= std::vector<std::int32_t>{1};
  std::ostringstream text;
  text << any;
  EXPECT_EQ(text.str(), "any{sequence<long>}");
}

/// A random type, with a random value of it.
class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  Any any(int depth) {
    const auto type = make(depth);
    cdr::Encoder encoder;
    value(encoder, *type);
    const auto octets = encoder.to_bytes();
    cdr::Decoder decoder(octets, {});
    Any result = decode_value(decoder, type);
    EXPECT_TRUE(decoder.ok() && decoder.remaining() == 0) << *type;
    return result;
  }

 private:
  unsigned below(unsigned limit) { return static_cast<unsigned>(random_() % limit); }

  CORBA::typecode_reference make(int depth) {
    const CORBA::typecode_reference basic[] = {CORBA::_tc_short,   CORBA::_tc_double,     CORBA::_tc_octet,
                                               CORBA::_tc_boolean, CORBA::_tc_string,     CORBA::_tc_longlong,
                                               CORBA::_tc_wstring, CORBA::_tc_longdouble, CORBA::_tc_long};
    if (depth == 0) return basic[below(std::size(basic))];
    switch (below(5)) {
      case 0:
        return factory_->create_sequence_tc(0, make(depth - 1));
      case 1:
        return factory_->create_array_tc(1 + below(3), make(depth - 1));
      case 2:
        return factory_->create_alias_tc("IDL:A:1.0", "A", make(depth - 1));
      case 3: {
        CORBA::TypeCodeFactory::StructMemberSeq members;
        for (unsigned i = 1 + below(4); i > 0; --i) members.push_back({"m" + std::to_string(i), make(depth - 1)});
        return factory_->create_struct_tc("", "S", members);
      }
      default: {
        CORBA::TypeCodeFactory::UnionMemberSeq members;
        for (unsigned i = 1 + below(3); i > 0; --i) {
          Any label;
          label <<= static_cast<std::int16_t>(i);
          members.push_back({"u" + std::to_string(i), label, make(depth - 1)});
        }
        return factory_->create_union_tc("", "U", CORBA::_tc_short, members);
      }
    }
  }

  void value(cdr::Encoder& out, const CORBA::TypeCode& type) {
    const auto& node = type._node();
    switch (node.kind) {
      case CORBA::TCKind::tk_short:
        return out.put(static_cast<std::int16_t>(random_()));
      case CORBA::TCKind::tk_long:
        return out.put(static_cast<std::int32_t>(random_()));
      case CORBA::TCKind::tk_double:
        return out.put(static_cast<double>(random_()));
      case CORBA::TCKind::tk_octet:
        return out.put(static_cast<std::uint8_t>(random_()));
      case CORBA::TCKind::tk_boolean:
        return out.put(below(2) == 1);
      case CORBA::TCKind::tk_longlong:
        return out.put(static_cast<std::int64_t>(random_()));
      case CORBA::TCKind::tk_longdouble:
        return out.put_long_double(static_cast<long double>(random_()) / 3);
      case CORBA::TCKind::tk_string:
        return out.put_plain_string(std::string(below(20), 's'));
      case CORBA::TCKind::tk_wstring:
        return out.put_wstring(std::wstring(below(20), L'\u4e2d'));
      case CORBA::TCKind::tk_alias:
        return value(out, *node.content);
      case CORBA::TCKind::tk_sequence: {
        const unsigned count = below(4);
        out.put_count(count);
        for (unsigned i = 0; i < count; ++i) value(out, *node.content);
        return;
      }
      case CORBA::TCKind::tk_array:
        for (unsigned i = 0; i < node.length; ++i) value(out, *node.content);
        return;
      case CORBA::TCKind::tk_struct:
        for (const auto& member : node.members) value(out, *member.type);
        return;
      default: {
        const auto label = static_cast<std::int16_t>(below(5));
        out.put(label);
        for (const auto& member : node.members) {
          if (member.label == label) value(out, *member.type);
        }
      }
    }
  }

  std::mt19937_64 random_;
  CORBA::object_reference<CORBA::TypeCodeFactory> factory_ = CORBA::make_reference<CORBA::TypeCodeFactory>();
};

TEST(Any, RandomValuesOfRandomTypesTravel) {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    const Any any = Generator(seed).any(static_cast<int>(seed % 4));
    const Any back = travel(any, seed % 2 == 0, seed % 8);
    EXPECT_TRUE(back == any) << "seed " << seed << ": " << any;
  }
}

TEST(Any, SurvivesMutation) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    expect_survives_mutation<Any>(octets_of(Generator(seed).any(static_cast<int>(seed % 4)), true));
  }
}

TEST(Any, TypesThatRepeatNothingManyTimesAreRefused) {
  auto factory = CORBA::make_reference<CORBA::TypeCodeFactory>();
  auto type = factory->create_struct_tc("", "", {});
  for (int i = 0; i < 60; ++i) type = factory->create_struct_tc("", "", {{"a", type}, {"b", type}});
  cdr::Encoder encoder;
  encode_type(encoder, *type);
  const auto octets = encoder.to_bytes();
  cdr::Decoder decoder(octets, {});
  Any any;
  mapping::Codec<Any>::decode(decoder, any);
  EXPECT_FALSE(decoder.ok());
  EXPECT_EQ(decoder.error().code, base::Code::too_large);
}

}  // namespace
}  // namespace corbel::dynamic
