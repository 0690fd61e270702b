// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "corbel/cdr/decoder.hpp"
#include "corbel/cdr/encoder.hpp"
#include "corbel/cdr/test_support.hpp"

namespace corbel::cdr {
namespace {

constexpr Format kLatin1{.little_endian = true, .char_set = CodeSet::iso_8859_1};

base::Bytes encode(Format format, std::string_view text, base::Code code = base::Code::none) {
  Encoder encoder(format);
  encoder.put_string(text);
  EXPECT_EQ(encoder.ok() ? base::Code::none : encoder.error().code, code);
  return encoder.to_bytes();
}

std::string decode(Format format, const base::Bytes& octets, base::Code code = base::Code::none) {
  Decoder decoder(octets, format);
  std::string text = "before";
  decoder.get_string(text);
  EXPECT_EQ(decoder.ok() ? base::Code::none : decoder.error().code, code);
  return text;
}

TEST(Strings, CountTheirTerminator) {
  EXPECT_EQ(base::to_hex(encode(kLittle, "Hi")), "03000000486900");
  EXPECT_EQ(base::to_hex(encode(kLittle, "")), "0100000000");
  EXPECT_EQ(decode(kLittle, bytes("03000000486900")), "Hi");
  EXPECT_EQ(decode(kLittle, bytes("0100000000")), "");
}

TEST(Strings, PassUtf8Untouched) {
  const std::string text =
      "Gr\xc3\xbc\xc3\x9f"
      "e \xe2\x82\xac";
  EXPECT_EQ(decode(kLittle, encode(kLittle, text)), text);
}

TEST(Strings, ReferToLongText) {
  const std::string text(Encoder::kReferenceThreshold, 'x');
  Encoder encoder(kLittle);
  encoder.put_string(text);
  encoder.put_string("y");
  EXPECT_EQ(encoder.segments()[1].data, text.data());
  const base::Bytes all = encoder.to_bytes();
  EXPECT_EQ(decode(kLittle, all), text);
}

TEST(Strings, RefuseEmbeddedNulEitherWay) {
  encode(kLittle, std::string_view("a\0b", 3), base::Code::bad_string);
  encode(kLittle, std::string(Encoder::kReferenceThreshold, '\0'), base::Code::bad_string);
  EXPECT_EQ(decode(kLittle, bytes("0400000061006200"), base::Code::bad_string), "");
}

/// A message that ends where memory does.
TEST(Strings, OfNoOctetsAreRefusedWithoutLookingAtWhatFollows) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  void* const memory = ::mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  auto* const end = static_cast<base::Octet*>(memory) + page;
  ASSERT_EQ(::mprotect(end, page, PROT_NONE), 0);
  Decoder decoder({end - 4, 4}, kLittle);  // a length of 0
  std::string text;
  decoder.get_string(text);
  EXPECT_EQ(decoder.error().code, base::Code::bad_string);
  EXPECT_EQ(::munmap(memory, 2 * page), 0);
}

/// Lengths around the sizes of words and blocks, of what is copied in one pass and of what is referred to.
std::vector<std::size_t> lengths() {
  std::vector<std::size_t> some = {255, 256, 257, 300, 2047, 2048, 2049};
  for (std::size_t length = 0; length <= 70; ++length) some.push_back(length);
  return some;
}

std::string letters(std::size_t length) {
  std::string text(length, ' ');
  for (std::size_t i = 0; i < length; ++i) text[i] = static_cast<char>(1 + i % 255);
  return text;
}

TEST(Strings, AreWrittenWholeAtEveryLengthAndPosition) {
  for (const std::size_t length : lengths()) {
    for (std::size_t before = 0; before < 8; ++before) {
      const std::string text = letters(length);
      Encoder encoder(kLittle);
      for (std::size_t i = 0; i < before; ++i) encoder.put(std::uint8_t{0xff});
      encoder.put_string(text);
      encoder.put(std::uint8_t{0xee});
      base::Bytes expected(before, 0xff);
      expected.resize((before + 3) / 4 * 4);
      const auto size = static_cast<std::uint32_t>(length + 1);
      for (int shift = 0; shift < 32; shift += 8) expected.push_back(static_cast<std::uint8_t>(size >> shift));
      expected.insert(expected.end(), text.begin(), text.end());
      expected.insert(expected.end(), {0, 0xee});
      EXPECT_EQ(encoder.to_bytes(), expected) << length << " octets after " << before;
    }
  }
}

TEST(Strings, FillABlockToItsEndAndGoOnInTheNext) {
  for (std::size_t filled = 0; filled <= 64; ++filled) {
    const std::string text = letters(20);
    Encoder encoder(kLittle, 64);
    for (std::size_t i = 0; i < filled; ++i) encoder.put(std::uint8_t{1});
    encoder.put_string(text);
    const base::Bytes all = encoder.to_bytes();
    Decoder whole(all, kLittle, {}, filled);
    EXPECT_EQ(whole.get_plain_string(), text) << filled;
    EXPECT_EQ(whole.remaining(), 0U) << filled;
  }
}

TEST(Strings, RefuseANulAtEveryPlace) {
  for (const std::size_t length : lengths()) {
    for (std::size_t place = 0; place < length; ++place) {
      std::string text = letters(length);
      text[place] = '\0';
      Encoder encoder(kLittle);
      encoder.put_string(text);
      ASSERT_FALSE(encoder.ok()) << place << " of " << length;
    }
  }
}

TEST(Strings, RefuseZeroLengthAndMissingTerminator) {
  decode(kLittle, bytes("00000000"), base::Code::bad_string);
  decode(kLittle, bytes("020000006162"), base::Code::bad_string);
  decode(kLittle, bytes("0300000061"), base::Code::truncated);
  decode(kLittle, bytes("ffffffff61"), base::Code::truncated);
}

TEST(Strings, HaveTheirLengthInTheStreamsOrderAndClearTheGapBefore) {
  for (const Format format : {kLittle, kBig}) {
    Encoder encoder(format);
    for (int i = 0; i < 16; ++i) encoder.put(std::uint32_t{0xeeeeeeee});
    encoder.reset(format);
    encoder.put(std::uint8_t{1});
    encoder.put_string("ab");
    EXPECT_EQ(base::to_hex(encoder.to_bytes()),
              format.little_endian ? "0100000003000000616200" : "0100000000000003616200");
  }
}

TEST(Strings, ConvertToAndFromLatin1) {
  EXPECT_EQ(base::to_hex(encode(kLatin1, "\xc3\xa9!")), "03000000e92100");
  EXPECT_EQ(decode(kLatin1, bytes("03000000e92100")), "\xc3\xa9!");
}

TEST(Strings, RefuseWhatLatin1CannotExpress) {
  encode(kLatin1, "\xe2\x82\xac", base::Code::bad_character);
  encode(kLatin1, "\xc4\x80", base::Code::bad_character);
  encode(kLatin1, "\xc3", base::Code::bad_character);
  encode(kLatin1, "\xc3!", base::Code::bad_character);
  encode(kLatin1, "\xe9", base::Code::bad_character);
}

TEST(Strings, PlainOnesKnowNoCodeSet) {
  Encoder encoder(kLatin1);
  encoder.put_plain_string("\xc3\xa9");
  EXPECT_EQ(base::to_hex(encoder.to_bytes()), "03000000c3a900");
}

}  // namespace
}  // namespace corbel::cdr
