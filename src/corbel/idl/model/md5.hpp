// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace corbel::idl::model {

/// RFC 1321. For ids that a specification makes of names, not for anything secret.
std::array<std::uint8_t, 16> md5(std::string_view text);

}  // namespace corbel::idl::model
