// SPDX-License-Identifier: Apache-2.0
#include "corbel/idl/front/decimal.hpp"

#include <gtest/gtest.h>

namespace corbel::idl::front {
namespace {

model::Fixed fixed(std::string_view text) {
  const bool negative = text.starts_with('-');
  const auto value = parse_fixed(text.substr(negative ? 1 : 0));
  EXPECT_TRUE(value) << text;
  return negative ? negate(*value) : *value;
}

std::string text(const std::optional<model::Fixed>& value) {
  if (!value) return "too large";
  const std::size_t whole = value->digits.size() - value->scale;
  return (value->negative ? "-" : "") + value->digits.substr(0, whole) +
         (value->scale == 0 ? "" : "." + value->digits.substr(whole));
}

TEST(Decimal, LiteralsLoseSuperfluousZeros) {
  EXPECT_EQ(text(fixed("0012.500d")), "12.5");
  EXPECT_EQ(text(fixed("0.0d")), "0");
  EXPECT_EQ(text(fixed(".05D")), ".05");
  EXPECT_EQ(text(fixed("100d")), "100");
  EXPECT_EQ(text(parse_fixed("1234567890123456789012345678901d")), "1234567890123456789012345678901");
  EXPECT_EQ(text(parse_fixed("12345678901234567890123456789012d")), "too large");
}

TEST(Decimal, AddsAndSubtractsExactly) {
  EXPECT_EQ(text(add(fixed("1.25"), fixed("2.5"))), "3.75");
  EXPECT_EQ(text(add(fixed("1.25"), fixed("-2.5"))), "-1.25");
  EXPECT_EQ(text(add(fixed("-1.25"), fixed("1.25"))), "0");
  EXPECT_EQ(text(add(fixed("999.9"), fixed("0.1"))), "1000");
  EXPECT_EQ(text(add(fixed("9999999999999999999999999999999"), fixed("1"))), "too large");
}

TEST(Decimal, MultipliesAndCutsAtThirtyOneDigits) {
  EXPECT_EQ(text(multiply(fixed("-1.5"), fixed("2.5"))), "-3.75");
  EXPECT_EQ(text(multiply(fixed("0"), fixed("-2.5"))), "0");
  EXPECT_EQ(text(multiply(fixed("1.1111111111111111111"), fixed("1.1111111111111111111"))),
            "1.234567901234567901209876543209");
}

TEST(Decimal, DividesToThirtyOneDigits) {
  EXPECT_EQ(text(divide(fixed("7"), fixed("2"))), "3.5");
  EXPECT_EQ(text(divide(fixed("1"), fixed("-3"))), "-.3333333333333333333333333333333");
  EXPECT_EQ(text(divide(fixed("1"), fixed(".25"))), "4");
}

TEST(Decimal, CutsToATypeTowardsZero) {
  EXPECT_EQ(text(cut(fixed("-1.999"), 5, 2)), "-1.99");
  EXPECT_EQ(text(cut(fixed("999.5"), 3, 0)), "999");
  EXPECT_EQ(text(cut(fixed("1000"), 5, 2)), "too large");
  EXPECT_EQ(text(cut(fixed("0"), 2, 2)), "0");
}

}  // namespace
}  // namespace corbel::idl::front
