// SPDX-License-Identifier: Apache-2.0
// The frames of values: what is refused, what is charged, and that storage does not show.
#include "corbel/cdr/value_stream.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "corbel/cdr/test_support.hpp"
#include "corbel/cdr/value_tags.hpp"

namespace corbel::cdr {
namespace {

using base::Bytes;
using base::Code;

constexpr std::string_view kId[] = {"IDL:V:1.0"};
constexpr std::uint32_t kChunkedValue = tag::kValue | tag::kChunked;

Bytes words(std::initializer_list<std::uint32_t> values) {
  Encoder encoder(kLittle);
  for (const auto value : values) encoder.put(value);
  return encoder.to_bytes();
}

Limits with_memory(std::uint32_t octets) {
  return {.max_expansion = 0, .free_memory = octets};
}

TEST(ValueChunks, ARunThroughSeveralIsCharged) {
  const Bytes octets = words({4, 0x01020304, 4, 0x05060708});
  for (const std::uint32_t memory : {7U, 8U}) {
    Decoder decoder(octets, kLittle, with_memory(memory));
    const ValueReader reader(decoder);
    decoder.begin_chunks();
    const base::ConstByteSpan run = decoder.take_octets(8);
    EXPECT_EQ(decoder.ok(), memory == 8) << memory;
    if (memory == 8) {
      EXPECT_EQ(base::to_hex(run), "0403020108070605");
    }
  }
}

TEST(ValueChunks, OfImpossibleLengthsAreMalformed) {
  for (const std::uint32_t length : {0U, 9U, 0x7fffff00U, 0x80000000U, 0xffffffffU}) {
    const Bytes octets = words({length, 1, 2});
    Decoder decoder(octets, kLittle);
    const ValueReader reader(decoder);
    decoder.begin_chunks();
    decoder.get<std::uint32_t>();
    EXPECT_FALSE(decoder.ok()) << length;
  }
  const Bytes octets = words({8, 1, 2});
  Decoder decoder(octets, kLittle);
  decoder.begin_chunks();
  EXPECT_EQ(decoder.get<std::uint32_t>(), 1U);
  EXPECT_EQ(decoder.left_in_chunk(), 4U);
  EXPECT_EQ(decoder.get<std::uint32_t>(), 2U);
  EXPECT_TRUE(decoder.ok());
}

TEST(ValueChunks, DataLeftInOneIsNotSkippedUnlessItIsPadding) {
  // Eight octets are left: a primitive would fit, so the sender meant it to be read.
  const Bytes octets = words({12, 1, 2, 3, 4, 5});
  Decoder decoder(octets, kLittle);
  const ValueReader reader(decoder);
  decoder.begin_chunks();
  decoder.get<std::uint32_t>();
  (void)decoder.take_octets(16);
  EXPECT_FALSE(decoder.ok());
}

TEST(ValueHeaders, OutsideTheGrammarAreMalformed) {
  const auto code_of = [](const Bytes& octets, bool inside_chunks) {
    Decoder decoder(octets, kLittle);
    ValueReader reader(decoder);
    if (inside_chunks) (void)reader.begin();
    if (decoder.ok()) (void)reader.begin();
    return decoder.ok() ? Code::none : decoder.error().code;
  };
  EXPECT_EQ(code_of(words({tag::kValue}), false), Code::none);
  EXPECT_EQ(code_of(words({0}), false), Code::none);
  EXPECT_EQ(code_of(words({1}), false), Code::malformed);
  EXPECT_EQ(code_of(words({tag::kValue - 1}), false), Code::malformed);
  EXPECT_EQ(code_of(words({tag::kValue | 0x10}), false), Code::malformed);
  EXPECT_EQ(code_of(words({tag::kValue | 0x80}), false), Code::malformed);
  EXPECT_EQ(code_of(words({tag::kValue | 0x4}), false), Code::malformed);
  EXPECT_EQ(code_of(words({kChunkedValue, kChunkedValue}), true), Code::none);
  EXPECT_EQ(code_of(words({kChunkedValue, tag::kValue}), true), Code::malformed);
  // Indirections point to values before them, and to nothing else.
  EXPECT_EQ(code_of(words({tag::kIndirection, static_cast<std::uint32_t>(-4)}), false), Code::malformed);
  EXPECT_EQ(code_of(words({tag::kIndirection, 4}), false), Code::malformed);
  EXPECT_EQ(code_of(words({tag::kIndirection, static_cast<std::uint32_t>(-400)}), false), Code::malformed);
}

TEST(ValueHeaders, AreCharged) {
  const Bytes plain = words({tag::kValue});
  Encoder out(kLittle);
  out.put(tag::kValue | tag::kSingleId);
  out.put_plain_string(kId[0]);
  const Bytes named = out.to_bytes();
  // What the tables and the object take, about: once for the value, once for its id.
  const auto passes = [](const Bytes& octets, std::uint32_t memory) {
    Decoder decoder(octets, kLittle, with_memory(memory));
    ValueReader reader(decoder);
    (void)reader.begin();
    return decoder.ok();
  };
  EXPECT_FALSE(passes(plain, 191));
  EXPECT_TRUE(passes(plain, 192));
  EXPECT_FALSE(passes(named, 2 * 192 - 1));
  EXPECT_TRUE(passes(named, 2 * 192));
}

TEST(ValueHeaders, OfValuesThatAreSkippedAreChargedToo) {
  // A chunked value in whose end another stands that the reader does not know of.
  const Bytes octets = words({kChunkedValue, 4, 7, kChunkedValue, 4, 8, static_cast<std::uint32_t>(-1)});
  for (const std::uint32_t memory : {2 * 192U - 1, 2 * 192U}) {
    Decoder decoder(octets, kLittle, with_memory(memory));
    ValueReader reader(decoder);
    const ValueHeader header = reader.begin();
    EXPECT_EQ(decoder.get<std::uint32_t>(), 7U);
    reader.end(header);
    EXPECT_EQ(decoder.ok(), memory == 2 * 192U);
    if (decoder.ok()) {
      EXPECT_EQ(decoder.remaining(), 0U);
    }
  }
}

TEST(ValueChunks, HaveLessThanEightOctetsOfPadding) {
  const Bytes split = words({8, 1, 2, 12, 9, 3, 4});
  Decoder decoder(split, kLittle);
  decoder.begin_chunks();
  EXPECT_EQ(decoder.get<std::uint64_t>(), 0U);
  EXPECT_EQ(decoder.error().code, Code::malformed);
  const Bytes padded = words({4, 1, 12, 9, 3, 4});
  Decoder good(padded, kLittle);
  good.begin_chunks();
  EXPECT_EQ(good.get<std::uint64_t>(), (std::uint64_t{4} << 32) + 3);
  EXPECT_TRUE(good.ok());
}

TEST(ValueChunks, AreOfNoConcernToASecondReading) {
  const Bytes octets = words({5, 4, 6, 7});
  Decoder decoder(octets, kLittle);
  EXPECT_EQ(decoder.get<std::uint32_t>(), 5U);
  decoder.begin_chunks();
  EXPECT_EQ(decoder.get<std::uint32_t>(), 6U);
  EXPECT_TRUE(decoder.has_joints());
  Decoder again = decoder.at(0);
  EXPECT_FALSE(again.has_joints());
  for (const std::uint32_t expected : {5U, 4U, 6U, 7U}) EXPECT_EQ(again.get<std::uint32_t>(), expected);
  again.get<std::uint8_t>();
  EXPECT_EQ(again.error().code, Code::truncated);
}

TEST(ValueChunks, AreNotEmpty) {
  const Bytes octets = words({0, 4, 7});
  Decoder decoder(octets, kLittle);
  const ValueReader reader(decoder);
  decoder.begin_chunks();
  decoder.get<std::uint32_t>();
  EXPECT_FALSE(decoder.ok());
}

TEST(ValueChunks, EndWithTheTagThatClosesTheValueAround) {
  const Bytes octets = words({kChunkedValue, 4, 7, kChunkedValue, 4, 8, static_cast<std::uint32_t>(-1), 4, 9});
  Decoder decoder(octets, kLittle);
  ValueReader reader(decoder);
  (void)reader.begin();
  decoder.get<std::uint32_t>();
  reader.end(reader.begin());
  ASSERT_TRUE(decoder.ok());
  decoder.get<std::uint32_t>();
  EXPECT_FALSE(decoder.ok()) << "the state of the outer value has ended, too";
}

TEST(ValueChunks, EndedByATagForAllDoNotEndTheNextValue) {
  const auto end = static_cast<std::uint32_t>(-1);
  const Bytes octets = words({kChunkedValue, 4, 7, kChunkedValue, 4, 8, end, kChunkedValue, 4, 9, end});
  Decoder decoder(octets, kLittle);
  ValueReader reader(decoder);
  const ValueHeader outer = reader.begin();
  decoder.get<std::uint32_t>();
  reader.end(reader.begin());
  reader.end(outer);
  const ValueHeader next = reader.begin();
  EXPECT_EQ(decoder.get<std::uint32_t>(), 9U);
  reader.end(next);
  EXPECT_TRUE(decoder.ok());
  EXPECT_EQ(decoder.remaining(), 0U);
}

TEST(ValueHeaders, MayPointToValuesThatWereSkippedAndToNothingElse) {
  const auto minus = [](int n) { return static_cast<std::uint32_t>(-n); };
  for (const auto& [back, good] : {std::pair{24, true}, std::pair{20, false}}) {
    const Bytes octets =
        words({kChunkedValue, 4, 7, kChunkedValue, 4, 8, minus(2), minus(1), tag::kIndirection, minus(back)});
    Decoder decoder(octets, kLittle);
    ValueReader reader(decoder);
    const ValueHeader outer = reader.begin();
    decoder.get<std::uint32_t>();
    reader.end(outer);
    ASSERT_TRUE(decoder.ok());
    EXPECT_EQ(reader.begin().kind == ValueHeader::Kind::known, good);
    EXPECT_EQ(decoder.ok(), good);
  }
}

TEST(ValueHeaders, HaveACodebaseBeforeTheirType) {
  Encoder encoder(kLittle);
  encoder.put(tag::kValue | tag::kCodebase | tag::kSingleId);
  encoder.put_string("http://x/");
  encoder.put_string(kId[0]);
  const Bytes octets = encoder.to_bytes();
  Decoder decoder(octets, kLittle);
  ValueReader reader(decoder);
  const ValueHeader header = reader.begin();
  ASSERT_TRUE(decoder.ok());
  EXPECT_EQ(header.ids[0], kId[0]);
}

TEST(ValueHeaders, NameATypeIfTheyHaveAListOfThem) {
  const Bytes octets = words({tag::kValue | tag::kIdList, 0, 0});
  Decoder decoder(octets, kLittle);
  ValueReader reader(decoder);
  (void)reader.begin();
  EXPECT_FALSE(decoder.ok());
}

TEST(ValueHeaders, ListsOfTypesThatComeAgainAreChargedAgain) {
  constexpr std::uint32_t kCount = 100;
  Encoder out(kLittle);
  out.put(tag::kValue | tag::kIdList);
  out.put(kCount);
  for (std::uint32_t i = 0; i < kCount; ++i) out.put_plain_string("IDL:V" + std::to_string(i) + ":1.0");
  out.put(tag::kValue | tag::kIdList);
  out.put(tag::kIndirection);
  out.put(4 - static_cast<std::int32_t>(out.position()));  // the list, behind the first tag
  const Bytes octets = out.to_bytes();
  const auto passes = [&](int values, std::uint32_t memory) {
    Decoder decoder(octets, kLittle, with_memory(memory));
    ValueReader reader(decoder);
    for (int i = 0; i < values; ++i) {
      const ValueHeader header = reader.begin();
      EXPECT_TRUE(!decoder.ok() || header.ids.size() == kCount);
    }
    return decoder.ok();
  };
  const auto least = [&](int values) {
    std::uint32_t low = 0, high = 1U << 20;
    while (low < high) {
      const std::uint32_t middle = (low + high) / 2;
      if (passes(values, middle)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  };
  // The value, and the walk through the list.
  EXPECT_EQ(least(2) - least(1), 192 + kCount * sizeof(std::string_view));
}

TEST(ValueWriter, EndsEachValueWhereItsStateEnds) {
  for (const Format format : {kLittle, kBig}) {
    Encoder encoder(format);
    ValueWriter writer(encoder);
    int outer = 0, inner = 0;
    writer.begin(&outer, kId, true);
    writer.begin(&inner, kId, true);
    encoder.put(std::uint32_t{1});
    writer.end(true);
    encoder.put(std::uint32_t{2});
    writer.end(true);
    const Bytes octets = encoder.to_bytes();
    Decoder decoder(octets, format);
    ValueReader reader(decoder);
    const ValueHeader first = reader.begin();
    const ValueHeader second = reader.begin();
    EXPECT_EQ(decoder.get<std::uint32_t>(), 1U);
    reader.end(second);
    EXPECT_EQ(decoder.get<std::uint32_t>(), 2U);
    reader.end(first);
    EXPECT_TRUE(decoder.ok());
    EXPECT_EQ(decoder.remaining(), 0U);
  }
}

TEST(ValueWriter, ValuesBesideEachOtherAreNotNested) {
  Encoder encoder(kLittle);
  ValueWriter writer(encoder);
  const std::vector<int> values(kMaxValueNesting + 1);
  for (const int& value : values) {
    writer.begin(&value, kId, false);
    writer.end(false);
  }
  EXPECT_TRUE(encoder.ok());
}

TEST(ValueWriter, ListsOfTypesAreWrittenOnce) {
  constexpr std::string_view kIds[] = {"IDL:A:1.0", "IDL:B:1.0"};
  Encoder encoder(kLittle);
  ValueWriter writer(encoder);
  int values[2] = {};
  for (const int& value : values) {
    writer.begin(&value, kIds, true);
    encoder.put(std::uint32_t{5});
    writer.end(true);
  }
  const Bytes octets = encoder.to_bytes();
  Decoder decoder(octets, kLittle);
  ValueReader reader(decoder);
  for (int i = 0; i < 2; ++i) {
    const ValueHeader header = reader.begin();
    ASSERT_EQ(header.ids.size(), 2U) << i;
    EXPECT_EQ(header.ids[1], "IDL:B:1.0");
    EXPECT_EQ(decoder.get<std::uint32_t>(), 5U);
    reader.end(header);
  }
  EXPECT_TRUE(decoder.ok());
}

/// A chunked value with `before` octets before it, nothing in it, and another value behind it.
Bytes frames(std::size_t before, std::size_t capacity, bool look_ahead) {
  Encoder encoder(kLittle, capacity);
  const Bytes filler(before, 0xee);
  encoder.copy_octets(filler.data(), filler.size());
  ValueWriter writer(encoder);
  int first = 0;
  int second = 0;
  bool chunked = writer.begin(&first, kId, true);
  // Room that is made and not used: the storage of the length that is taken back is another's.
  if (look_ahead) (void)encoder.reserve(4096);
  writer.end(chunked);
  chunked = writer.begin(&second, kId, true);
  encoder.put(std::uint64_t{1});
  EXPECT_TRUE(writer.put_known(&first));
  writer.end(chunked);
  EXPECT_TRUE(encoder.ok());
  return encoder.to_bytes();
}

/// A value, and one with another inside and an indirection to itself or to the first.
constexpr std::string_view kFirstId[] = {"IDL:W:1.0"};
Bytes values(bool to_first, Format format = kLittle) {
  Encoder encoder(format);
  ValueWriter writer(encoder);
  const int first = 0, outer = 0, inner = 0;
  writer.end(writer.begin(&first, kFirstId, true));
  const bool chunked = writer.begin(&outer, kId, true);
  encoder.put<std::uint64_t>(1);
  writer.end(writer.begin(&inner, kId, true));
  EXPECT_TRUE(writer.put_known(to_first ? &first : &outer));
  writer.end(chunked);
  return encoder.to_bytes();
}

TEST(ValueWriter, CopiesValuesAsOctetsWhereTheyMeanTheSame) {
  const auto copied = [](const Bytes& octets, std::size_t before, bool evenly = true) {
    Encoder encoder(kLittle);
    for (std::size_t i = 0; i < before; ++i) encoder.put<std::uint8_t>(0);
    Decoder decoder(octets, {.little_endian = octets[0] == 0x0a});
    ValueWriter writer(encoder);
    ValueReader reader(decoder);
    const ValueHeader first = reader.begin();
    const bool chunked = writer.begin(&first, kFirstId, true);
    writer.note_copied(first, decoder.stream_position() + (evenly ? 0 : 4), chunked);
    writer.end(chunked);
    reader.end(first);
    const ValueHeader second = reader.begin();
    if (!writer.put_copy(&second, second, decoder)) return false;
    const Bytes all = encoder.to_bytes();
    EXPECT_TRUE(decoder.ok() && decoder.remaining() == 0 && writer.put_known(&second));
    EXPECT_TRUE(std::equal(octets.begin(), octets.end(), all.end() - static_cast<std::ptrdiff_t>(octets.size())));
    return true;
  };
  EXPECT_TRUE(copied(values(true), 0) && copied(values(true), 8));
  EXPECT_FALSE(copied(values(true), 4)) << "what is aligned by eight would not be";
  EXPECT_FALSE(copied(values(true, {.little_endian = false}), 0));
  EXPECT_TRUE(copied(values(false), 0, false));
  EXPECT_FALSE(copied(values(true), 0, false)) << "it may lead to something else";
}

TEST(ValueWriter, WritesTheSameWhereverItsStorageEnds) {
  for (std::size_t before = 0; before < 80; ++before) {
    const Bytes expected = frames(before, 8192, false);
    EXPECT_EQ(frames(before, 64, false), expected) << before;
    EXPECT_EQ(frames(before, 64, true), expected) << before;
  }
}

}  // namespace
}  // namespace corbel::cdr
