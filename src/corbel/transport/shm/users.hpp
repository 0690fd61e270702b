// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "corbel/base/result.hpp"

namespace corbel::transport::shm {

/// The users whose processes may be at the other end: this process's user, and those that were named. All users that
/// the user name space of this process does not map look alike, and like this process's if it is such a user's: only
/// "*" lets them in.
class Users {
 public:
  /// Reads names and numbers with commas between them, or "*": all users. Error: bad_argument (stage configure), also
  /// for a name that the system does not know.
  static base::Result<Users> parse(std::string_view text);

  bool permit(std::uint32_t user) const noexcept;

 private:
  bool anybody_ = false;
  std::optional<std::uint32_t> unmapped_;
  std::vector<std::uint32_t> others_;
};

}  // namespace corbel::transport::shm
