// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"

#include <random>
#include <sstream>

#include "corbel/dynamic/dyn_any.hpp"
#include "corbel/dynamic/transcode.hpp"
#include "corbel/ior/ior.hpp"
#include "support/plain_context.hpp"

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

TEST(Any, EqualsOnlyWhatHasItsTypeAndItsValue) {
  const auto any_of = [](const auto& value) {
    Any any;
    any <<= value;
    return any;
  };
  EXPECT_TRUE(any_of(std::int32_t{1}) == any_of(std::int32_t{1}));
  EXPECT_FALSE(any_of(std::int32_t{1}) == any_of(std::int32_t{2}));
  // The same octets, another type.
  EXPECT_FALSE(any_of(std::int32_t{1}) == any_of(std::uint32_t{1}));
  EXPECT_FALSE(travel(any_of(std::int32_t{1}), true) == travel(any_of(std::uint32_t{1}), true));
  EXPECT_TRUE(any_of(std::vector<std::string>{"a"}) == travel(any_of(std::vector<std::string>{"a"}), true));
  EXPECT_TRUE(Any() == Any());
  EXPECT_FALSE(Any() == any_of(std::int32_t{0}));
  Any named = any_of(std::int32_t{1});
  named.type(CORBA::make_reference<CORBA::TypeCodeFactory>()->create_alias_tc("IDL:A:1.0", "A", CORBA::_tc_long));
  EXPECT_FALSE(named == any_of(std::int32_t{1}));
}

