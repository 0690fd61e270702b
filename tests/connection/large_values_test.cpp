// SPDX-License-Identifier: Apache-2.0
// Long sequences of numbers and of plain structs are received where they stay.
#include <array>
#include <numeric>
#include <utility>

#include "corbel/base/kept_memory.hpp"
#include "corbel/mapping/codec.hpp"
#include "framer_support.hpp"

namespace {

/// As BinStruct of the ttcp benchmark; in a sequence on the wire, the first one is often four octets shorter.
struct Sample {
  std::int16_t s = 0;
  char c = 0;
  std::int32_t l = 0;
  std::uint8_t o = 0;
  double d = 0;
  friend bool operator==(const Sample&, const Sample&) = default;
};

}  // namespace

template <>
struct corbel::cdr::BulkLayout<Sample> {
  static constexpr bool value = true;
  static constexpr std::size_t alignment = 8;
  static constexpr std::size_t first_alignment = 2;
  static constexpr bool has_padding = true;
  static void clear_padding(Sample& sample) noexcept { clear_octets<3, 1, 9, 7>(sample); }
};

template <>
struct corbel::mapping::Codec<Sample> {
  static constexpr std::size_t kMinSize = 17;
  static void encode(cdr::Encoder& encoder, const Sample& value) {
    encoder.put(value.s);
    encoder.put(value.c);
    encoder.put(value.l);
    encoder.put(value.o);
    encoder.put(value.d);
  }
  static void decode(cdr::Decoder& decoder, Sample& value) {
    value.s = decoder.get<std::int16_t>();
    value.c = decoder.get<char>();
    value.l = decoder.get<std::int32_t>();
    value.o = decoder.get<std::uint8_t>();
    value.d = decoder.get<double>();
  }
};

namespace corbel::connection {
namespace {

template <class T>
void decode(Message& message, T& value) {
  mapping::Codec<T>::decode(message.body, value);
}

class LargeValuesTest : public FramerTest {
 protected:
  LargeValuesTest() { base::KeptMemory::give_back(); }

  static std::vector<Sample> samples(std::size_t count) {
    std::vector<Sample> values(count);
    for (std::size_t i = 0; i < count; ++i) {
      const auto n = static_cast<std::int32_t>(i);
      values[i] = {static_cast<std::int16_t>(n), 'c', -n, static_cast<std::uint8_t>(n), n * 0.5};
    }
    return values;
  }
  template <class T>
  static std::vector<T> numbers(std::size_t count) {
    std::vector<T> values(count);
    std::iota(values.begin(), values.end(), T{1});
    return values;
  }
  template <class T>
  base::Bytes carrying(const T& value, messaging::Version version = {1, 2}) const {
    return request(
        2, [&](cdr::Encoder& e) { mapping::Codec<T>::encode(e, value); }, version);
  }

  static void arrive(Framer& framer, Message& message, base::ConstByteSpan octets, std::size_t step) {
    while (!octets.empty()) {
      ASSERT_FALSE(*framer.next(message));
      const base::ByteSpan space = framer.space();
      const std::size_t size = std::min({space.size(), octets.size(), step});
      std::memcpy(space.data(), octets.data(), size);
      framer.received(size);
      octets = octets.subspan(size);
    }
    ASSERT_TRUE(*framer.next(message));
  }

