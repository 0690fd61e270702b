// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>

namespace corbel::test {

inline constexpr bool kLittleEndian = std::endian::native == std::endian::little;
/// GIOP's flag for this machine's byte order.
inline constexpr std::uint8_t kOrderFlag = kLittleEndian ? 1 : 0;

}  // namespace corbel::test

/// For tests whose octets are those that a little-endian machine sends.
#define CORBEL_LITTLE_ENDIAN_ONLY() \
  if (!::corbel::test::kLittleEndian) GTEST_SKIP() << "the octets of this test are those of a little-endian machine"
