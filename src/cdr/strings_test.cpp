// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "cdr/test_support.hpp"
#include "corbel/cdr/decoder.hpp"
#include "corbel/cdr/encoder.hpp"

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

TEST(Strings, RefuseZeroLengthAndMissingTerminator) {
  decode(kLittle, bytes("00000000"), base::Code::bad_string);
  decode(kLittle, bytes("020000006162"), base::Code::bad_string);
  decode(kLittle, bytes("0300000061"), base::Code::truncated);
  decode(kLittle, bytes("ffffffff61"), base::Code::truncated);
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
