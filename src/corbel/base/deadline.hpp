// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <limits>

#include "corbel/base/light_deadline.hpp"

namespace corbel::base {

using Duration = std::chrono::nanoseconds;

inline auto Deadline::remaining() const noexcept {
  return Duration(left());
}

}  // namespace corbel::base
