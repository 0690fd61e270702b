// SPDX-License-Identifier: Apache-2.0
#include "corbel/mapping/fixed.hpp"

#include <algorithm>
#include <cmath>
#include <ostream>

namespace corbel::mapping {
namespace {

using Digits = Decimal::Digits;

constexpr Digits power_of_ten(unsigned exponent) {
  Digits power = 1;
  while (exponent-- > 0) power *= 10;
  return power;
}
/// 31 digits at most; 128 bits hold 38.
constexpr Digits kLimit = power_of_ten(Decimal::kMaxDigits);

unsigned count_digits(Digits magnitude) {
  unsigned count = 0;
  for (; magnitude != 0; magnitude /= 10) ++count;
  return count;
}

/// A product of two numbers of up to 31 digits, in decimal digits, the lowest first.
struct LongDigits {
  std::uint8_t digit[2 * Decimal::kMaxDigits + 1] = {};
};

}  // namespace

void throw_fixed_overflow() {
  throw CORBA::DATA_CONVERSION(0, CORBA::CompletionStatus::COMPLETED_NO, "a fixed-point number has too many digits");
}

/// Drops decimals until 31 digits are left.
Decimal Decimal::fitted(Digits magnitude, unsigned scale, bool negative) {
  while (magnitude >= kLimit || scale > kMaxDigits) {
    if (scale == 0) throw_fixed_overflow();
    magnitude /= 10;
    --scale;
  }
  return Decimal(magnitude, scale, negative);
}

Decimal::Decimal(std::int64_t value) noexcept
    : magnitude_(value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value)),
      negative_(value < 0) {}

Decimal::Decimal(std::string_view text) {
  const auto refuse = [&text] {
    throw CORBA::DATA_CONVERSION(0, CORBA::CompletionStatus::COMPLETED_NO,
                                 "no fixed-point number: " + std::string(text));
  };
  std::size_t at = 0;
  const bool negative = !text.empty() && text[0] == '-';
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) ++at;
  std::size_t end = text.size();
  if (end > at && (text[end - 1] == 'd' || text[end - 1] == 'D')) --end;
  bool point = false, any = false;
  for (; at < end; ++at) {
    if (text[at] == '.' && !point) {
      point = true;
      continue;
    }
    if (text[at] < '0' || text[at] > '9') refuse();
    any = true;
    magnitude_ = magnitude_ * 10 + static_cast<unsigned>(text[at] - '0');
    if (point) ++scale_;
    if (magnitude_ >= kLimit || scale_ > kMaxDigits) refuse();
  }
  if (!any) refuse();
  negative_ = negative && magnitude_ != 0;
}

Decimal::Decimal(long double value, unsigned scale) : scale_(scale), negative_(value < 0) {
  const long double scaled = std::round(std::fabs(value) * static_cast<long double>(power_of_ten(scale)));
  if (!(scaled < static_cast<long double>(kLimit))) throw_fixed_overflow();
  magnitude_ = static_cast<Digits>(scaled);
  if (magnitude_ == 0) negative_ = false;
}

unsigned Decimal::digits() const noexcept {
  return count_digits(magnitude_);
}

Decimal Decimal::rescaled(unsigned scale, bool round) const {
  if (scale >= scale_) {
    Digits magnitude = magnitude_;
    for (unsigned i = scale_; i < scale; ++i) {
      magnitude *= 10;
      if (magnitude >= kLimit) throw_fixed_overflow();
    }
    return Decimal(magnitude, scale, negative_);
  }
  const Digits divisor = power_of_ten(scale_ - scale);
  return Decimal((magnitude_ + (round ? divisor / 2 : 0)) / divisor, scale, negative_);
}

std::string Decimal::to_string() const {
  std::string text;
  Digits rest = magnitude_;
  for (unsigned i = 0; rest != 0 || i <= scale_; ++i, rest /= 10) {
    if (i == scale_ && i != 0) text += '.';
    text += static_cast<char>('0' + static_cast<int>(rest % 10));
  }
  if (negative_) text += '-';
  std::reverse(text.begin(), text.end());
  return text;
}

long double Decimal::to_long_double() const noexcept {
  const long double value = static_cast<long double>(magnitude_) / static_cast<long double>(power_of_ten(scale_));
  return negative_ ? -value : value;
}

std::int64_t Decimal::to_int64() const {
  const Digits whole = magnitude_ / power_of_ten(scale_);
  const Digits most = (Digits{1} << 63) - (negative_ ? 0 : 1);
  if (whole > most) throw_fixed_overflow();
  const auto bits = static_cast<std::uint64_t>(whole);
  return static_cast<std::int64_t>(negative_ ? 0 - bits : bits);
}

Decimal Decimal::operator-() const noexcept {
  return Decimal(magnitude_, scale_, !negative_);
}

Decimal operator+(const Decimal& a, const Decimal& b) {
  // The finer one loses decimals if the coarser one cannot have as many.
  const unsigned room_a = Decimal::kMaxDigits + 6 - a.digits() + a.scale_;
  const unsigned room_b = Decimal::kMaxDigits + 6 - b.digits() + b.scale_;
  const unsigned scale = std::min({std::max(a.scale_, b.scale_), room_a, room_b});
  const auto at_scale = [scale](const Decimal& number) {
    return number.scale_ <= scale ? number.magnitude_ * power_of_ten(scale - number.scale_)
                                  : number.magnitude_ / power_of_ten(number.scale_ - scale);
  };
  const Digits x = at_scale(a);
  const Digits y = at_scale(b);
  if (a.negative_ == b.negative_) return Decimal::fitted(x + y, scale, a.negative_);
  return x >= y ? Decimal::fitted(x - y, scale, a.negative_) : Decimal::fitted(y - x, scale, b.negative_);
}

