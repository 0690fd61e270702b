// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/exception_detail.hpp"

#include <gtest/gtest.h>
#include "support/byte_order.hpp"

namespace corbel::orb {
namespace {

/// What a reply with this context's data tells.
std::string told(base::ConstByteSpan data, std::uint32_t id = kExceptionDetailContext) {
  base::Bytes entries(8);
  const auto put = [&](std::size_t at, std::uint32_t number) { std::memcpy(entries.data() + at, &number, 4); };
  put(0, id);
  put(4, static_cast<std::uint32_t>(data.size()));
  entries.insert(entries.end(), data.begin(), data.end());
  entries.resize((entries.size() + 3) & ~std::size_t{3});
  return exception_detail(messaging::ServiceContextView(entries, 1, false));
}

TEST(ExceptionDetail, IsReadAsItWasWritten) {
  const std::string text = "std::runtime_error: \"disk full\" caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x9a\x80";
  EXPECT_EQ(told(encode_exception_detail(text)), text);
  EXPECT_EQ(told(encode_exception_detail("")), "");
}

TEST(ExceptionDetail, IsAWstringOfGiop12InAnEncapsulation) {
  CORBEL_LITTLE_ENDIAN_ONLY();
  EXPECT_EQ(base::to_hex(encode_exception_detail("a\xe2\x82\xac")),
            "01000000"
            "04000000"
            "006120ac");
}

TEST(ExceptionDetail, OtherByteOrdersAndMarksAreRead) {
  base::Bytes octets;
  ASSERT_TRUE(
      base::from_hex("00000000"
                     "00000004"
                     "00610062",
                     octets));
  EXPECT_EQ(told(octets), "ab");
  ASSERT_TRUE(
      base::from_hex("01000000"
                     "06000000"
                     "fffe61006200",
                     octets));
  EXPECT_EQ(told(octets), "ab");
}

TEST(ExceptionDetail, ForeignTextIsBoundedAndPrintable) {
  EXPECT_EQ(told(encode_exception_detail("a\n\tat b\x1b[2J")), "a\\n\\tat b\\u001b[2J");
  const std::string shown = told(encode_exception_detail(std::string(100'000, 'x')));
  EXPECT_LT(shown.size(), 1020U);
  EXPECT_TRUE(shown.ends_with("..."));
  base::Bytes octets;
  ASSERT_TRUE(
      base::from_hex("00000000"
                     "00000006"
                     "0061000a0062",
                     octets));  // as others write it
  EXPECT_EQ(told(octets), "a\\nb");
}

TEST(ExceptionDetail, WhatCannotBeReadIsNothing) {
  for (const char* hex : {"", "00", "00000000", "0000000000000003", "000000000000000300610062", "0000000000000002d800",
                          "00000000ffffffff0061"}) {
    base::Bytes octets;
    ASSERT_TRUE(base::from_hex(hex, octets));
    EXPECT_EQ(told(octets), "") << hex;
  }
  EXPECT_EQ(told(encode_exception_detail("a"), 13), "");
}

}  // namespace
}  // namespace corbel::orb
