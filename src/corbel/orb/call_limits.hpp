// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "corbel/base/deadline.hpp"
#include "corbel/policy/client_policies.hpp"

namespace corbel::orb {

/// The times of a call that may stay in this process or go on elsewhere, and that all of it has to share (CORBA 3.3
/// part 1, 17.2.4).
struct CallLimits {
  base::Deadline leave_by = base::Deadline::none();  ///< when its request must have left, or been begun here
  base::Deadline deadline = base::Deadline::none();  ///< of the whole call

  /// When a servant of this process is not to run any more.
  base::Deadline begin_by() const noexcept { return earlier(leave_by, deadline); }

  /// `began`: Deadline::exact_now() when the call began.
  static CallLimits of(const policy::ClientPolicies& calls, std::int64_t began) noexcept {
    return {earlier(after(calls.request, began), at_time(calls.request_end)),
            earlier(after(calls.round_trip, began), at_time(calls.reply_end))};
  }
  static base::Deadline at_time(policy::UtcTime time) noexcept {
    return time == policy::kNever ? base::Deadline::none() : base::Deadline::no_sooner_than(policy::until(time));
  }

 private:
  static base::Deadline after(base::Duration timeout, std::int64_t began) noexcept {
    return timeout == base::Duration::zero() ? base::Deadline::none() : base::Deadline::after(timeout, began);
  }
};

}  // namespace corbel::orb
