// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "corbel/base/result.hpp"

namespace corbel::transport::shm {

/// Whose processes may be at the other end: this process's user's, and those that were named.
class Users {
 public:
  /// Reads names and numbers with commas between them, or "*": anybody. Error: bad_argument (stage configure), also for
  /// a name that the system does not know.
  static base::Result<Users> parse(std::string_view text);

  bool permit(std::uint32_t user) const noexcept;

 private:
  bool anybody_ = false;
  std::vector<std::uint32_t> others_;
};

}  // namespace corbel::transport::shm
