// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "corbel/cdr/bulk.hpp"
#include "corbel/cdr/decoder.hpp"
#include "corbel/cdr/value_stream.hpp"

// Messages joined from GIOP 1.1 fragments, as omniORB 4.2 cuts them.
namespace corbel::cdr {
namespace {

constexpr Format kLittle11{.little_endian = true, .giop_minor = 1};

TEST(DecoderWithJoints, AlignsWhatFollowsAJointFromTheFragmentsOwnHeader) {
  // A message of 14 octets ends with a string; the fragment goes on with a ulong at its offset 12 and a double at 16.
  base::Bytes octets(14, 0);
  octets.insert(octets.end(), {6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xf8, 0x3f});
  const std::size_t joints[] = {14};
  Decoder decoder(octets, kLittle11, {}, 14);
  decoder.set_joints(joints);
  EXPECT_EQ(decoder.get<std::uint32_t>(), 6U);
  EXPECT_EQ(decoder.get<double>(), 1.5);
  EXPECT_TRUE(decoder.ok());
  EXPECT_EQ(decoder.remaining(), 0U);
}

TEST(DecoderWithJoints, LeavesTheGapBeforeAJointUnread) {
  base::Bytes octets(12, 0);
  octets.insert(octets.end(), {7, 0xee, 0xee});  // an octet, then two that nothing fits into
  octets.insert(octets.end(), {9, 0, 0, 0});
  const std::size_t joints[] = {15};
  Decoder decoder(octets, kLittle11, {}, 12);
  decoder.set_joints(joints);
  EXPECT_EQ(decoder.get<std::uint8_t>(), 7U);
  EXPECT_EQ(decoder.get<std::uint32_t>(), 9U);
  EXPECT_TRUE(decoder.ok());
}

TEST(DecoderWithJoints, ReadsArraysAcrossJointsAsTheyLie) {
  for (const bool little : {true, false}) {
    // Four long longs from offset 16, cut after one and a half and after two and a half; then an octet and a ulong.
    base::Bytes octets(16, 0);
    for (std::uint8_t i = 1; i <= 4; ++i) {
      base::Bytes value(8, 0);
      value[little ? 0 : 7] = i;
      octets.insert(octets.end(), value.begin(), value.end());
    }
    octets.insert(octets.end(), {5, 0xee, 0xee, 0xee, 9, 9, 9, 9});
    const std::size_t joints[] = {28, 36};
    Decoder decoder(octets, Format{.little_endian = little, .giop_minor = 1}, {}, 16);
    decoder.set_joints(joints);
    EXPECT_TRUE(decoder.has_joints());
    std::vector<std::int64_t> values;
    get_vector(decoder, values, 4);
    EXPECT_EQ(values, (std::vector<std::int64_t>{1, 2, 3, 4}));
    EXPECT_FALSE(decoder.has_joints());
    EXPECT_EQ(decoder.position(), 24U);  // 12 octets behind the second joint
    EXPECT_EQ(decoder.get<std::uint8_t>(), 5U);
    EXPECT_EQ(decoder.get<std::uint32_t>(), 0x09090909U);
    EXPECT_TRUE(decoder.ok());
  }
}

TEST(DecoderWithJoints, CountsAndStringsSeeEverythingThatFollows) {
  base::Bytes octets(12, 0);
  octets.insert(octets.end(), {6, 0, 0, 0, 'h', 'e', 'l', 'l', 'o', 0});
  const std::size_t joints[] = {18};
  Decoder decoder(octets, kLittle11, {}, 12);
  decoder.set_joints(joints);
  EXPECT_EQ(decoder.get_plain_string(), "hello");
  EXPECT_TRUE(decoder.ok());
  EXPECT_EQ(decoder.get<std::uint8_t>(), 0U);
  EXPECT_EQ(decoder.error().code, base::Code::truncated);
}

TEST(DecoderWithJoints, StartsBehindThoseThatTheHeaderPassed) {
  base::Bytes octets(42, 0);
  std::iota(octets.begin(), octets.end(), std::uint8_t{0});
  const std::size_t joints[] = {14, 20, 30};
  Decoder decoder(octets, kLittle11, {}, 22);
  decoder.set_joints(joints);
  EXPECT_EQ(decoder.get<std::uint16_t>(), 22U | 23U << 8);
  EXPECT_EQ(decoder.get<std::uint64_t>() & 0xff, 34U);  // behind the joint at 30, at its offset 16
  EXPECT_TRUE(decoder.ok());
}

// So many fragments, and as many indirections to a value behind them: minutes if each passed joint after joint.
TEST(DecoderWithJoints, APlaceIsFoundWithoutPassingAllJointsBeforeIt) {
  constexpr std::size_t kCount = 200'000;
  base::Bytes octets(12 + 4 * kCount, 0);
  octets.back() = 7;
  std::vector<std::size_t> joints;
  for (std::size_t n = 1; n < kCount; ++n) joints.push_back(12 + 4 * n);
  Decoder decoder(octets, kLittle11, {}, 12);
  decoder.set_joints(joints);
  decoder.take_octets(octets.size() - 16);
  std::uint64_t sum = 0;
  for (std::size_t n = 0; n < kCount; ++n) sum += decoder.at(octets.size() - 4).get<std::uint32_t>() >> 24;
  EXPECT_EQ(sum, 7 * kCount);
}

TEST(DecoderWithJoints, CountsIndirectionsAsIfThereWereNoFragments) {
  // A value of one octet at 12; a cut behind it; an indirection to the value at 17, aligned to its own fragment; 7.
  base::Bytes octets(12, 0);
  octets.insert(octets.end(), {0, 0xff, 0xff, 0x7f, 5});
  octets.insert(octets.end(), {0xff, 0xff, 0xff, 0xff, 0xf7, 0xff, 0xff, 0xff, 7, 0, 0, 0});
  const std::size_t joints[] = {17};
  Decoder decoder(octets, kLittle11, {}, 12);
  decoder.set_joints(joints);
  ValueReader reader(decoder);
  const ValueHeader value = reader.begin();
  EXPECT_EQ(value.kind, ValueHeader::Kind::value);
  EXPECT_EQ(value.position, 12U);
  EXPECT_EQ(decoder.get<std::uint8_t>(), 5U);
  reader.end(value);
  const ValueHeader known = reader.begin();
  EXPECT_EQ(known.kind, ValueHeader::Kind::known);
  EXPECT_EQ(known.position, 12U);
  EXPECT_EQ(decoder.get<std::uint32_t>(), 7U);
  Decoder again = decoder.at(known.position);
  EXPECT_EQ(again.get<std::uint32_t>(), 0x7fffff00U);
  EXPECT_EQ(again.get<std::uint8_t>(), 5U);
  EXPECT_EQ(again.get<std::uint32_t>(), 0xffffffffU) << "behind the joint once more";
  EXPECT_TRUE(again.ok() && decoder.ok());
}

TEST(DecoderWithJoints, RefusesChunks) {
  base::Bytes octets(12, 0);
  octets.insert(octets.end(), {8, 0xff, 0xff, 0x7f, 1, 0, 0, 0, 5, 0, 0, 0, 0xff, 0xff, 0xff, 0xff});
  const std::size_t joints[] = {20};
  Decoder decoder(octets, kLittle11, {}, 12);
  decoder.set_joints(joints);
  (void)ValueReader(decoder).begin();
  EXPECT_FALSE(decoder.ok());
  EXPECT_EQ(decoder.error().code, base::Code::unsupported);
}

}  // namespace
}  // namespace corbel::cdr
