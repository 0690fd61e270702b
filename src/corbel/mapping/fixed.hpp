// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <type_traits>

#include "corbel/mapping/codec.hpp"

namespace corbel::mapping {

/// A decimal number of at most 31 digits, of which `scale` follow the point: what every IDL::Fixed is inside. Results
/// of arithmetic keep as many digits as fit and drop decimals beyond that (CORBA 3.3 part 1, 7.11.3.4).
class CORBEL_API Decimal {
 public:
  static constexpr unsigned kMaxDigits = 31;
  __extension__ using Digits = unsigned __int128;

  constexpr Decimal() noexcept = default;
  explicit Decimal(std::int64_t value) noexcept;
  /// Any integer.
  template <std::integral I>
  static Decimal of(I value) {
    if (!std::is_signed_v<I>) return Decimal(static_cast<Digits>(value), 0, false);
    return Decimal(static_cast<std::int64_t>(value));
  }
  /// "-123.45", with or without d at the end; throws DATA_CONVERSION if it is no number of at most 31 digits.
  explicit Decimal(std::string_view text);
  /// The nearest number with `scale` decimals; throws DATA_CONVERSION if it has more than 31 digits.
  Decimal(long double value, unsigned scale);

  bool negative() const noexcept { return negative_; }
  unsigned scale() const noexcept { return scale_; }
  unsigned digits() const noexcept;
  /// With exactly `scale` decimals: rounded half away from zero, or cut off.
  Decimal rescaled(unsigned scale, bool round) const;
  std::string to_string() const;
  long double to_long_double() const noexcept;
  /// The part before the point; throws DATA_CONVERSION if it does not fit.
  std::int64_t to_int64() const;

  Decimal operator-() const noexcept;
  friend CORBEL_API Decimal operator+(const Decimal& a, const Decimal& b);
  friend CORBEL_API Decimal operator-(const Decimal& a, const Decimal& b);
  friend CORBEL_API Decimal operator*(const Decimal& a, const Decimal& b);
  /// Throws DATA_CONVERSION for division by zero.
  friend CORBEL_API Decimal operator/(const Decimal& a, const Decimal& b);
  /// -1, 0 or 1.
  friend CORBEL_API int compare(const Decimal& a, const Decimal& b) noexcept;
  friend bool operator==(const Decimal& a, const Decimal& b) noexcept { return compare(a, b) == 0; }
  /// Of the numbers: 1.5 and 1.50 are equivalent.
  friend std::weak_ordering operator<=>(const Decimal& a, const Decimal& b) noexcept { return compare(a, b) <=> 0; }
  /// All of its digits.
  friend CORBEL_API std::ostream& operator<<(std::ostream& stream, const Decimal& value);

  /// On the wire: two digits an octet, the last half octet the sign (CORBA 3.3 part 2, 9.3.2.8). Numbers without
  /// leading zeros are read as well.
  void encode(cdr::Encoder& encoder, unsigned digits) const;
  static Decimal decode(cdr::Decoder& decoder, unsigned digits, unsigned scale);

 private:
  Decimal(Digits magnitude, unsigned scale, bool negative) noexcept
      : magnitude_(magnitude), scale_(scale), negative_(negative && magnitude != 0) {}
  static Decimal fitted(Digits magnitude, unsigned scale, bool negative);

  Digits magnitude_ = 0;
  unsigned scale_ = 0;
  bool negative_ = false;
};

[[noreturn]] CORBEL_API void throw_fixed_overflow();

}  // namespace corbel::mapping

namespace IDL {

/// fixed<digits, scale>. Assignment of anything too large throws DATA_CONVERSION; decimals that do not fit are cut off.
template <std::uint16_t D, std::uint16_t S>
class Fixed {
  static_assert(D >= 1 && D <= 31 && S <= D);
  using Decimal = corbel::mapping::Decimal;

 public:
  constexpr Fixed() noexcept = default;
  Fixed(const Decimal& value) : value_(value.rescaled(S, false)) {
    if (value_.digits() > D) corbel::mapping::throw_fixed_overflow();
  }
  template <std::integral I>
  explicit Fixed(I value) : Fixed(Decimal::of(value)) {}
  explicit Fixed(long double value) : Fixed(Decimal(value, S)) {}
  explicit Fixed(double value) : Fixed(static_cast<long double>(value)) {}
  explicit Fixed(const std::string& text) : Fixed(Decimal(text)) {}
  template <std::uint16_t E, std::uint16_t T>
  Fixed(const Fixed<E, T>& other) : Fixed(other._decimal()) {}

