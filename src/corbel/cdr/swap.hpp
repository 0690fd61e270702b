// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace corbel::cdr {

/// Copies `count` values of `width` octets (2, 4 or 8), reversing the octets of each. Neither side need be aligned.
void swap_copy(std::uint8_t* to, const std::uint8_t* from, std::size_t count, std::size_t width) noexcept;

}  // namespace corbel::cdr
