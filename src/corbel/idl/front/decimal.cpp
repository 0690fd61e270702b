// SPDX-License-Identifier: Apache-2.0
#include "corbel/idl/front/decimal.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace corbel::idl::front {
namespace {

/// A natural number as decimal digits, most significant first.
using Digits = std::string;
__extension__ using Wide = unsigned __int128;

void strip_leading_zeros(Digits& digits) {
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
}

bool less(const Digits& left, const Digits& right) {
  return left.size() != right.size() ? left.size() < right.size() : left < right;
}

/// left + right, or left - right where left is not less.
Digits combine(const Digits& left, const Digits& right, bool subtract) {
  const std::size_t size = std::max(left.size(), right.size()) + 1;
  const Digits a = Digits(size - left.size(), '0') + left;
  const Digits b = Digits(size - right.size(), '0') + right;
  Digits result(size, '0');
  int carry = 0;
  for (std::size_t i = size; i-- > 0;) {
    int digit = a[i] - '0' + (subtract ? '0' - b[i] : b[i] - '0') + carry;
    carry = digit < 0 ? -1 : digit / 10;
    digit -= carry * 10;
    result[i] = static_cast<char>('0' + digit);
  }
  strip_leading_zeros(result);
  return result;
}

/// Cuts decimals until 31 digits are left and drops superfluous zeros.
std::optional<model::Fixed> normal(bool negative, Digits digits, std::size_t scale) {
  if (digits.size() <= scale) digits.insert(0, scale + 1 - digits.size(), '0');
  std::size_t whole = digits.size() - scale;
  const std::size_t zeros = std::min(digits.find_first_not_of('0'), whole);
  digits.erase(0, zeros);
  whole -= zeros;
  if (whole > kMaxFixedDigits) return std::nullopt;
  digits.resize(std::min(digits.size(), kMaxFixedDigits));
  while (digits.size() > whole && digits.back() == '0') digits.pop_back();
  const auto kept = static_cast<std::uint16_t>(digits.size() - whole);
  if (digits.empty()) return model::Fixed{};
  return model::Fixed{negative, std::move(digits), kept};
}

Digits scaled(const model::Fixed& value, std::size_t scale) {
  return value.digits + Digits(scale - value.scale, '0');
}

}  // namespace

std::optional<model::Fixed> parse_fixed(std::string_view literal) {
  Digits digits;
  std::size_t scale = 0;
  bool point = false;
  for (const char c : literal) {
    if (c == '.') point = true;
    if (c < '0' || c > '9') continue;
    digits += c;
    if (point) ++scale;
  }
  return normal(false, std::move(digits), scale);
}

std::optional<model::Fixed> add(const model::Fixed& left, const model::Fixed& right) {
  const std::size_t scale = std::max(left.scale, right.scale);
  Digits a = scaled(left, scale);
  Digits b = scaled(right, scale);
  strip_leading_zeros(a);
  strip_leading_zeros(b);
  if (left.negative == right.negative) return normal(left.negative, combine(a, b, false), scale);
  if (less(a, b)) return normal(right.negative, combine(b, a, true), scale);
  return normal(left.negative, combine(a, b, true), scale);
}

std::optional<model::Fixed> multiply(const model::Fixed& left, const model::Fixed& right) {
  std::vector<int> sums(left.digits.size() + right.digits.size());
  for (std::size_t i = 0; i < left.digits.size(); ++i) {
    for (std::size_t j = 0; j < right.digits.size(); ++j) {
      sums[i + j + 1] += (left.digits[i] - '0') * (right.digits[j] - '0');
    }
  }
  Digits product(sums.size(), '0');
  int carry = 0;
  for (std::size_t i = sums.size(); i-- > 0;) {
    carry += sums[i];
    product[i] = static_cast<char>('0' + carry % 10);
    carry /= 10;
  }
  return normal(left.negative != right.negative, std::move(product), std::size_t{left.scale} + right.scale);
}

std::optional<model::Fixed> divide(const model::Fixed& left, const model::Fixed& right) {
  // 31 digits, and one more for the rest of a long division, fit in 128 bits.
  Wide divisor = 0;
  for (const char digit : right.digits) divisor = divisor * 10 + static_cast<unsigned>(digit - '0');
  // Enough decimals that whatever is cut later was beyond the 31st digit.
  const std::size_t extra = 2 * kMaxFixedDigits;
  const Digits dividend = left.digits + Digits(extra + right.scale, '0');
  Digits quotient;
  Wide rest = 0;
  for (const char digit : dividend) {
    rest = rest * 10 + static_cast<unsigned>(digit - '0');
    quotient += static_cast<char>('0' + static_cast<int>(rest / divisor));
    rest %= divisor;
  }
  return normal(left.negative != right.negative, std::move(quotient), std::size_t{left.scale} + extra);
}

model::Fixed negate(model::Fixed value) {
  value.negative = !value.negative && !is_zero(value);
  return value;
}

std::optional<model::Fixed> cut(const model::Fixed& value, std::size_t digits, std::size_t scale) {
  const std::size_t whole = value.digits.size() - value.scale;
  if (whole > digits - scale && !is_zero(value)) return std::nullopt;
  const std::size_t dropped = value.scale > scale ? value.scale - scale : 0;
  return normal(value.negative, value.digits.substr(0, value.digits.size() - dropped), value.scale - dropped);
}

bool is_zero(const model::Fixed& value) noexcept {
  return value.digits.find_first_not_of('0') == std::string::npos;
}

}  // namespace corbel::idl::front
