// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <type_traits>

namespace corbel::cdr {

/// Types whose CDR form is their object representation, up to byte order (CORBA 3.3 part 2, 9.3.1).
template <class T>
concept Primitive = (std::is_arithmetic_v<T> && !std::is_same_v<T, wchar_t> && !std::is_same_v<T, long double> &&
                     sizeof(T) <= 8);

/// Byte swap of any primitive.
template <Primitive T>
constexpr T byte_swap(T value) noexcept {
  if constexpr (sizeof(T) == 1) {
    return value;
  } else if constexpr (sizeof(T) == 2) {
    return std::bit_cast<T>(__builtin_bswap16(std::bit_cast<std::uint16_t>(value)));
  } else if constexpr (sizeof(T) == 4) {
    return std::bit_cast<T>(__builtin_bswap32(std::bit_cast<std::uint32_t>(value)));
  } else {
    return std::bit_cast<T>(__builtin_bswap64(std::bit_cast<std::uint64_t>(value)));
  }
}

}  // namespace corbel::cdr
