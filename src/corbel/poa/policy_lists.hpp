// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/poa/adapter_policies.hpp"
#include "corbel/poa/caller_policy.hpp"
#include "corbel/poa/lane_policy.hpp"
#include "corbel/poa/policies.hpp"

namespace corbel::orb {
class CallHooks;
}  // namespace corbel::orb

namespace corbel::poa {

/// What an application's list means. Throws POA::InvalidPolicy with the index of the first policy that is no POA
/// policy, contradicts an earlier one, or cannot be combined with the others. `hooks`: they may know further types; may
/// be null.
AdapterPolicies resolve_policies(const CORBA::PolicyList& policies, const orb::CallHooks* hooks);

/// The policy of a type, as applications see it; null if there is none.
corba::PolicyCorePtr make_policy(const AdapterPolicies& policies, std::uint32_t type);

}  // namespace corbel::poa