  explicit operator std::int64_t() const { return value_.to_int64(); }
  explicit operator long double() const noexcept { return value_.to_long_double(); }
  explicit operator bool() const noexcept { return value_.digits() != 0; }
  std::string to_string() const { return value_.to_string(); }
  /// To `scale` decimals, half away from zero or cut off; the type keeps its own scale.
  Fixed round(std::uint16_t scale) const { return value_.rescaled(scale < S ? scale : S, true); }
  Fixed truncate(std::uint16_t scale) const { return value_.rescaled(scale < S ? scale : S, false); }
  std::uint16_t fixed_digits() const noexcept { return D; }
  std::uint16_t fixed_scale() const noexcept { return S; }

  Fixed operator+() const { return *this; }
  Fixed operator-() const { return -value_; }
  bool operator!() const noexcept { return value_.digits() == 0; }
  Fixed& operator+=(const Decimal& other) { return *this = Fixed(value_ + other); }
  Fixed& operator-=(const Decimal& other) { return *this = Fixed(value_ - other); }
  Fixed& operator*=(const Decimal& other) { return *this = Fixed(value_ * other); }
  Fixed& operator/=(const Decimal& other) { return *this = Fixed(value_ / other); }
  Fixed& operator++() { return *this += Decimal(std::int64_t{1}); }
  Fixed& operator--() { return *this -= Decimal(std::int64_t{1}); }
  Fixed operator++(int) {
    const Fixed old = *this;
    ++*this;
    return old;
  }
  Fixed operator--(int) {
    const Fixed old = *this;
    --*this;
    return old;
  }

  /// Arithmetic of any two Fixed yields a Decimal, which is as exact as 31 digits allow and converts to any Fixed.
  operator const Decimal&() const noexcept { return value_; }
  const Decimal& _decimal() const noexcept { return value_; }

 private:
  Decimal value_ = Decimal().rescaled(S, false);
};

/// Exact as far as 31 digits go.
template <std::uint16_t D, std::uint16_t S, std::uint16_t E, std::uint16_t T>
corbel::mapping::Decimal operator+(const Fixed<D, S>& a, const Fixed<E, T>& b) {
  return a._decimal() + b._decimal();
}
template <std::uint16_t D, std::uint16_t S, std::uint16_t E, std::uint16_t T>
corbel::mapping::Decimal operator-(const Fixed<D, S>& a, const Fixed<E, T>& b) {
  return a._decimal() - b._decimal();
}
template <std::uint16_t D, std::uint16_t S, std::uint16_t E, std::uint16_t T>
corbel::mapping::Decimal operator*(const Fixed<D, S>& a, const Fixed<E, T>& b) {
  return a._decimal() * b._decimal();
}
template <std::uint16_t D, std::uint16_t S, std::uint16_t E, std::uint16_t T>
corbel::mapping::Decimal operator/(const Fixed<D, S>& a, const Fixed<E, T>& b) {
  return a._decimal() / b._decimal();
}

/// Templates, so that what is compared with a result of arithmetic does not cut that off first.
template <std::uint16_t D, std::uint16_t S, std::uint16_t E, std::uint16_t T>
bool operator==(const Fixed<D, S>& a, const Fixed<E, T>& b) noexcept {
  return a._decimal() == b._decimal();
}
template <std::uint16_t D, std::uint16_t S, std::uint16_t E, std::uint16_t T>
std::weak_ordering operator<=>(const Fixed<D, S>& a, const Fixed<E, T>& b) noexcept {
  return a._decimal() <=> b._decimal();
}

/// The number.
template <std::uint16_t D, std::uint16_t S>
std::ostream& operator<<(std::ostream& stream, const Fixed<D, S>& value) {
  return stream << value.to_string().c_str();
}

/// Reads the next word. Sets failbit, and leaves `value` alone, if that is no number or too large a one.
template <class Stream, std::uint16_t D, std::uint16_t S>
requires std::is_base_of_v<std::istream, Stream> Stream& operator>>(Stream& stream, Fixed<D, S>& value) {
  if (std::string text; stream >> text) {
    try {
      value = Fixed<D, S>(text);
    } catch (const CORBA::DATA_CONVERSION&) {
      stream.setstate(Stream::failbit);
    }
  }
  return stream;
}

template <std::uint16_t D, std::uint16_t S>
struct traits<Fixed<D, S>> : common_traits<Fixed<D, S>> {
  using digits = std::integral_constant<std::uint16_t, D>;
  using scale = std::integral_constant<std::uint16_t, S>;
};

}  // namespace IDL

namespace corbel::mapping {

template <std::uint16_t D, std::uint16_t S>
struct Codec<IDL::Fixed<D, S>> {
  static constexpr std::size_t kMinSize = 1;
  static void encode(cdr::Encoder& encoder, const IDL::Fixed<D, S>& value) { value._decimal().encode(encoder, D); }
  static void decode(cdr::Decoder& decoder, IDL::Fixed<D, S>& value) { value = Decimal::decode(decoder, D, S); }
};

}  // namespace corbel::mapping
