// SPDX-License-Identifier: Apache-2.0
#include "corbel/idl/front/evaluated.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace corbel::idl::front {
namespace {

template <class T>
constexpr IntegerRange range_of() {
  return {std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
}

}  // namespace

std::string_view describe(const Evaluated& value) noexcept {
  static constexpr std::array<std::string_view, 10> kNames = {
      "nothing",          "a boolean", "an integer",    "a floating-point value", "a character",
      "a wide character", "a string",  "a wide string", "an enumerator",          "a fixed-point value"};
  return kNames[value.index()];
}

std::string to_string(Integer value) {
  const bool negative = value < 0;
  std::string digits;
  do {
    const int digit = static_cast<int>(value % 10);
    digits.push_back(static_cast<char>('0' + (digit < 0 ? -digit : digit)));
    value /= 10;
  } while (value != 0);
  if (negative) digits.push_back('-');
  std::reverse(digits.begin(), digits.end());
  return digits;
}

IntegerRange integer_range(model::TypeKind kind) noexcept {
  switch (kind) {
    case model::TypeKind::octet:
    case model::TypeKind::uint8:
      return range_of<std::uint8_t>();
    case model::TypeKind::int8:
      return range_of<std::int8_t>();
    case model::TypeKind::short_:
      return range_of<std::int16_t>();
    case model::TypeKind::ushort:
      return range_of<std::uint16_t>();
    case model::TypeKind::long_:
      return range_of<std::int32_t>();
    case model::TypeKind::ulong:
      return range_of<std::uint32_t>();
    case model::TypeKind::longlong:
      return range_of<std::int64_t>();
    case model::TypeKind::ulonglong:
      return range_of<std::uint64_t>();
    default:
      return {0, -1};
  }
}

}  // namespace corbel::idl::front
