// SPDX-License-Identifier: Apache-2.0
#include "corbel/mapping/codec.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>

#include "corbel/mapping/view.hpp"
#include "demo.hpp"

namespace corbel::mapping {
namespace {

constexpr bool kNative = std::endian::native == std::endian::little;

/// Through CDR in one byte order, after `offset` octets.
template <class T>
T travel(const T& value, bool little_endian, std::size_t offset, base::Code expected = base::Code::none) {
  cdr::Encoder encoder({little_endian, 2});
  for (std::size_t i = 0; i < offset; ++i) encoder.put(std::uint8_t{0xee});
  Codec<T>::encode(encoder, value);
  EXPECT_TRUE(encoder.ok());
  const base::Bytes octets = encoder.to_bytes();
  cdr::Decoder decoder(octets, encoder.format());
  for (std::size_t i = 0; i < offset; ++i) decoder.get<std::uint8_t>();
  T result{};
  Codec<T>::decode(decoder, result);
  EXPECT_EQ(decoder.ok() ? base::Code::none : decoder.error().code, expected);
  if (expected == base::Code::none) {
    EXPECT_EQ(decoder.remaining(), 0U);
  }
  return result;
}

template <class T>
void expect_travels(const T& value) {
  for (std::size_t offset = 0; offset < 8; ++offset) {
    EXPECT_TRUE(travel(value, kNative, offset) == value) << offset;
    EXPECT_TRUE(travel(value, !kNative, offset) == value) << offset;
  }
}

template <class T>
base::Code encode_failure(const T& value) {
  cdr::Encoder encoder;
  Codec<T>::encode(encoder, value);
  return encoder.ok() ? base::Code::none : encoder.error().code;
}

/// What becomes of `sent` where it is read as a T.
template <class T, class Sent>
base::Code decode_failure(const Sent& sent) {
  cdr::Encoder encoder;
  Codec<Sent>::encode(encoder, sent);
  const base::Bytes octets = encoder.to_bytes();
  cdr::Decoder decoder(octets, encoder.format());
  T result;
  Codec<T>::decode(decoder, result);
  return decoder.ok() ? base::Code::none : decoder.error().code;
}

TEST(Codec, CarriesBasicTypesAndContainers) {
  expect_travels(std::int16_t{-2});
  expect_travels(true);
  expect_travels(3.25);
  expect_travels(std::string("grüße"));
  expect_travels(std::wstring(L"grüße"));
  expect_travels(std::vector<bool>{true, false, true});
  expect_travels(std::vector<std::int32_t>{1, -2, 3});
  expect_travels(std::vector<double>(1000, 0.5));
  expect_travels(std::vector<std::string>{"a", "", "c"});
  expect_travels(std::vector<std::vector<std::uint8_t>>{{1}, {}, {2, 3}});
  expect_travels(std::array<std::int64_t, 3>{1, 2, 3});
  expect_travels(std::array<std::array<char, 2>, 2>{{{'a', 'b'}, {'c', 'd'}}});
}

TEST(Codec, CarriesStructsInBulkAtEveryOffset) {
  const Demo::BinStruct one(1, 'c', -3, 4, 5.5);
  expect_travels(one);
  expect_travels(Demo::BinStructs{});
  expect_travels(Demo::BinStructs(3, one));
  expect_travels(Demo::BinStructs(1000, one));
  expect_travels(std::array<Demo::BinStruct, 2>{one, one});
  expect_travels(Demo::Item("name", Demo::Color::green, {one, one}));
}

TEST(Codec, RefusesWhatExceedsItsBound) {
  using Four = IDL::bounded_vector<std::int32_t, 4>;
  expect_travels(Four{1, 2, 3, 4});
  EXPECT_EQ(encode_failure(Four{1, 2, 3, 4, 5}), base::Code::bad_bound);
  expect_travels(IDL::bounded_string<3>("abc"));
  EXPECT_EQ(encode_failure(IDL::bounded_string<3>("abcd")), base::Code::bad_bound);
  EXPECT_EQ(encode_failure(IDL::bounded_wstring<1>(L"ab")), base::Code::bad_bound);

  cdr::Encoder encoder;
  Codec<std::vector<std::int32_t>>::encode(encoder, {1, 2, 3, 4, 5});
  const base::Bytes octets = encoder.to_bytes();
  cdr::Decoder decoder(octets, encoder.format());
  Four four;
  Codec<Four>::decode(decoder, four);
  EXPECT_EQ(decoder.error().code, base::Code::bad_bound);
}

TEST(Codec, RefusesStringsThatExceedTheirBoundFromTheWireToo) {
  EXPECT_EQ(decode_failure<IDL::bounded_string<3>>(std::string("abc")), base::Code::none);
  EXPECT_EQ(decode_failure<IDL::bounded_string<3>>(std::string("abcd")), base::Code::bad_bound);
  EXPECT_EQ(decode_failure<IDL::bounded_wstring<1>>(std::wstring(L"a")), base::Code::none);
  EXPECT_EQ(decode_failure<IDL::bounded_wstring<1>>(std::wstring(L"ab")), base::Code::bad_bound);
}

// The header of a fragment may lie in the midst of what would be copied at once.
TEST(Codec, ReadsStructsAcrossTheJointsOfFragments) {
  const Demo::BinStructs structs(3, Demo::BinStruct(1, 'c', -3, 4, 5.5));
  cdr::Encoder encoder;
  Codec<Demo::BinStructs>::encode(encoder, structs);
  const base::Bytes whole = encoder.to_bytes();
  for (std::size_t at = 8; at + 8 < whole.size(); at += 8) {
    // As the framer leaves it: what follows the joint begins behind the header of a fragment, of 12 octets.
    base::Bytes joined(12 + whole.size());
    std::copy(whole.begin(), whole.end(), joined.begin() + 12);
    cdr::Decoder decoder(joined, encoder.format());
    (void)decoder.take_octets(12);
    const std::size_t joints[] = {12 + at};
    decoder.set_joints(joints);
    cdr::Decoder by_hand = decoder;
    Demo::BinStructs found;
    Codec<Demo::BinStructs>::decode(decoder, found);
    Demo::BinStructs expected;
    expected.resize(by_hand.take_count(Codec<Demo::BinStruct>::kMinSize));
    for (auto& each : expected) Codec<Demo::BinStruct>::decode(by_hand, each);
    EXPECT_EQ(decoder.ok(), by_hand.ok()) << at;
    const auto octets_of = [](const Demo::BinStructs& some) {
      cdr::Encoder again;
      Codec<Demo::BinStructs>::encode(again, some);
      return again.to_bytes();
    };
    EXPECT_EQ(octets_of(found), octets_of(expected)) << at;  // numbers that are none are not equal
  }
}

// --- views ---

using Numbers = std::span<const std::uint32_t>;

/// What a view parameter is of, or why it is not.
template <class V, std::uint32_t N = 0>
base::Code view(cdr::Decoder& decoder, detail::ViewArgument<V>& argument) {
  detail::Parameter<View<V, N>>::decode(decoder, argument);
  return decoder.ok() ? base::Code::none : decoder.error().code;
}

TEST(Views, LieInTheMessageOnlyIfTheyCanBeReadThere) {
  const std::vector<std::uint32_t> numbers{1, 0x01020304, 3};
  for (const bool little : {kNative, !kNative}) {
    for (std::size_t offset = 0; offset < 4; ++offset) {
      cdr::Encoder encoder({little, 2});
      Codec<std::vector<std::uint32_t>>::encode(encoder, numbers);
      base::Bytes memory(offset);
      const base::Bytes octets = encoder.to_bytes();
      memory.insert(memory.end(), octets.begin(), octets.end());
      cdr::Decoder decoder({memory.data() + offset, octets.size()}, encoder.format());
      detail::ViewArgument<Numbers> argument;
      ASSERT_EQ(view(decoder, argument), base::Code::none);
      const Numbers& found = argument;
      EXPECT_TRUE(std::equal(found.begin(), found.end(), numbers.begin(), numbers.end())) << little << offset;
      const auto* const at = reinterpret_cast<const base::Octet*>(found.data());
      const bool inside = at >= memory.data() && at < memory.data() + memory.size();
      EXPECT_EQ(inside, little == kNative && offset == 0);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(at) % alignof(std::uint32_t), 0U) << offset;
    }
  }
}

TEST(Views, OfTextInLatin1AreOfItsUtf8) {
  const base::Bytes octets{2, 0, 0, 0, 0xe9, 0};
  cdr::Decoder decoder(octets, {.little_endian = true, .char_set = cdr::CodeSet::iso_8859_1});
  detail::ViewArgument<std::string_view> argument;
  EXPECT_EQ(view(decoder, argument), base::Code::none);
  EXPECT_EQ(static_cast<const std::string_view&>(argument), "\xc3\xa9");
}

TEST(Views, HaveBoundsOnBothSides) {
  const std::vector<std::uint32_t> numbers{1, 2, 3};
  cdr::Encoder encoder;
  View<Numbers, 3>::encode(encoder, numbers);
  EXPECT_TRUE(encoder.ok());
  const base::Bytes octets = encoder.to_bytes();
  View<Numbers, 2>::encode(encoder, numbers);
  EXPECT_EQ(encoder.error().code, base::Code::bad_bound);
  detail::ViewArgument<Numbers> argument;
  cdr::Decoder good(octets, encoder.format());
  EXPECT_EQ((view<Numbers, 3>(good, argument)), base::Code::none);
  cdr::Decoder bad(octets, encoder.format());
  EXPECT_EQ((view<Numbers, 2>(bad, argument)), base::Code::bad_bound);
}

TEST(Codec, RefusesEnumeratorsOutOfRange) {
  expect_travels(Demo::Color::blue);
  EXPECT_EQ(encode_failure(static_cast<Demo::Color>(3)), base::Code::bad_enum);
  const std::uint32_t wire = 3;
  cdr::Decoder decoder({reinterpret_cast<const base::Octet*>(&wire), sizeof wire}, {});
  Demo::Color color = Demo::Color::blue;
  Codec<Demo::Color>::decode(decoder, color);
  EXPECT_EQ(decoder.error().code, base::Code::bad_enum);
  EXPECT_TRUE(color == Demo::Color::red);
}

TEST(Codec, HostileCountsDoNotAllocate) {
  const std::uint32_t wire[] = {0xffffffff, 0, 0, 0};
  cdr::Decoder decoder({reinterpret_cast<const base::Octet*>(wire), sizeof wire}, {});
  Demo::BinStructs structs;
  Codec<Demo::BinStructs>::decode(decoder, structs);
  EXPECT_FALSE(decoder.ok());
  EXPECT_TRUE(structs.empty());
}

TEST(Codec, EveryTruncationFailsCleanly) {
  const Demo::Item item("some name", Demo::Color::blue, Demo::BinStructs(4));
  cdr::Encoder encoder;
  Codec<Demo::Item>::encode(encoder, item);
  const base::Bytes octets = encoder.to_bytes();
  for (std::size_t size = 0; size < octets.size(); ++size) {
    cdr::Decoder decoder({octets.data(), size}, encoder.format());
    Demo::Item result;
    Codec<Demo::Item>::decode(decoder, result);
    EXPECT_FALSE(decoder.ok()) << size;
  }
}

}  // namespace
}  // namespace corbel::mapping
