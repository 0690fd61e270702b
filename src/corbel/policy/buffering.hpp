// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

#include "corbel/base/deadline.hpp"

namespace corbel::policy {

/// How long oneway messages of SyncScope::none are kept back to leave together: until any of these is reached. A value.
struct Buffering {
  static constexpr std::uint32_t kAnyNumber = std::numeric_limits<std::uint32_t>::max();

  base::Duration time = base::Duration::max();  ///< since the first of them; max(): no limit
  std::uint32_t messages = 1;                   ///< the one that reaches the limit included; 1, or 0: none is kept back
  std::uint32_t octets = kAnyNumber;            ///< likewise

  bool keeps() const noexcept { return messages > 1; }
  friend bool operator==(const Buffering&, const Buffering&) = default;
};

}  // namespace corbel::policy
