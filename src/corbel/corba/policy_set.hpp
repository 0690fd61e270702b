// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "corbel/base/shared_ptr.hpp"
#include "corbel/corba/policy_core.hpp"
#include "corbel/policy/client_policies.hpp"

namespace corbel::corba {

class PolicySet;
using PolicySetPtr = base::SharedPtr<const PolicySet>;

/// The policies that override weaker ones at one level: an ORB's, a thread's or a reference's (CORBA 3.3 part 1, 8.10).
/// At most one of each type. Immutable, so thread-safe. A null pointer stands for a set without policies.
class PolicySet {
 public:
  enum class Change : std::uint8_t { replace, add };

  explicit PolicySet(PolicyCores policies);

  const PolicyCores& policies() const noexcept { return policies_; }
  /// What they say about calls.
  const policy::ClientOverrides& calls() const noexcept { return calls_; }

  /// The policy of a type in the set; null if it has none.
  static PolicyCorePtr find(const PolicySetPtr& set, std::uint32_t type);
  /// Those of the types, without those that the set has not; all if there are no types.
  static PolicyCores select(const PolicySetPtr& set, std::span<const std::uint32_t> types);
  /// What the level has after `set` was changed as set_policy_overrides says: replaced by `policies`, none of them
  /// null, or added to. Throws BAD_PARAM (minor OMG 30) for two policies of one type, NO_PERMISSION for a policy that
  /// no level may override, such as an object adapter's.
  static PolicySetPtr changed(const PolicySetPtr& set, const PolicyCores& policies, Change how);

 private:
  const PolicyCores policies_;
  policy::ClientOverrides calls_;
};

}  // namespace corbel::corba
