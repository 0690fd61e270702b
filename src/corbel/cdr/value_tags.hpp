// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// Value tags (CORBA 3.3 part 2, 9.3.4.1). Where a chunk may begin, smaller positive numbers are lengths and negative
/// ones end tags.
namespace corbel::cdr::tag {

inline constexpr std::uint32_t kNull = 0;
inline constexpr std::uint32_t kIndirection = 0xffffffff;
inline constexpr std::uint32_t kValue = 0x7fffff00;
inline constexpr std::uint32_t kCodebase = 0x1;
inline constexpr std::uint32_t kTypeMask = 0x6;
inline constexpr std::uint32_t kSingleId = 0x2;
inline constexpr std::uint32_t kIdList = 0x6;
inline constexpr std::uint32_t kChunked = 0x8;
inline constexpr std::uint32_t kReservedMask = 0xf0;

inline constexpr bool is_value(std::uint32_t tag) noexcept {
  return tag >= kValue && tag <= 0x7fffffff;
}

}  // namespace corbel::cdr::tag
