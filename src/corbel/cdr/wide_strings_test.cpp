// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "corbel/cdr/decoder.hpp"
#include "corbel/cdr/encoder.hpp"

namespace corbel::cdr {
namespace {

constexpr Format kGiop10{.little_endian = true, .giop_minor = 0};
constexpr Format kGiop11{.little_endian = true, .giop_minor = 1};
constexpr Format kGiop11Big{.little_endian = false, .giop_minor = 1};
constexpr Format kGiop12{.little_endian = true, .giop_minor = 2};

const std::wstring kText = L"A\u00e9\u20ac\U0001f600";

std::string encode(Format format, std::wstring_view text, base::Code code = base::Code::none) {
  Encoder encoder(format);
  encoder.put_wstring(text);
  EXPECT_EQ(encoder.ok() ? base::Code::none : encoder.error().code, code);
  return base::to_hex(encoder.to_bytes());
}

std::string encode_one(Format format, wchar_t character, base::Code code = base::Code::none) {
  Encoder encoder(format);
  encoder.put_wchar(character);
  EXPECT_EQ(encoder.ok() ? base::Code::none : encoder.error().code, code);
  return base::to_hex(encoder.to_bytes());
}

std::wstring decode(Format format, std::string_view hex, base::Code code = base::Code::none) {
  base::Bytes octets;
  EXPECT_TRUE(base::from_hex(hex, octets));
  Decoder decoder(octets, format);
  std::wstring text = L"before";
  decoder.get_wstring(text);
  EXPECT_EQ(decoder.ok() ? base::Code::none : decoder.error().code, code);
  return text;
}

wchar_t decode_one(Format format, std::string_view hex, base::Code code = base::Code::none) {
  base::Bytes octets;
  EXPECT_TRUE(base::from_hex(hex, octets));
  Decoder decoder(octets, format);
  const wchar_t character = decoder.get_wchar();
  EXPECT_EQ(decoder.ok() ? base::Code::none : decoder.error().code, code);
  return character;
}

TEST(WideStrings, DoNotExistInGiop10) {
  encode(kGiop10, L"x", base::Code::wide_data);
  encode_one(kGiop10, L'x', base::Code::wide_data);
  decode(kGiop10, "0200000000780000", base::Code::wide_data);
  decode_one(kGiop10, "020078", base::Code::wide_data);
}

TEST(WideStrings, NeedANegotiatedCodeSet) {
  Format format = kGiop12;
  format.wchar_set = CodeSet::none;
  encode(format, L"x", base::Code::wide_data);
  decode(format, "020000000078", base::Code::wide_data);
}

TEST(WideStrings, AreTerminatedUnitsInStreamOrderInGiop11) {
  EXPECT_EQ(encode(kGiop11, L"A\u20ac"), "030000004100ac200000");
  EXPECT_EQ(encode(kGiop11Big, kText), "00000006004100e920acd83dde000000");
  EXPECT_EQ(decode(kGiop11Big, "00000006004100e920acd83dde000000"), kText);
  EXPECT_EQ(encode(kGiop11, L""), "010000000000");
  EXPECT_EQ(decode(kGiop11, "010000000000"), L"");
}

TEST(WideStrings, RefuseMissingTerminatorsInGiop11) {
  decode(kGiop11, "00000000", base::Code::bad_string);
  decode(kGiop11, "010000004100", base::Code::bad_string);
  decode(kGiop11, "ffffffff4100", base::Code::truncated);
}

TEST(WideStrings, AreCountedBigEndianOctetsFromGiop12) {
  EXPECT_EQ(encode(kGiop12, kText), "0a000000004100e920acd83dde00");
  EXPECT_EQ(decode(kGiop12, "0a000000004100e920acd83dde00"), kText);
  EXPECT_EQ(encode(kGiop12, L""), "00000000");
  EXPECT_EQ(decode(kGiop12, "00000000"), L"");
}

TEST(WideStrings, ObeyByteOrderMarks) {
  EXPECT_EQ(decode(kGiop12, "0a000000fffe4100e900ac202d4e"), L"A\u00e9\u20ac\u4e2d");
  EXPECT_EQ(decode(kGiop12, "06000000feff004100e9"), L"A\u00e9");
}

TEST(WideStrings, ThatBeginLikeAByteOrderMarkHaveOneBeforeThem) {
  EXPECT_EQ(encode(kGiop12, L"\ufeffA"), "06000000fefffeff0041");
  EXPECT_EQ(decode(kGiop12, "06000000fefffeff0041"), L"\ufeffA");
  EXPECT_EQ(encode(kGiop12, L"\ufffeA"), "06000000fefffffe0041");
  EXPECT_EQ(decode(kGiop12, "06000000fefffffe0041"), L"\ufffeA");
  EXPECT_EQ(encode(kGiop12, L"A\ufeff"), "040000000041feff");
}

TEST(WideStrings, RefuseOddLengthsLoneSurrogatesAndNul) {
  decode(kGiop12, "03000000004100", base::Code::bad_string);
  decode(kGiop12, "02000000d83d", base::Code::bad_character);
  decode(kGiop12, "04000000de00d83d", base::Code::bad_character);
  decode(kGiop12, "020000000000", base::Code::bad_character);
  encode(kGiop12, std::wstring_view(L"a\0b", 3), base::Code::bad_string);
  encode(kGiop12, std::wstring(1, static_cast<wchar_t>(0xd800)), base::Code::bad_character);
  encode(kGiop12, std::wstring(1, static_cast<wchar_t>(0x110000)), base::Code::bad_character);
}

TEST(WideStrings, AreChargedForWhatTheyBecome) {
  base::Bytes octets;
  ASSERT_TRUE(base::from_hex("080000000041004200430044", octets));
  for (const std::uint32_t memory : {15U, 16U}) {
    Decoder decoder(octets, kGiop12, {.max_expansion = 0, .free_memory = memory});
    std::wstring text;
    decoder.get_wstring(text);
    EXPECT_EQ(decoder.ok(), memory == 16) << memory;
  }
}

TEST(WideCharacters, ArePairsInTheRightOrderOnly) {
  for (const char* text : {"04d83dd83d", "04de00d83d", "04de00de00"}) {
    base::Bytes octets;
    ASSERT_TRUE(base::from_hex(text, octets));
    Decoder decoder(octets, kGiop12);
    decoder.get_wchar();
    EXPECT_FALSE(decoder.ok()) << text;
  }
}

TEST(WideCharacters, AreAlignedUnitsInGiop11) {
  EXPECT_EQ(encode_one(kGiop11, L'\u20ac'), "ac20");
  EXPECT_EQ(decode_one(kGiop11, "ac20"), L'\u20ac');
  encode_one(kGiop11, L'\U0001f600', base::Code::bad_character);
  decode_one(kGiop11, "3dd8", base::Code::bad_character);
}

TEST(WideCharacters, AreCountedOctetsFromGiop12) {
  EXPECT_EQ(encode_one(kGiop12, L'\u20ac'), "0220ac");
  EXPECT_EQ(encode_one(kGiop12, L'\U0001f600'), "04d83dde00");
  EXPECT_EQ(decode_one(kGiop12, "0220ac"), L'\u20ac');
  EXPECT_EQ(decode_one(kGiop12, "04fffeac20"), L'\u20ac');
  EXPECT_EQ(decode_one(kGiop12, "04feff20ac"), L'\u20ac');
  EXPECT_EQ(decode_one(kGiop12, "04d83dde00"), L'\U0001f600');
  decode_one(kGiop12, "00", base::Code::bad_character);
  decode_one(kGiop12, "0141", base::Code::bad_character);
  decode_one(kGiop12, "0400410042", base::Code::bad_character);
  decode_one(kGiop12, "0220", base::Code::truncated);
}

}  // namespace
}  // namespace corbel::cdr
