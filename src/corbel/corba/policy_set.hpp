// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/base/shared_ptr.hpp"
#include "corbel/corba/policy.hpp"
#include "corbel/policy/client_policies.hpp"

namespace corbel::corba {

class PolicySet;
using PolicySetPtr = base::SharedPtr<const PolicySet>;

/// The policies that override weaker ones at one level: an ORB's, a thread's or a reference's (CORBA 3.3 part 1, 8.10).
/// At most one of each type. Immutable, so thread-safe. A null pointer stands for a set without policies.
class PolicySet {
 public:
  explicit PolicySet(CORBA::PolicyList policies);

  const CORBA::PolicyList& policies() const noexcept { return policies_; }
  /// What they say about calls.
  const policy::ClientOverrides& calls() const noexcept { return calls_; }

  /// The policy of a type in the set; nil if it has none.
  static CORBA::object_reference<CORBA::Policy> find(const PolicySetPtr& set, CORBA::PolicyType type);
  /// Those of the types, without those that the set has not; all if there are no types.
  static CORBA::PolicyList select(const PolicySetPtr& set, const CORBA::PolicyTypeSeq& types);
  /// What the level has after `set` was changed as set_policy_overrides says: replaced by `policies`, or added to.
  /// Throws BAD_PARAM for a `how` that is neither, and (minor OMG 30) for two policies of one type; NO_PERMISSION for a
  /// policy that no level may override, such as an object adapter's; InvalidPolicies with the places of nil ones.
  static PolicySetPtr changed(const PolicySetPtr& set, const CORBA::PolicyList& policies, CORBA::SetOverrideType how);

 private:
  const CORBA::PolicyList policies_;
  policy::ClientOverrides calls_;
};

}  // namespace corbel::corba
