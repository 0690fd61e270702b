// SPDX-License-Identifier: Apache-2.0
#include "corbel/cdr/decoder.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "corbel/cdr/encapsulation.hpp"
#include "corbel/cdr/test_support.hpp"

namespace corbel::cdr {
namespace {

TEST(Decoder, SkipsGapsWithoutLookingAtThem) {
  const base::Bytes octets = bytes("01ee0200eeeeeeee0300000000000000");
  Decoder decoder(octets, kLittle);
  EXPECT_EQ(decoder.get<std::uint8_t>(), 1);
  EXPECT_EQ(decoder.get<std::int16_t>(), 2);
  EXPECT_EQ(decoder.get<std::uint64_t>(), 3U);
  EXPECT_TRUE(decoder.ok());
}

TEST(Decoder, AlignsFromItsOriginNotFromMemory) {
  const base::Bytes octets = bytes("ff0100000002000000");
  Decoder decoder(base::ConstByteSpan(octets).subspan(1), kLittle);
  EXPECT_EQ(decoder.get<std::uint32_t>(), 1U);
  EXPECT_EQ(decoder.get<std::uint32_t>(), 2U);
  EXPECT_TRUE(decoder.ok());
}

TEST(Decoder, StaysFailedAndYieldsZeros) {
  const base::Bytes octets = bytes("0100000002");
  Decoder decoder(octets, kLittle);
  EXPECT_EQ(decoder.get<std::uint32_t>(), 1U);
  EXPECT_EQ(decoder.get<std::uint32_t>(), 0U);
  EXPECT_EQ(decoder.error(), base::error(base::Stage::decode, base::Code::truncated));
  EXPECT_EQ(decoder.get<std::uint8_t>(), 0);
  EXPECT_EQ(decoder.remaining(), 0U);
  EXPECT_TRUE(decoder.get_plain_string().empty());
  EXPECT_EQ(decoder.take_count(1), 0U);
}

TEST(Decoder, RefusesBooleansOtherThanZeroAndOne) {
  const base::Bytes octets = bytes("0002");
  Decoder one(octets, kLittle);
  EXPECT_FALSE(one.get<bool>());
  one.get<bool>();
  EXPECT_EQ(one.error().code, base::Code::bad_boolean);
  Decoder array(octets, kLittle);
  bool values[2] = {true, true};
  array.get_array(values, 2);
  EXPECT_EQ(array.error().code, base::Code::bad_boolean);
  EXPECT_TRUE(values[0]);
}

TEST(Decoder, SwapsArrays) {
  const base::Bytes octets = bytes("0001000200000003");
  Decoder decoder(octets, kBig);
  std::uint16_t shorts[2] = {};
  std::uint32_t number[1] = {};
  decoder.get_array(shorts, 2);
  decoder.get_array(number, 1);
  EXPECT_EQ(shorts[1], 2);
  EXPECT_EQ(number[0], 3U);
}

TEST(Decoder, RefusesCountsThatTheRestCannotHold) {
  const base::Bytes octets = bytes("0300000001020304");
  EXPECT_EQ(Decoder(octets, kLittle).take_count(1), 3U);
  Decoder decoder(octets, kLittle);
  EXPECT_EQ(decoder.take_count(2), 0U);
  EXPECT_EQ(decoder.error().code, base::Code::truncated);
  const base::Bytes huge = bytes("ffffffff00000000");
  Decoder hostile(huge, kLittle);
  EXPECT_EQ(hostile.take_count(0), 0U);
  EXPECT_FALSE(hostile.ok());
}

TEST(Decoder, RefusesMoreMemoryThanItsBudget) {
  base::Bytes octets(104, 0);
  octets[0] = 100;
  Limits limits;
  limits.max_expansion = 10;
  limits.free_memory = 0;
  Decoder decoder(octets, kLittle, limits);
  EXPECT_EQ(decoder.take_count(1, 11), 0U);
  EXPECT_EQ(decoder.error().code, base::Code::too_expanded);
  Decoder modest(octets, kLittle, limits);
  EXPECT_EQ(modest.take_count(1, 10), 100U);
  EXPECT_FALSE(modest.charge(41));
}

TEST(Decoder, TakesTheBudgetOfEncapsulationsFromItsOwn) {
  Encoder encoder(kLittle);
  const auto inner = encapsulate([](Encoder& e) { e.put_octet_sequence(base::Bytes(50, 1)); });
  encoder.put_octet_sequence(*inner);
  encoder.put_count(0);
  const base::Bytes all = encoder.to_bytes();
  Limits limits;
  limits.max_expansion = 1;
  limits.free_memory = 0;
  Decoder decoder(all, kLittle, limits);
  Decoder nested = decoder.get_encapsulation();
  EXPECT_FALSE(decoder.charge(all.size()));
  EXPECT_LE(nested.remaining(), inner->size());
  EXPECT_TRUE(nested.ok());
}

TEST(Decoder, EncapsulationsHaveItsLevelsAndItsBudget) {
  Encoder encoder(kLittle);
  encoder.put_octet_sequence(*encapsulate([](Encoder& e) { e.put_octet_sequence(base::Bytes(50, 1)); }));
  const base::Bytes all = encoder.to_bytes();
  Decoder decoder(all, kLittle, {.max_depth = 3, .max_expansion = 1, .free_memory = 10});
  ASSERT_EQ(all.size(), 62U);
  EXPECT_TRUE(decoder.enter());
  EXPECT_TRUE(decoder.charge(4));
  Decoder inner = decoder.get_encapsulation();
  EXPECT_EQ(inner.depth(), 1U);
  EXPECT_EQ(inner.max_depth(), 3U);
  EXPECT_EQ(inner.max_expansion(), 1U);
  EXPECT_TRUE(inner.enter());
  EXPECT_TRUE(inner.enter());
  EXPECT_EQ(decoder.depth(), 1U);
  EXPECT_TRUE(inner.charge(62 + 10 - 4 - 1));
  Decoder spent = inner;
  EXPECT_FALSE(spent.charge(2));
  Decoder nested = inner;
  EXPECT_FALSE(nested.enter());
  EXPECT_EQ(nested.error().code, base::Code::too_deep);
  decoder.settle(inner);
  EXPECT_TRUE(decoder.charge(1));
  EXPECT_FALSE(decoder.charge(1));
  EXPECT_EQ(decoder.error().code, base::Code::too_expanded);
}

/// An ORB that pays for values, up to a limit.
struct Payer final : Context, Memory {
  explicit Payer(std::size_t limit) : left(limit) {}
  ~Payer() = default;
  Memory* value_memory() noexcept override { return this; }
  bool take(std::size_t octets) override {
    if (octets > left) return false;
    left -= octets;
    return true;
  }
  void give(std::size_t octets) noexcept override { left += octets; }