Decimal operator-(const Decimal& a, const Decimal& b) {
  return a + -b;
}

Decimal operator*(const Decimal& a, const Decimal& b) {
  LongDigits product;
  Digits x = a.magnitude_;
  for (unsigned i = 0; x != 0; ++i, x /= 10) {
    unsigned carry = 0;
    Digits y = b.magnitude_;
    for (unsigned j = i; y != 0 || carry != 0; ++j, y /= 10) {
      const unsigned sum = product.digit[j] + static_cast<unsigned>(x % 10) * static_cast<unsigned>(y % 10) + carry;
      product.digit[j] = static_cast<std::uint8_t>(sum % 10);
      carry = sum / 10;
    }
  }
  unsigned length = std::size(product.digit);
  while (length > 0 && product.digit[length - 1] == 0) --length;
  unsigned scale = a.scale_ + b.scale_;
  const unsigned excess = length > Decimal::kMaxDigits ? length - Decimal::kMaxDigits : 0;
  const unsigned drop = std::max(excess, scale > Decimal::kMaxDigits ? scale - Decimal::kMaxDigits : 0);
  if (drop > scale) throw_fixed_overflow();
  Digits magnitude = 0;
  for (unsigned i = length; i > drop; --i) magnitude = magnitude * 10 + product.digit[i - 1];
  return Decimal(magnitude, scale - drop, a.negative_ != b.negative_);
}

Decimal operator/(const Decimal& a, const Decimal& b) {
  if (b.magnitude_ == 0) {
    throw CORBA::DATA_CONVERSION(0, CORBA::CompletionStatus::COMPLETED_NO, "a fixed-point number divided by zero");
  }
  // Long division until nothing is left or there are 31 digits.
  Digits quotient = a.magnitude_ / b.magnitude_;
  Digits rest = a.magnitude_ % b.magnitude_;
  int scale = static_cast<int>(a.scale_) - static_cast<int>(b.scale_);
  while ((rest != 0 || scale < 0) && quotient * 10 < kLimit && scale < static_cast<int>(Decimal::kMaxDigits)) {
    rest *= 10;
    quotient = quotient * 10 + rest / b.magnitude_;
    rest %= b.magnitude_;
    ++scale;
  }
  if (scale < 0) throw_fixed_overflow();
  return Decimal::fitted(quotient, static_cast<unsigned>(scale), a.negative_ != b.negative_);
}

std::ostream& operator<<(std::ostream& stream, const Decimal& value) {
  return stream << value.to_string();
}

int compare(const Decimal& a, const Decimal& b) noexcept {
  if (a.negative_ != b.negative_) return a.negative_ ? -1 : 1;
  const Digits one_a = power_of_ten(a.scale_);
  const Digits one_b = power_of_ten(b.scale_);
  int order = 0;
  if (const Digits x = a.magnitude_ / one_a, y = b.magnitude_ / one_b; x != y) {
    order = x < y ? -1 : 1;
  } else {
    // Decimals as if both had as many; what is missing is zeros. Both are less than 10^31.
    Digits rest_a = a.magnitude_ % one_a;
    Digits rest_b = b.magnitude_ % one_b;
    for (unsigned i = a.scale_; i < b.scale_; ++i) rest_a *= 10;
    for (unsigned i = b.scale_; i < a.scale_; ++i) rest_b *= 10;
    order = rest_a < rest_b ? -1 : rest_a > rest_b ? 1 : 0;
  }
  return a.negative_ ? -order : order;
}

void Decimal::encode(cdr::Encoder& encoder, unsigned digits) const {
  std::uint8_t octets[(kMaxDigits + 2) / 2];
  const unsigned size = (digits + 2) / 2;
  Digits rest = magnitude_;
  octets[size - 1] = static_cast<std::uint8_t>(static_cast<unsigned>(rest % 10) << 4 | (negative_ ? 0xdU : 0xcU));
  rest /= 10;
  for (unsigned i = size - 1; i-- > 0; rest /= 100) {
    octets[i] =
        static_cast<std::uint8_t>(static_cast<unsigned>(rest / 10 % 10) << 4 | static_cast<unsigned>(rest % 10));
  }
  encoder.copy_octets(octets, size);
}

Decimal Decimal::decode(cdr::Decoder& decoder, unsigned digits, unsigned scale) {
  Digits magnitude = 0;
  bool negative = false;
  const unsigned size = (digits + 2) / 2;
  bool last = false;
  for (unsigned i = 1; !last && decoder.ok(); ++i) {
    const unsigned octet = decoder.get<std::uint8_t>();
    const unsigned high = octet >> 4;
    const unsigned low = octet & 15;
    // JacORB leaves out leading zeros: the sign is the end, wherever it comes.
    last = low == 0xc || low == 0xd;
    if (high > 9 || (!last && (low > 9 || i == size))) decoder.fail(base::Code::malformed);
    magnitude = magnitude * 10 + high;
    if (!last) magnitude = magnitude * 10 + low;
    negative = low == 0xd;
  }
  if (count_digits(magnitude) > digits) decoder.fail(base::Code::malformed);
  return Decimal(decoder.ok() ? magnitude : 0, scale, negative);
}

}  // namespace corbel::mapping
