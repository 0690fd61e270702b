// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "corbel/base/light_deadline.hpp"

namespace corbel::policy {

/// A duration of std::chrono in units of 100 ns (TimeBase::TimeT), rounded up.
template <base::WholeNanoseconds D>
constexpr std::uint64_t units_of(D duration) noexcept {
  const std::int64_t nanoseconds = base::nanoseconds_of(duration);
  return nanoseconds <= 0 ? 0 : static_cast<std::uint64_t>((nanoseconds - 1) / 100 + 1);
}

}  // namespace corbel::policy