  std::size_t left;
};

constexpr std::size_t kMebi = 1U << 20;

TEST(Decoder, AsksItsContextForWhatValuesTakeBeyondTheMessage) {
  Payer payer(kMebi);
  const base::Bytes octets(1000, 0);
  Decoder decoder(octets, kLittle, {.max_expansion = 1, .free_memory = kMebi}, 100);
  decoder.set_context(&payer);
  decoder.withhold();
  EXPECT_TRUE(decoder.charge(900 + Decoder::kUncharged));
  EXPECT_EQ(payer.left, kMebi);
  // Not for each value.
  EXPECT_TRUE(decoder.charge(1));
  EXPECT_EQ(payer.left, kMebi - Decoder::kUncharged);
  EXPECT_TRUE(decoder.charge(Decoder::kUncharged - 1));
  EXPECT_EQ(payer.left, kMebi - Decoder::kUncharged);
  EXPECT_TRUE(decoder.charge(100'000));
  EXPECT_EQ(payer.left, kMebi - Decoder::kUncharged - 100'000);
  // Only what the budget allows is asked for at all.
  EXPECT_TRUE(decoder.charge(100 + kMebi - 2 * Decoder::kUncharged - 100'000));
  EXPECT_EQ(payer.left, kMebi - (100 + kMebi - Decoder::kUncharged));
  EXPECT_FALSE(decoder.charge(1));
  EXPECT_EQ(decoder.error().code, base::Code::too_expanded);
  decoder.attach({});
  EXPECT_EQ(payer.left, kMebi);
}

TEST(Decoder, FailsIfItsContextDoesNotPay) {
  Payer payer(100'000);
  const base::Bytes octets(1000, 0);
  Decoder decoder(octets, kLittle);
  decoder.set_context(&payer);
  decoder.withhold();
  EXPECT_TRUE(decoder.charge(1000 + Decoder::kUncharged + 100'000));
  EXPECT_EQ(payer.left, 0U);
  EXPECT_FALSE(decoder.charge(1));
  EXPECT_EQ(decoder.error().code, base::Code::no_value_memory);
  // Without memory that counts, the budget is all.
  Decoder free(octets, kLittle, {.max_expansion = 1, .free_memory = kMebi});
  free.withhold();
  EXPECT_TRUE(free.charge(1000 + kMebi));
  EXPECT_FALSE(free.charge(1));
  // Nothing is withheld of a budget that is smaller.
  Decoder small(octets, kLittle, {.max_expansion = 1, .free_memory = 10});
  small.withhold();
  EXPECT_FALSE(small.charge(1011));
}

TEST(Decoder, PaysForEncapsulationsAsLongAsForTheMessage) {
  Encoder encoder(kLittle);
  encoder.put_octet_sequence(*encapsulate([](Encoder& e) { e.put_octet_sequence(base::Bytes(50, 1)); }));
  encoder.put_octet_sequence(*encapsulate([](Encoder& e) { e.put_octet_sequence(base::Bytes(50, 1)); }));
  const base::Bytes all = encoder.to_bytes();
  Payer payer(kMebi);
  Decoder decoder(all, kLittle);
  decoder.set_context(&payer);
  decoder.withhold();
  constexpr std::size_t kFirst = 500'000;
  for (int i = 1; i <= 2; ++i) {
    Decoder inner = decoder.get_encapsulation();
    EXPECT_TRUE(inner.charge(kFirst));
    decoder.settle(inner);
  }
  EXPECT_EQ(payer.left, kMebi - (2 * kFirst - all.size() - Decoder::kUncharged));
  EXPECT_TRUE(decoder.ok());
  decoder.attach({});
  EXPECT_EQ(payer.left, kMebi);
  {
    Decoder inner = decoder.at(0);
    EXPECT_TRUE(inner.charge(1000));
    EXPECT_LT(payer.left, kMebi);
  }
  EXPECT_EQ(payer.left, kMebi);
}

TEST(Decoder, TakesOverTheFailureOfAnEncapsulation) {
  Encoder encoder(kLittle);
  encoder.put_octet_sequence(*encapsulate([](Encoder&) {}));
  const base::Bytes all = encoder.to_bytes();
  Decoder decoder(all, kLittle);
  Decoder inner = decoder.get_encapsulation();
  inner.get<std::uint32_t>();
  EXPECT_TRUE(decoder.ok());
  decoder.settle(inner);
  EXPECT_EQ(decoder.error().code, base::Code::truncated);
}

TEST(Decoder, ChargesStringsForWhatTheyBecome) {
  Encoder encoder(kLittle);
  encoder.put_plain_string("abcdefgh");
  const base::Bytes all = encoder.to_bytes();
  for (const auto& [char_set, memory] : {std::pair{CodeSet::utf_8, 8U}, std::pair{CodeSet::iso_8859_1, 16U}}) {
    for (const std::uint32_t free : {memory - 1, memory}) {
      Format format = kLittle;
      format.char_set = char_set;
      Decoder decoder(all, format, {.max_expansion = 0, .free_memory = free});
      std::string text;
      decoder.get_string(text);
      EXPECT_EQ(decoder.ok(), free == memory);
      EXPECT_EQ(text.empty(), free != memory);
    }
  }
}

TEST(Decoder, LimitsNesting) {
  Limits limits;
  limits.max_depth = 2;
  Decoder decoder({}, kLittle, limits);
  EXPECT_TRUE(decoder.enter());
  EXPECT_TRUE(decoder.enter());
  decoder.leave();
  EXPECT_TRUE(decoder.enter());
  EXPECT_FALSE(decoder.enter());
  EXPECT_EQ(decoder.error().code, base::Code::too_deep);
}

TEST(Decoder, ReadsEncapsulationsInTheirOwnOrderAndOrigin) {
  const base::Bytes octets = bytes(
      "01000000"
      "00000000"
      "08000000"
      "0100000000000007");
  Decoder decoder(octets, kLittle);
  decoder.get<std::uint64_t>();
  Decoder inner = decoder.get_encapsulation();
  EXPECT_TRUE(inner.format().little_endian);
  EXPECT_EQ(inner.position(), 1U);
  EXPECT_EQ(inner.get<std::uint32_t>(), 0x07000000U);
  EXPECT_TRUE(decoder.ok());
  EXPECT_EQ(decoder.remaining(), 0U);
}

TEST(Decoder, EncapsulationsNeedNotHaveTheOrderAround) {
  const base::Bytes octets = bytes(
      "00000008"
      "0100000007000000");
  Decoder decoder(octets, kBig);
  EXPECT_EQ(decoder.get_encapsulation().get<std::uint32_t>(), 7U);
}

TEST(Decoder, RefusesBadBooleansAnywhereInAnArray) {
  for (const char* text : {"020001", "000201", "000102"}) {
    const base::Bytes octets = bytes(text);
    Decoder decoder(octets, kLittle);
    bool values[3];
    decoder.get_array(values, 3);
    EXPECT_FALSE(decoder.ok()) << text;
  }
}

TEST(Decoder, PlainStringsHaveATerminator) {
  for (const char* text : {"00000000", "020000006162"}) {
    const base::Bytes octets = bytes(text);
    Decoder decoder(octets, kLittle);
    EXPECT_EQ(decoder.get_plain_string(), "");
    EXPECT_EQ(decoder.error().code, base::Code::bad_string) << text;
  }
}

TEST(Decoder, RefusesEncapsulationsOfUnknownByteOrder) {
  const base::Bytes octets = bytes("0200000002ff");
  Decoder decoder(octets, kLittle);
  EXPECT_FALSE(decoder.get_encapsulation().remaining() > 0);
  EXPECT_EQ(decoder.error().code, base::Code::malformed);
  EXPECT_EQ(Decoder::from_encapsulation({}).error().code, base::Code::truncated);
}

TEST(Decoder, AlignsTheBodyOnlyIfThereIsOne) {
  const base::Bytes octets(10, 0);
  Decoder decoder(octets, kLittle, {}, 9);
  decoder.align_if_more(8);
  EXPECT_TRUE(decoder.ok());
  EXPECT_EQ(decoder.remaining(), 0U);
}

TEST(Encapsulation, ReportsWhatTheWriterDidWrong) {
  const auto octets = encapsulate([](Encoder& e) { e.fail(base::Code::bad_bound); });
  ASSERT_FALSE(octets);
  EXPECT_EQ(octets.error(), base::error(base::Stage::encode, base::Code::bad_bound));
}

}  // namespace
}  // namespace corbel::cdr
