// SPDX-License-Identifier: Apache-2.0
#include "corbel/mapping/fixed.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <sstream>

namespace corbel::mapping {
namespace {

using Money = IDL::Fixed<7, 2>;
using Odd = IDL::Fixed<6, 3>;

std::string hex_of(const auto& value) {
  cdr::Encoder encoder;
  Codec<std::decay_t<decltype(value)>>::encode(encoder, value);
  return base::to_hex(encoder.to_bytes());
}

template <class T>
base::Code decode(std::initializer_list<base::Octet> octets, T& value) {
  const base::Bytes bytes(octets);
  cdr::Decoder decoder(bytes, {});
  Codec<T>::decode(decoder, value);
  return decoder.ok() ? base::Code::none : decoder.error().code;
}

TEST(Fixed, LooksOnTheWireAsOtherOrbsWriteIt) {
  EXPECT_EQ(hex_of(Money(std::string("-12345.67"))), "1234567d");
  EXPECT_EQ(hex_of(Odd(std::string("123.456"))), "0123456c");
  EXPECT_EQ(hex_of(Money()), "0000000c");
  EXPECT_EQ(hex_of(IDL::Fixed<1, 1>(std::string("0.5"))), "5c");
}

TEST(Fixed, RefusesWhatIsNoNumberOnTheWire) {
  Money money;
  EXPECT_EQ(decode({0x12, 0x34, 0x56, 0x7d}, money), base::Code::none);
  EXPECT_EQ(money.to_string(), "-12345.67");
  EXPECT_EQ(decode({0x12, 0x34, 0x56, 0x7a}, money), base::Code::malformed);
  EXPECT_EQ(decode({0x12, 0x34, 0x56, 0x78, 0x9c}, money), base::Code::malformed);
  EXPECT_EQ(decode({0x1a, 0x34, 0x56, 0x7c}, money), base::Code::malformed);
  EXPECT_EQ(decode({0x00, 0x00, 0xa0, 0x7c}, money), base::Code::malformed);
  EXPECT_EQ(decode({0x00, 0x00, 0x0a, 0x7c}, money), base::Code::malformed);
  EXPECT_EQ(decode({0x12, 0x34, 0x56}, money), base::Code::truncated);
  EXPECT_EQ(decode({0x12, 0x5d}, money), base::Code::none);
  EXPECT_EQ(money.to_string(), "-1.25");
  Odd odd;
  EXPECT_EQ(decode({0x10, 0x23, 0x45, 0x6c}, odd), base::Code::malformed);
}

TEST(Fixed, ConvertsAndRounds) {
  EXPECT_EQ(Money(12).to_string(), "12.00");
  EXPECT_EQ(Money(-0.5).to_string(), "-0.50");
  EXPECT_EQ(static_cast<std::int64_t>(Money(std::string("-12.99"))), -12);
  EXPECT_NEAR(static_cast<double>(static_cast<long double>(Money(std::string("12.34")))), 12.34, 1e-9);
  EXPECT_EQ(Money(std::string("1.25")).round(1).to_string(), "1.30");
  EXPECT_EQ(Money(std::string("-1.25")).round(1).to_string(), "-1.30");
  EXPECT_EQ(Money(std::string("1.29")).truncate(1).to_string(), "1.20");
  EXPECT_EQ(Money(Odd(std::string("1.239"))).to_string(), "1.23");
  EXPECT_FALSE(static_cast<bool>(Money()));
  EXPECT_EQ(Money().to_string(), "0.00");
}

TEST(Fixed, RefusesWhatDoesNotFit) {
  EXPECT_THROW(Money(100000), CORBA::DATA_CONVERSION);
  EXPECT_THROW(Money(std::string("1e5")), CORBA::DATA_CONVERSION);
  EXPECT_THROW(Money(std::string("")), CORBA::DATA_CONVERSION);
  EXPECT_THROW(Money(1) / Money(), CORBA::DATA_CONVERSION);
  EXPECT_THROW(Decimal(std::string(32, '9')), CORBA::DATA_CONVERSION);
  Money most(std::string("99999.99"));
  EXPECT_THROW(++most, CORBA::DATA_CONVERSION);
}

TEST(Fixed, ReckonsExactly) {
  const Money a(std::string("12.34"));
  const Odd b(std::string("-0.115"));
  EXPECT_EQ((a + b).to_string(), "12.225");
  EXPECT_EQ((a - b).to_string(), "12.455");
  EXPECT_EQ((a * b).to_string(), "-1.41910");
  EXPECT_EQ((Money(1) / Money(8)).to_string(), "0.125");
  EXPECT_EQ((Money(1) / Money(3)).to_string(), "0.3333333333333333333333333333333");
  EXPECT_TRUE(Money(2) < Money(3));
  EXPECT_TRUE(compare(a._decimal(), b._decimal()) > 0);
  Money sum;
  sum += a;
  sum *= Decimal(std::int64_t{2});
  EXPECT_EQ(sum.to_string(), "24.68");
}

TEST(Fixed, PrintsWhatArithmeticYields) {
  const Money a(std::string("12.34"));
  const Odd b(std::string("-0.115"));
  std::ostringstream text;
  text << a << ' ' << a * b << ' ' << a + b << ' ' << a - b << ' ' << Money(1) / Money(8) << ' ' << a * b * a << ' '
       << -a;
  EXPECT_EQ(text.str(), "12.34 -1.41910 12.225 12.455 0.125 -17.5116940 -12.34");
}

TEST(Fixed, ComparesWhatArithmeticYieldsToTheLastDigit) {
  const Money a(std::string("1.10"));
  const Odd b(std::string("1.100"));
  EXPECT_EQ(a * b, b * a);
  EXPECT_EQ(a, b);
  EXPECT_LE(a, b);
  EXPECT_NE(a * b, Money(std::string("1.21")) + Odd(std::string("0.001")));
  EXPECT_EQ(a * b, Money(std::string("1.21")));
  const Odd third(Money(1) / Money(3));
  EXPECT_NE(Money(1) / Money(3), third);
  EXPECT_LT(third, Money(1) / Money(3));
  EXPECT_GT(Decimal(std::string(31, '9')), third);  // which is more than its type can have
}

TEST(Fixed, IsMadeOfEveryInteger) {
  using Whole = IDL::Fixed<31, 0>;
  EXPECT_EQ(Whole(std::numeric_limits<std::uint64_t>::max()).to_string(), "18446744073709551615");
  EXPECT_EQ(Whole(std::numeric_limits<std::int64_t>::min()).to_string(), "-9223372036854775808");
  EXPECT_EQ(Whole(std::uint8_t{200}).to_string(), "200");
  EXPECT_EQ(Whole(std::int8_t{-100}).to_string(), "-100");
  EXPECT_THROW((void)Money(std::numeric_limits<std::uint64_t>::max()), CORBA::DATA_CONVERSION);
}

TEST(Fixed, IsTheLowestIntegerTooAndNoneBelow) {
  EXPECT_EQ(Decimal("-9223372036854775808").to_int64(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(Decimal("9223372036854775807.9").to_int64(), std::numeric_limits<std::int64_t>::max());
  EXPECT_THROW((void)Decimal("-9223372036854775809").to_int64(), CORBA::DATA_CONVERSION);
  EXPECT_THROW((void)Decimal("9223372036854775808").to_int64(), CORBA::DATA_CONVERSION);
}

TEST(Fixed, HasNoNegativeZero) {
  EXPECT_EQ(Decimal("-0.00").to_string(), "0.00");
  EXPECT_EQ(Decimal(-0.001L, 2).to_string(), "0.00");
  EXPECT_EQ((-Decimal()).to_string(), "0");
  Money money(1);
  EXPECT_EQ(decode({0x00, 0x00, 0x00, 0x0d}, money), base::Code::none);
  EXPECT_EQ(money.to_string(), "0.00");
  for (const Decimal& zero : {Decimal("-0"), Decimal(-0.001L, 2), money._decimal()}) {
    EXPECT_FALSE(zero.negative());
    EXPECT_EQ(compare(zero, Decimal()), 0);
  }
}

TEST(Fixed, ComparesWhateverTheDecimals) {
  EXPECT_LT(compare(Decimal("1.5"), Decimal("1.50001")), 0);
  EXPECT_GT(compare(Decimal("1.5"), Decimal("1.49999")), 0);
  EXPECT_EQ(compare(Decimal("1.5"), Decimal("1.50000")), 0);
  EXPECT_GT(compare(Decimal("1.50001"), Decimal("1.5")), 0);
  EXPECT_GT(compare(Decimal("-1.5"), Decimal("-1.50001")), 0);
}

// 31 digits are what there is: decimals go first, and then it is too much.
TEST(Fixed, LosesDecimalsBeforeItOverflows) {
  const Decimal large(std::string(31, '9'));
  const Decimal small("0." + std::string(30, '0') + "1");
  EXPECT_EQ((large + small).to_string(), std::string(31, '9'));
  EXPECT_EQ((small + large).to_string(), std::string(31, '9'));
  EXPECT_EQ((small * small).to_string(), "0." + std::string(31, '0'));
  EXPECT_THROW(large + large, CORBA::DATA_CONVERSION);
  EXPECT_THROW(large * large, CORBA::DATA_CONVERSION);
  EXPECT_THROW(large / small, CORBA::DATA_CONVERSION);
  EXPECT_THROW((void)large.rescaled(1, false), CORBA::DATA_CONVERSION);
  EXPECT_THROW(Decimal("0." + std::string(31, '0') + "1"), CORBA::DATA_CONVERSION);
}

TEST(Fixed, RandomNumbersTravelAndReckonAsIntegersDo) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 2000; ++i) {
    const auto x = static_cast<std::int64_t>(random() % 2000000) - 1000000;
    const auto y = static_cast<std::int64_t>(random() % 2000000) - 1000000;
    EXPECT_EQ((Decimal(x) + Decimal(y)).to_int64(), x + y);
    EXPECT_EQ((Decimal(x) - Decimal(y)).to_int64(), x - y);
    EXPECT_EQ((Decimal(x) * Decimal(y)).to_int64(), x * y);
    EXPECT_EQ(compare(Decimal(x), Decimal(y)), x < y ? -1 : x > y ? 1 : 0);
    if (y != 0) {
      EXPECT_EQ((Decimal(x) / Decimal(y)).to_int64(), x / y);
    }
    const IDL::Fixed<31, 10> wide(Decimal(x) / Decimal(std::int64_t{64}));
    cdr::Encoder encoder;
    Codec<IDL::Fixed<31, 10>>::encode(encoder, wide);
    const auto octets = encoder.to_bytes();
    cdr::Decoder decoder(octets, {});
    IDL::Fixed<31, 10> back;
    Codec<IDL::Fixed<31, 10>>::decode(decoder, back);
    EXPECT_TRUE(decoder.ok() && back == wide);
  }
}

}  // namespace
}  // namespace corbel::mapping