TEST(Any, ChecksTheBoundsOfWhatItIsMadeOf) {
  const auto factory = CORBA::make_reference<CORBA::TypeCodeFactory>();
  const auto code_of = [](const CORBA::typecode_reference& type, base::FunctionRef<void(cdr::Encoder&)> write) {
    cdr::Encoder encoder;
    encode_type(encoder, *type);
    write(encoder);
    encoder.put(std::uint64_t{0});
    const base::Bytes octets = encoder.to_bytes();
    cdr::Decoder decoder(octets, {});
    Any any;
    mapping::Codec<Any>::decode(decoder, any);
    return decoder.ok() ? base::Code::none : decoder.error().code;
  };
  const auto in_struct = [&](const CORBA::typecode_reference& type) {
    return factory->create_struct_tc("", "", {{"m", type}});
  };
  for (const bool nested : {false, true}) {
    const auto wrap = [&](const CORBA::typecode_reference& type) { return nested ? in_struct(type) : type; };
    for (const std::uint32_t length : {3U, 4U}) {
      const auto expected = length == 3 ? base::Code::none : base::Code::bad_bound;
      EXPECT_EQ(code_of(wrap(factory->create_string_tc(3)),
                        [&](cdr::Encoder& out) { out.put_plain_string(std::string(length, 'x')); }),
                expected);
      EXPECT_EQ(code_of(wrap(factory->create_wstring_tc(3)),
                        [&](cdr::Encoder& out) { out.put_wstring(std::wstring(length, L'x')); }),
                expected);
      const auto count = [&](cdr::Encoder& out) {
        out.put(length);
        out.put(std::uint32_t{0});
      };
      EXPECT_EQ(code_of(wrap(factory->create_sequence_tc(3, CORBA::_tc_octet)), count), expected);
      const auto number = [&](cdr::Encoder& out) { out.put(length - 1); };
      EXPECT_EQ(code_of(wrap(factory->create_enum_tc("IDL:E:1.0", "E", {"a", "b", "c"})), number),
                length == 3 ? base::Code::none : base::Code::bad_enum);
    }
    EXPECT_EQ(code_of(wrap(CORBA::_tc_boolean), [](cdr::Encoder& out) { out.put(std::uint8_t{2}); }),
              base::Code::bad_boolean);
    EXPECT_EQ(code_of(wrap(factory->create_fixed_tc(3, 0)), [](cdr::Encoder& out) { out.put_octets("\x1a\x2c", 2); }),
              base::Code::malformed);
  }
  // The discriminator of a union is an enumerator as well.
  const auto color = factory->create_enum_tc("IDL:E:1.0", "E", {"a", "b"});
  const auto choice = factory->create_union_tc("IDL:U:1.0", "U", color, {});
  EXPECT_EQ(code_of(choice, [](cdr::Encoder& out) { out.put(std::uint32_t{1}); }), base::Code::none);
  EXPECT_EQ(code_of(choice, [](cdr::Encoder& out) { out.put(std::uint32_t{2}); }), base::Code::bad_enum);
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
    const CORBA::typecode_reference basic[] = {CORBA::_tc_short,
                                               CORBA::_tc_double,
                                               CORBA::_tc_octet,
                                               CORBA::_tc_boolean,
                                               CORBA::_tc_string,
                                               CORBA::_tc_longlong,
                                               CORBA::_tc_wstring,
                                               CORBA::_tc_longdouble,
                                               CORBA::_tc_long,
                                               CORBA::_tc_float,
                                               CORBA::_tc_char,
                                               CORBA::_tc_wchar,
                                               CORBA::_tc_ulonglong,
                                               CORBA::_tc_any,
                                               CORBA::_tc_TypeCode,
                                               factory_->create_string_tc(30),
                                               factory_->create_fixed_tc(5, 2),
                                               factory_->create_enum_tc("IDL:E:1.0", "E", {"a", "b", "c"})};
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
      case CORBA::TCKind::tk_float:
        return out.put(static_cast<float>(below(1000)) / 8);
      case CORBA::TCKind::tk_char:
        return out.put(static_cast<char>('a' + below(26)));
      case CORBA::TCKind::tk_wchar:
        return out.put_wchar(static_cast<wchar_t>(L'a' + static_cast<wchar_t>(below(26))));
      case CORBA::TCKind::tk_ulonglong:
        return out.put(static_cast<std::uint64_t>(random_()));
      case CORBA::TCKind::tk_any:
        return mapping::Codec<Any>::encode(out, any(static_cast<int>(below(2))));
      case CORBA::TCKind::tk_TypeCode:
        return encode_type(out, *make(static_cast<int>(below(3))));
      case CORBA::TCKind::tk_fixed:
        for (unsigned i = 0; i < node.digits / 2U; ++i) out.put(static_cast<std::uint8_t>(below(10) * 16 + below(10)));
        return out.put(static_cast<std::uint8_t>(below(10) * 16 + 12 + below(2)));
      case CORBA::TCKind::tk_enum:
        return out.put(below(3));
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

void take_apart(const DynamicAny::DynAny::Ref& dyn) {
  const std::uint32_t count = dyn->component_count();
  for (std::uint32_t i = 0; i < count; ++i) {
    ASSERT_TRUE(dyn->seek(static_cast<std::int32_t>(i)));
    take_apart(dyn->current_component());
  }
}

TEST(Any, RandomValuesAreTheSameHoweverTheyAreRead) {
  test::PlainContext orb;
  const auto factory = CORBA::make_reference<DynamicAny::DynAnyFactory>(orb);
  for (unsigned seed = 1; seed <= 300; ++seed) {
    const Any any = Generator(seed).any(static_cast<int>(seed % 4));
    cdr::Encoder native;
    any._encode_value(native);
    const base::Bytes octets = native.to_bytes();
    for (const bool little : {false, true}) {
      // The value alone, copied to the other byte order and back.
      cdr::Encoder out({.little_endian = little});
      cdr::Decoder in(octets, {});
      transcode(any._type(), in, out, Origin::foreign);
      ASSERT_TRUE(in.ok() && out.ok() && in.remaining() == 0) << "seed " << seed;
      const base::Bytes other = out.to_bytes();
      cdr::Decoder back(other, {.little_endian = little});
      EXPECT_TRUE(decode_value(back, any.type()) == any) << "seed " << seed;
      EXPECT_EQ(back.remaining(), 0U) << "seed " << seed;
      // All components of what arrived, put together again.
      const auto dyn = factory->create_dyn_any(value_of<Any>(octets_of(any, little), little));
      take_apart(dyn);
      EXPECT_TRUE(dyn->to_any() == any) << "seed " << seed;
      EXPECT_TRUE(dyn->equal(factory->create_dyn_any(any))) << "seed " << seed;
      dyn->destroy();
    }
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
  EXPECT_EQ(decoder.error().code, base::Code::too_expanded);
}

}  // namespace
}  // namespace corbel::dynamic
