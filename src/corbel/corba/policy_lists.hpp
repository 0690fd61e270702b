// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/corba/policy.hpp"
#include "corbel/corba/policy_set.hpp"

/// Lists of policies as applications of this mapping have them, and as policy sets do.
namespace corbel::corba {

/// Throws InvalidPolicies with the places of nil ones.
PolicyCores cores_of(const CORBA::PolicyList& policies);
/// Those of another mapping are not among them.
CORBA::PolicyList policies_of(const PolicyCores& policies);
/// Nil if it is null, or of another mapping.
CORBA::object_reference<CORBA::Policy> policy_of(const PolicyCorePtr& policy);

/// What set_policy_overrides makes of them. Throws BAD_PARAM for a `how` that it does not know, NO_PERMISSION for
/// policies that only an ORB has (BidirectionalPolicy) if this is not `of_orb`, and as cores_of().
struct PolicyChange {
  PolicyChange(const CORBA::PolicyList& policies, CORBA::SetOverrideType how, bool of_orb = false);
  PolicySet::Change how;
  PolicyCores policies;
};

}  // namespace corbel::corba
