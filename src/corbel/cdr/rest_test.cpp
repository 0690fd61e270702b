// SPDX-License-Identifier: Apache-2.0
// Messages whose end was received apart from their beginning.
#include "corbel/cdr/rest.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "corbel/cdr/bulk.hpp"
#include "corbel/cdr/decoder.hpp"
#include "corbel/cdr/value_stream.hpp"

namespace corbel::cdr {
namespace {

struct TestRest final : Rest {
  TestRest(const base::Bytes& message, std::size_t at) {
    octets.assign(message.begin() + static_cast<std::ptrdiff_t>(at), message.end());
  }
  bool pay_for_whole(std::size_t size) override {
    paid += size;
    return pays;
  }
  void given_away() noexcept override {
    ++given;
    octets.clear();
  }
  int given = 0;
  std::size_t paid = 0;
  bool pays = true;
};

base::ConstByteSpan first(const base::Bytes& message, std::size_t at) {
  return base::ConstByteSpan(message).first(at);
}

/// A ulong, then a sequence of so many octets.
base::Bytes sequence_message(std::size_t count) {
  Encoder encoder;
  encoder.put(std::uint32_t{7});
  base::Bytes octets(count);
  std::iota(octets.begin(), octets.end(), base::Octet{1});
  encoder.put_octet_sequence(octets);
  return encoder.to_bytes();
}

TEST(DecoderWithRest, GivesASequenceTheMemoryThatItWasReceivedIn) {
  const base::Bytes message = sequence_message(1000);
  TestRest rest(message, 8);
  const auto* const received = rest.octets.data();
  Decoder decoder(first(message, 8), {});
  decoder.set_rest(rest);
  EXPECT_EQ(decoder.get<std::uint32_t>(), 7U);
  base::Bytes value(3, 9);
  ASSERT_TRUE(decoder.take_rest(value));
  EXPECT_EQ(value.data(), received);
  EXPECT_EQ(value, base::Bytes(message.begin() + 8, message.end()));
  EXPECT_EQ(rest.given, 1);
  EXPECT_TRUE(decoder.ok());
  EXPECT_FALSE(decoder.take_rest(value)) << "there is none any more";
  decoder.get<std::uint8_t>();
  EXPECT_EQ(decoder.error().code, base::Code::truncated);
}

TEST(DecoderWithRest, ShowsASequenceWhereItWasReceived) {
  const base::Bytes message = sequence_message(1000);
  TestRest rest(message, 8);
  Decoder decoder(first(message, 8), {}, {}, 4);
  decoder.set_rest(rest);
  base::ConstByteSpan view;
  ASSERT_TRUE(decoder.view_rest(view));
  EXPECT_EQ(view.data(), rest.octets.data());
  EXPECT_EQ(view.size(), 1000U);
  EXPECT_EQ(rest.given, 0);
  decoder.get<std::uint8_t>();
  EXPECT_FALSE(decoder.ok());
}

/// A rest that the peer may change: what is not looked at by a view is copied before anything reads it.
struct LentRest {
  LentRest(const base::Bytes& message, std::size_t at)
      : memory(message.begin() + static_cast<std::ptrdiff_t>(at), message.end()), rest({}, 0) {
    rest.lent = memory;
  }
  base::Bytes memory;
  TestRest rest;
};

TEST(DecoderWithRest, ShowsWhatIsLentAndGivesCopiesOfIt) {
  const base::Bytes message = sequence_message(1000);
  LentRest lent(message, 8);
  Decoder decoder(first(message, 8), {}, {}, 4);
  decoder.set_rest(lent.rest);
  EXPECT_EQ(decoder.rest().data(), lent.memory.data());
  Decoder other = decoder;
  base::ConstByteSpan view;
  ASSERT_TRUE(other.view_rest(view));
  EXPECT_EQ(view.data(), lent.memory.data());
  EXPECT_EQ(view.size(), 1000U);
  other = decoder;
  base::Bytes value;
  ASSERT_TRUE(other.take_rest(value));
  EXPECT_EQ(value, base::Bytes(message.begin() + 8, message.end()));
  EXPECT_EQ(lent.memory.size(), 1000U);
  EXPECT_EQ(lent.rest.given, 1);
  const base::ConstByteSpan octets = decoder.get_octet_sequence();
  std::fill(lent.memory.begin(), lent.memory.end(), base::Octet{0});
  EXPECT_TRUE(std::ranges::equal(octets, base::ConstByteSpan(message).subspan(8))) << "it had been copied";
}

TEST(DecoderWithRest, ShowsElementsWhereTheyMayLie) {
  for (const std::size_t before : {std::size_t{0}, std::size_t{4}}) {
    for (const bool is_lent : {false, true}) {
      Encoder encoder;
      encoder.put_octets("12345678", before);
      encoder.put_count(100);
      std::vector<double> values(100, 1.5);
      encoder.put_array(values.data(), values.size());
      const base::Bytes message = encoder.to_bytes();
      LentRest lent(message, 8);
      TestRest own(message, 8);
      Decoder decoder(first(message, 8), {}, {}, before);
      decoder.set_rest(is_lent ? lent.rest : own);
      base::ConstByteSpan view;
      EXPECT_FALSE(decoder.view_rest(view));
      EXPECT_FALSE(decoder.view_rest(view, 4, 4));
      EXPECT_FALSE(decoder.view_rest(view, 16, 8));
      ASSERT_TRUE(decoder.view_rest(view, 8, 8)) << before;
      EXPECT_EQ(view.size(), 800U);
      EXPECT_EQ(view.data(), is_lent ? lent.memory.data() : own.octets.data());
      EXPECT_TRUE(decoder.ok());
      EXPECT_FALSE(decoder.has_rest());
    }
  }
}

TEST(DecoderWithRest, CopiesWhatIsLentIntoVectors) {
  Encoder encoder;
  const std::vector<double> values(100, 1.5);
  encoder.put_count(100);
  encoder.put_array(values.data(), values.size());
  const base::Bytes message = encoder.to_bytes();
  LentRest lent(message, 8);
  Decoder decoder(first(message, 8), {});
  decoder.set_rest(lent.rest);
  std::vector<double> out;
  EXPECT_FALSE(take_rest(decoder, out, [](Decoder& from, double& value) { value = from.get<double>(); }));
  const std::size_t count = decoder.take_count(8);
  std::fill(lent.memory.begin(), lent.memory.end(), base::Octet{0});
  get_vector(decoder, out, count);
  EXPECT_EQ(out, values);
  EXPECT_EQ(lent.rest.paid, message.size());
}

TEST(DecoderWithRest, TakesNothingThatIsNotExactlyTheRest) {
  for (const std::size_t at : {std::size_t{4}, std::size_t{7}, std::size_t{9}, std::size_t{500}, std::size_t{1008}}) {
    const base::Bytes message = sequence_message(1000);
    TestRest rest(message, at);
    Decoder decoder(first(message, at), {}, {}, 4);
    decoder.set_rest(rest);
    base::Bytes value;
    base::ConstByteSpan view;
    EXPECT_FALSE(decoder.take_rest(value)) << at;
    EXPECT_FALSE(decoder.view_rest(view)) << at;
    const base::ConstByteSpan octets = decoder.get_octet_sequence();
    EXPECT_TRUE(std::ranges::equal(octets, base::ConstByteSpan(message).subspan(8))) << at;
    EXPECT_TRUE(decoder.ok()) << at;
    EXPECT_EQ(decoder.remaining(), 0U) << at;
  }
}

TEST(DecoderWithRest, CountsASequenceOnTheBudget) {
  const base::Bytes message = sequence_message(100'000);
  TestRest rest(message, 8);
  Limits limits;
  limits.max_expansion = 0;
  limits.free_memory = 99'999;
  Decoder decoder(first(message, 8), {}, limits, 4);
  decoder.set_rest(rest);
  base::Bytes value;
  EXPECT_FALSE(decoder.take_rest(value));
  EXPECT_EQ(decoder.error().code, base::Code::too_expanded);
  EXPECT_TRUE(value.empty());
}

TEST(DecoderWithRest, ThatNobodyPaysForTheWholeOfIsNotPutTogether) {
  const base::Bytes message = sequence_message(100'000);
  TestRest rest(message, 8);
  rest.pays = false;
  Decoder decoder(first(message, 8), {}, {}, 4);
  decoder.set_rest(rest);
  EXPECT_TRUE(decoder.get_octet_sequence().empty());
  EXPECT_EQ(decoder.error().code, base::Code::no_value_memory);
  EXPECT_EQ(rest.paid, message.size());
  EXPECT_TRUE(rest.whole.empty());
}

TEST(DecoderWithRest, NeedsNoMemoryForValuesThatTheMessageItselfHas) {
  struct NoMemory final : Memory {
    bool take(std::size_t) override { return false; }
    void give(std::size_t) noexcept override {}
  };
  struct Poor final : Context {
    Memory* value_memory() noexcept override { return &none; }
    NoMemory none;
  };
  const base::Bytes message = sequence_message(1'000'000);
  for (const bool joined : {false, true}) {
    TestRest rest(message, 8);
    Decoder whole(message, {}, {}, 4);
    whole.withhold();
    Decoder decoder(first(message, 8), {}, {}, 4);
    decoder.set_rest(rest);
    Poor context;
    decoder.set_context(&context);
    decoder.withhold();
    EXPECT_EQ(decoder.left_of_budget(), whole.left_of_budget());
    base::Bytes value;
    if (joined) {
      EXPECT_EQ(decoder.get_octet_sequence().size(), 1'000'000U);
    } else {
      EXPECT_TRUE(decoder.take_rest(value));
    }
    EXPECT_TRUE(decoder.ok());
  }
}

/// Values of every kind of reading, one after the other.
base::Bytes mixed_message(Format format) {
  Encoder encoder(format);
  encoder.put(std::uint8_t{1});
  encoder.put(2.5);
  encoder.put_string("a string of some length");
  const std::vector<std::uint16_t> numbers(9, 0x1234);
  encoder.put_count(numbers.size());
  encoder.put_array(numbers.data(), numbers.size());
  encoder.put(true);
  encoder.put_wstring(L"wide");
  encoder.put(std::uint64_t{77});
  encoder.put_octet_sequence(base::Bytes{1, 2, 3, 4, 5});
  return encoder.to_bytes();
}

void read_mixed(Decoder& decoder, const char* where) {
  EXPECT_EQ(decoder.get<std::uint8_t>(), 1) << where;
  EXPECT_EQ(decoder.get<double>(), 2.5) << where;
  std::string text;
  decoder.get_string(text);
  EXPECT_EQ(text, "a string of some length") << where;
  std::vector<std::uint16_t> numbers;
  get_vector(decoder, numbers, decoder.take_count(2, 2));
  EXPECT_EQ(numbers, std::vector<std::uint16_t>(9, 0x1234)) << where;
  EXPECT_TRUE(decoder.get<bool>()) << where;
  std::wstring wide;
  decoder.get_wstring(wide);
  EXPECT_EQ(wide, L"wide") << where;
  EXPECT_EQ(decoder.get<std::uint64_t>(), 77U) << where;
  base::Bytes octets;
  if (!decoder.has_rest() || !decoder.take_rest(octets)) {
    const base::ConstByteSpan view = decoder.get_octet_sequence();
    octets.assign(view.begin(), view.end());
  }
  EXPECT_EQ(octets, (base::Bytes{1, 2, 3, 4, 5})) << where;
  EXPECT_TRUE(decoder.ok()) << where;
  EXPECT_EQ(decoder.remaining(), 0U) << where;
}

TEST(DecoderWithRest, ReadsTheSameWhereverTheMessageWasCut) {
  for (const bool little : {true, false}) {
    Format format;
    format.little_endian = little;
    format.wchar_set = CodeSet::utf_16;
    const base::Bytes message = mixed_message(format);
    for (std::size_t at = 1; at < message.size(); ++at) {
      SCOPED_TRACE(at);
      TestRest rest(message, at);
      Decoder decoder(first(message, at), format);
      decoder.set_rest(rest);
      Decoder copy = decoder;
      read_mixed(copy, "a copy");
      if (rest.given == 0) read_mixed(decoder, "the original, after the copy");
    }
  }
}

TEST(DecoderWithRest, FindsEndsAsWithoutOne) {
  Format format;
  format.wchar_set = CodeSet::utf_16;
  const base::Bytes message = mixed_message(format);
  const std::size_t cut = message.size() - 3;
  for (std::size_t at = 1; at < cut; ++at) {
    base::Bytes shorter(message.begin(), message.begin() + static_cast<std::ptrdiff_t>(cut));
    TestRest rest(shorter, at);
    Decoder decoder(first(shorter, at), format);
    decoder.set_rest(rest);
    decoder.get<std::uint8_t>();
    decoder.get<double>();
    std::string text;
    decoder.get_string(text);
    std::vector<std::uint16_t> numbers;
    get_vector(decoder, numbers, decoder.take_count(2, 2));
    decoder.get<bool>();
    std::wstring wide;
    decoder.get_wstring(wide);
    decoder.get<std::uint64_t>();
    EXPECT_TRUE(decoder.ok());
    base::Bytes octets;
    EXPECT_FALSE(decoder.take_rest(octets));
    EXPECT_TRUE(decoder.get_octet_sequence().empty());
    EXPECT_EQ(decoder.error().code, base::Code::truncated) << at;
  }
}

TEST(DecoderWithRest, ReadsChunksOnBothSidesOfTheCut) {
  // Chunks of four and eight octets, which hold a ulong and a double.
  Encoder encoder;
  encoder.put(std::int32_t{4});
  encoder.put(std::uint32_t{5});
  encoder.put(std::int32_t{12});
  encoder.put(std::uint32_t{0});
  encoder.put(6.5);
  const base::Bytes message = encoder.to_bytes();
  for (std::size_t at = 1; at < message.size(); ++at) {
    TestRest rest(message, at);
    Decoder decoder(first(message, at), {});
    decoder.set_rest(rest);
    decoder.begin_chunks();
    EXPECT_TRUE(decoder.enter_chunk([&] {
      decoder.leave_chunks();
      return decoder.get<std::int32_t>();
    }()))
        << at;
    EXPECT_EQ(decoder.get<std::uint32_t>(), 5U) << at;
    EXPECT_EQ(decoder.get<std::uint32_t>(), 0U) << at;
    EXPECT_EQ(decoder.get<double>(), 6.5) << at;
    EXPECT_TRUE(decoder.ok()) << at;
  }
}

}  // namespace
}  // namespace corbel::cdr