  /// True of octets that were received where the vector's are.
  template <class T>
  void become_the_sequence(const std::vector<T>& sent) {
    for (const messaging::Version version : {messaging::Version{1, 0}, {1, 1}, {1, 2}}) {
      for (const std::size_t step : {std::size_t{SIZE_MAX}, std::size_t{30'000}, std::size_t{701}}) {
        Input input(limits_);
        arrive(input.framer, message_, carrying(sent, version), step);
        ASSERT_TRUE(message_.body.has_rest());
        const void* const last = message_.body.rest().data() + message_.body.rest().size() - sizeof(T);
        std::vector<T> value(3);
        decode(message_, value);
        EXPECT_TRUE(message_.body.ok());
        EXPECT_EQ(value, sent);
        EXPECT_EQ(&value.back(), last);
        EXPECT_FALSE(message_.body.has_rest());
        EXPECT_EQ(message_.body.remaining(), 0U);
        EXPECT_FALSE(*input.framer.next(message_));
      }
    }
  }
};

#if defined(__GLIBCXX__) && !defined(_GLIBCXX_DEBUG) && !defined(_GLIBCXX_SANITIZE_VECTOR)
TEST_F(LargeValuesTest, NumbersBecomeTheSequence) {
  become_the_sequence(numbers<double>(20'000));
  become_the_sequence(numbers<std::int32_t>(40'000));
  become_the_sequence(numbers<std::int16_t>(30'001));
}

TEST_F(LargeValuesTest, StructsBecomeTheSequence) {
  become_the_sequence(samples(5'461));
}

TEST_F(LargeValuesTest, MemoryOfTheCallsBeforeIsUsedAgain) {
  const std::vector<Sample> sent = samples(5'461);
  std::vector<Sample> value;
  std::array<const Sample*, 8> where{};
  for (const Sample*& each : where) {
    arrive(framer_, message_, carrying(sent), SIZE_MAX);
    decode(message_, value);
    EXPECT_EQ(value, sent);
    EXPECT_FALSE(*framer_.next(message_));
    each = value.data();
  }
  for (std::size_t i = 2; i < where.size(); ++i) EXPECT_EQ(where[i], where[i - 2]) << "two, in turns";
}
#endif

TEST_F(LargeValuesTest, WhatThePeerPutBetweenMembersIsNotKept) {
  const std::vector<Sample> sent = samples(3'000);
  base::Bytes octets = carrying(sent);
  octets.back() ^= 0x40;  // the last member itself
  for (std::size_t i = 1; i <= 2'999; ++i) {
    octets[octets.size() - i * sizeof(Sample) + 3] = 0xee;
    octets[octets.size() - i * sizeof(Sample) + 15] = 0xee;
  }
  arrive(framer_, message_, octets, SIZE_MAX);
  std::vector<Sample> value;
  decode(message_, value);
  ASSERT_EQ(value.size(), sent.size());
  for (const Sample& each : value) {
    const auto* const raw = reinterpret_cast<const std::uint8_t*>(&each);
    ASSERT_EQ(raw[3], 0U);
    for (std::size_t i = 9; i < 16; ++i) ASSERT_EQ(raw[i], 0U);
  }
  EXPECT_NE(value.back(), sent.back());
}

TEST_F(LargeValuesTest, OfAnotherSizeThanWasGuessedAreReadAsEver) {
  // 24 octets each as well, but there is no layout that they share with memory.
  const std::vector<std::string> texts(4'000, "fifteen letters");
  arrive(framer_, message_, carrying(texts), 30'000);
  std::vector<std::string> read;
  decode(message_, read);
  EXPECT_EQ(read, texts);
  // The numbers of a sequence of sequences: half of them, as it were.
  const std::vector<std::vector<std::int32_t>> nested(100, numbers<std::int32_t>(500));
  Input input(limits_);
  arrive(input.framer, message_, carrying(nested), 30'000);
  std::vector<std::vector<std::int32_t>> value;
  decode(message_, value);
  EXPECT_TRUE(message_.body.ok());
  EXPECT_EQ(value, nested);
}

TEST_F(LargeValuesTest, CountsThatAreWrongAreRefusedOrReadAsEver) {
  const std::vector<double> sent = numbers<double>(10'000);
  base::Bytes octets = carrying(sent);
  const std::size_t at = octets.size() - sent.size() * sizeof(double) - 8;
  for (const std::uint32_t said : {0U, 15U, 9'999U, 10'001U, 20'000U, 40'000U, 0x7fffffffU, 0xffffffffU}) {
    std::memcpy(octets.data() + at, &said, sizeof said);
    Input input(limits_);
    arrive(input.framer, message_, octets, 30'000);
    std::vector<double> value;
    decode(message_, value);
    EXPECT_EQ(message_.body.ok(), said <= sent.size()) << said;
    EXPECT_EQ(value.size(), said <= sent.size() ? said : 0) << said;
    std::vector<Sample> others;
    decode(message_, others);  // whatever comes of it
  }
}

TEST_F(LargeValuesTest, AreChargedToTheBudget) {
  cdr::Limits limits;
  limits.max_expansion = 0;
  limits.free_memory = 50'000;
  Input input(limits);
  arrive(input.framer, message_, carrying(samples(3'000)), SIZE_MAX);
  std::vector<Sample> value;
  decode(message_, value);
  EXPECT_EQ(message_.body.error().code, base::Code::too_expanded);
  EXPECT_TRUE(value.empty());
}

}  // namespace
}  // namespace corbel::connection
