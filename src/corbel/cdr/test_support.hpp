// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string_view>

#include "corbel/base/bytes.hpp"
#include "corbel/cdr/format.hpp"

namespace corbel::cdr {

constexpr Format kLittle{.little_endian = true};
constexpr Format kBig{.little_endian = false};

/// The octets that `hex` spells.
inline base::Bytes bytes(std::string_view hex) {
  base::Bytes octets;
  if (!base::from_hex(hex, octets)) throw std::invalid_argument("no octets in hexadecimal");
  return octets;
}

}  // namespace corbel::cdr
