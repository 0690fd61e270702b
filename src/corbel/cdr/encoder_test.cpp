// SPDX-License-Identifier: Apache-2.0
#include "corbel/cdr/encoder.hpp"

#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <numeric>

#include "corbel/base/bytes.hpp"
#include "corbel/cdr/decoder.hpp"
#include "corbel/cdr/test_support.hpp"

namespace corbel::cdr {
namespace {

std::string hex(Encoder& encoder) {
  return base::to_hex(encoder.to_bytes());
}

TEST(Encoder, AlignsPrimitivesToTheirSizeAndZeroesTheGaps) {
  Encoder encoder(kLittle);
  encoder.put(std::uint8_t{1});
  encoder.put(std::int16_t{-2});
  encoder.put(std::uint8_t{3});
  encoder.put(std::uint32_t{4});
  encoder.put(std::uint8_t{5});
  encoder.put(std::uint64_t{6});
  EXPECT_EQ(hex(encoder),
            "0100feff03000000040000000500000006"
            "00000000000000");
}

TEST(Encoder, WritesBothByteOrders) {
  Encoder encoder(kBig);
  encoder.put(std::uint32_t{0x01020304});
  encoder.put(1.0F);
  EXPECT_EQ(hex(encoder), "010203043f800000");
  encoder.reset(kLittle);
  encoder.put(std::uint32_t{0x01020304});
  encoder.put(1.0F);
  EXPECT_EQ(hex(encoder), "040302010000803f");
}

TEST(Encoder, WritesBooleansAsZeroAndOne) {
  Encoder encoder(kLittle);
  const bool values[] = {true, false, true};
  encoder.put(true);
  encoder.put_array(values, 3);
  EXPECT_EQ(hex(encoder), "01010001");
}

TEST(Encoder, SwapsArraysOfEveryWidth) {
  Encoder encoder(kBig);
  const std::uint16_t shorts[] = {1, 2};
  const std::uint64_t longs[] = {3};
  encoder.put_array(shorts, 2);
  encoder.put_array(longs, 1);
  EXPECT_EQ(hex(encoder), "00010002000000000000000000000003");
}

TEST(Encoder, WritesNothingForAnEmptyArrayNotEvenAlignment) {
  Encoder encoder(kLittle);
  encoder.put_count(0);
  encoder.put_array(static_cast<const double*>(nullptr), 0);
  EXPECT_EQ(encoder.position(), 4U);
}

TEST(Encoder, RefersToLargeOctetRunsAndKeepsPositionsAcrossThem) {
  const base::Bytes large(Encoder::kReferenceThreshold + 3, 7);
  Encoder encoder(kLittle);
  encoder.put_octet_sequence(large);
  encoder.put(std::uint64_t{9});
  const auto segments = encoder.segments();
  ASSERT_EQ(segments.size(), 3U);
  EXPECT_EQ(segments[1].data, large.data());
  const base::Bytes all = encoder.to_bytes();
  Decoder decoder(all, kLittle);
  EXPECT_EQ(decoder.get_octet_sequence().size(), large.size());
  EXPECT_EQ(decoder.get<std::uint64_t>(), 9U);
  EXPECT_TRUE(decoder.ok());
  EXPECT_EQ(decoder.remaining(), 0U);
}

TEST(Encoder, RefersFromWhereItIsToldToAndToNothingIfToldSo) {
  const std::string text(100, 't');
  const base::Bytes octets(100, 7);
  const auto pieces_with = [&](std::size_t threshold) {
    Encoder encoder(kLittle);
    encoder.set_reference_threshold(threshold);
    encoder.reset(kLittle);  // which it survives
    encoder.put_octet_sequence(octets);
    encoder.put_string(text);
    encoder.put_string("");
    encoder.put_octets(nullptr, 0);
    encoder.copy_array(octets.data(), octets.size());
    const base::Bytes all = encoder.to_bytes();
    Decoder decoder(all, kLittle);
    EXPECT_EQ(decoder.get_octet_sequence().size(), octets.size());
    EXPECT_EQ(decoder.get_plain_string(), text);
    EXPECT_EQ(decoder.get_plain_string(), "");
    EXPECT_EQ(decoder.remaining(), octets.size());
    return encoder.segments().size();
  };
  EXPECT_EQ(pieces_with(0), 5U);
  EXPECT_EQ(pieces_with(100), 5U);
  EXPECT_EQ(pieces_with(101), 1U);
  EXPECT_EQ(pieces_with(Encoder::kCopyAll), 1U);
}

TEST(Encoder, CopiesWhatIsSmallWhenThereAreManyPieces) {
  const base::Bytes small(8, 1);
  const base::Bytes large(Encoder::kReferenceThreshold, 2);
  Encoder encoder(kLittle);
  encoder.set_reference_threshold(0);
  constexpr std::size_t kTimes = 2000;
  for (std::size_t i = 0; i < kTimes; ++i) encoder.put_octet_sequence(small);
  encoder.put_octet_sequence(large);
  EXPECT_LE(encoder.segments().size(), Encoder::kMostSmallSegments + 10);
  EXPECT_EQ(encoder.segments().back().data, large.data());
  const base::Bytes all = encoder.to_bytes();
  Decoder decoder(all, kLittle);
  for (std::size_t i = 0; i < kTimes; ++i) EXPECT_EQ(decoder.get_octet_sequence().size(), small.size());
  EXPECT_EQ(decoder.get_octet_sequence().back(), 2);
  EXPECT_TRUE(decoder.ok());
}

TEST(Encoder, KeepsCursorAndPositionCongruentAtEveryPhase) {
  const base::Bytes large(Encoder::kReferenceThreshold + 8, 1);
  for (std::size_t before = 0; before < 8; ++before) {
    for (std::size_t extra = 0; extra < 8; ++extra) {
      Encoder encoder(kLittle, 64);
      for (std::size_t i = 0; i < before; ++i) encoder.put(std::uint8_t{2});
      encoder.put_reference(large.data(), Encoder::kReferenceThreshold + extra);
      for (int i = 0; i < 40; ++i) {
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(encoder.reserve(1)) % 8, encoder.position() % 8);
        encoder.put(std::uint8_t{3});
        encoder.put(std::uint32_t{4});
      }
      const base::Bytes all = encoder.to_bytes();
      EXPECT_EQ(all.size(), encoder.position());
    }
  }
}

TEST(Encoder, GrowsOverManyBlocksWithoutMovingWhatWasWritten) {
  Encoder encoder(kBig, 64);
  std::vector<std::uint32_t> values(50000);
  std::iota(values.begin(), values.end(), 0U);
  for (const std::uint32_t value : values) encoder.put(value);
  encoder.put_array(values.data(), values.size());
  const base::Bytes all = encoder.to_bytes();
  Decoder decoder(all, kBig);
  for (const std::uint32_t value : values) ASSERT_EQ(decoder.get<std::uint32_t>(), value);
  std::vector<std::uint32_t> again(values.size());
  decoder.get_array(again.data(), again.size());
  EXPECT_EQ(again, values);
  EXPECT_EQ(decoder.remaining(), 0U);
}

TEST(Encoder, ReusesItsStorageAfterReset) {
  Encoder encoder(kLittle, 64);
  const auto write = [&] {
    encoder.reset(kLittle);
    for (std::uint32_t i = 0; i < 1000; ++i) encoder.put(i);
    const auto segments = encoder.segments();
    return std::vector<const void*>{segments.front().data, segments.back().data};
  };
  const auto first = write();
  EXPECT_EQ(write(), first);
  EXPECT_EQ(write(), first);
}

std::size_t taken() {
  const auto all = ::mallinfo2();
  return all.uordblks + all.hblkhd;
}

TEST(Encoder, GivesBackWhatALargeMessageNeeded) {
  const base::Bytes large(16 * Encoder::kKeepCapacity, 1);
  Encoder encoder(kLittle);
  const std::size_t before = taken();
  encoder.copy_octets(large.data(), large.size());
  encoder.reset(kLittle);
  EXPECT_LT(taken(), before + 2 * Encoder::kKeepCapacity);
}

TEST(Encoder, GivesAllBackAndBeginsAnew) {
  const base::Bytes large(100'000, 7);
  Encoder encoder(kLittle, 752);
  for (const bool refers : {false, true}) {
    encoder.release();
    const std::size_t before = taken();
    for (int i = 0; i < 40; ++i) {
      encoder.put(std::uint32_t{1});
      refers ? encoder.put_reference(large.data(), 3'000) : encoder.copy_octets(large.data(), 3'000);
    }
    encoder.release();
    EXPECT_EQ(encoder.position(), 0U);
    EXPECT_TRUE(encoder.segments().empty());
    EXPECT_LE(taken(), before + 8'000) << "but what the allocator keeps at hand";
    encoder.reset(kLittle);
    for (int i = 0; i < 40; ++i) {
      refers ? encoder.put_reference(large.data(), 3'000) : encoder.copy_octets(large.data(), 3'000);
      encoder.put(std::uint32_t{1});
    }
    EXPECT_EQ(encoder.position(), 40U * 3'004);
    EXPECT_EQ(encoder.to_bytes().size(), 40U * 3'004);
    encoder.release();
    encoder.release();
  }
  encoder.reset(kLittle);
  encoder.align(8);
  encoder.put(std::uint8_t{1});
  encoder.align(8);
  EXPECT_EQ(encoder.to_bytes(), (base::Bytes{1, 0, 0, 0, 0, 0, 0, 0}));
}

// Where a block begins depends on the position in the message: there is less room in it than its size says.
TEST(Encoder, DoesNotReuseABlockThatIsTooSmallForWhereItWouldBegin) {
  const base::Bytes octets(208, 0xff);
  Encoder encoder(kLittle, 64);
  encoder.copy_octets(octets.data(), 64);
  encoder.copy_octets(octets.data(), 200);  // for which a block of 208 is made
  encoder.reset(kLittle);
  encoder.copy_octets(octets.data(), 63);
  encoder.copy_octets(octets.data(), 208);
  for (int i = 0; i < 2; ++i) encoder.put(std::uint8_t{0xff});
  EXPECT_EQ(encoder.segments().size(), 3U) << "the last octet is in a block of its own, or beyond one";
  EXPECT_EQ(encoder.to_bytes(), base::Bytes(63 + 208 + 2, 0xff));
}

TEST(Encoder, SurvivesAReferencePerSegmentByTheThousand) {
  const base::Bytes large(Encoder::kReferenceThreshold, 1);
  Encoder encoder(kLittle);
  for (int round = 0; round < 2; ++round) {
    encoder.reset(kLittle);
    for (int i = 0; i < 20000; ++i) encoder.put_octet_sequence(large);
    EXPECT_EQ(encoder.segments().size(), 40000U);
    EXPECT_EQ(encoder.position(), 20000U * (4 + large.size()));
  }
}

TEST(Encoder, KeepsEverySegmentWhenTheirListGrows) {
  const base::Bytes large(Encoder::kReferenceThreshold, 1);
  Encoder encoder(kLittle);
  for (std::uint32_t i = 0; i < 200; ++i) {
    encoder.put(i);
    encoder.put_octets(large.data(), large.size());
  }
  const base::Bytes octets = encoder.to_bytes();
  Decoder decoder(octets, kLittle);
  for (std::uint32_t i = 0; i < 200; ++i) {
    ASSERT_EQ(decoder.get<std::uint32_t>(), i);
    ASSERT_TRUE(std::ranges::equal(decoder.take_octets(large.size()), large));
  }
}

TEST(Encoder, PatchesTheHeaderEvenIfItDidNotFitTheFirstBlock) {
  Encoder encoder(kLittle, 64);
  std::uint8_t* header = encoder.reserve(1000);
  std::fill_n(header, 1000, std::uint8_t{0xee});
  encoder.commit(1000);
  encoder.patch_u32(4, 0x01020304);
  encoder.patch_octet(0, 9);
  EXPECT_EQ(hex(encoder).substr(0, 18), "09eeeeee04030201ee");
}

TEST(Encoder, KeepsTheFirstFailure) {
  Encoder encoder;
  EXPECT_TRUE(encoder.ok());
  encoder.put_string(std::string_view("a\0b", 3));
  encoder.put_count(std::size_t{1} << 32);
  EXPECT_EQ(encoder.error(), base::error(base::Stage::encode, base::Code::bad_string));
  encoder.reset({});
  EXPECT_TRUE(encoder.ok());
}

TEST(Encoder, WritesLongDoublesAsBinary128) {
  Encoder encoder(kBig);
  encoder.put(std::uint8_t{1});
  encoder.put_long_double(-1.5L);
  EXPECT_EQ(hex(encoder), "0100000000000000bfff8000000000000000000000000000");
  const base::Bytes all = encoder.to_bytes();
  Decoder decoder(all, kBig);
  decoder.get<std::uint8_t>();
  EXPECT_EQ(decoder.get_long_double(), -1.5L);
  EXPECT_TRUE(decoder.ok());
}

}  // namespace
}  // namespace corbel::cdr
