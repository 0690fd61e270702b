// SPDX-License-Identifier: Apache-2.0
#include "corbel/corba/policy_lists.hpp"

#include <algorithm>
#include <utility>

#include "corbel/corba/buffering_policy.hpp"
#include "corbel/corba/messaging_policies.hpp"
#include "corbel/corba/servant.hpp"

namespace corbel::corba {
namespace {

PolicySet::Change change_of(CORBA::SetOverrideType how) {
  if (how == CORBA::SetOverrideType::SET_OVERRIDE) return PolicySet::Change::replace;
  if (how == CORBA::SetOverrideType::ADD_OVERRIDE) return PolicySet::Change::add;
  throw CORBA::BAD_PARAM(0, CORBA::CompletionStatus::COMPLETED_NO, "neither SET_OVERRIDE nor ADD_OVERRIDE");
}

template <class Policy, class... Arguments>
PolicyCorePtr make(const Arguments&... arguments) {
  return CORBA::make_reference<Policy>(arguments...)._shared();
}

}  // namespace

PolicyCores cores_of(const CORBA::PolicyList& policies) {
  CORBA::InvalidPolicies::Indices nil;
  for (std::size_t i = 0; i < policies.size(); ++i) {
    if (policies[i] == nullptr) nil.push_back(static_cast<std::uint16_t>(std::min<std::size_t>(i, 0xffff)));
  }
  if (!nil.empty()) throw CORBA::InvalidPolicies(std::move(nil));
  PolicyCores cores;
  cores.reserve(policies.size());
  for (const auto& policy : policies) cores.emplace_back(policy._shared());
  return cores;
}

CORBA::PolicyList policies_of(const PolicyCores& policies) {
  CORBA::PolicyList list;
  list.reserve(policies.size());
  for (const PolicyCorePtr& policy : policies) {
    if (auto known = policy_of(policy); known != nullptr) list.push_back(std::move(known));
  }
  return list;
}

CORBA::object_reference<CORBA::Policy> policy_of(const PolicyCorePtr& policy) {
  return CORBA::object_reference<CORBA::Policy>(base::dynamic_pointer_cast<CORBA::Policy>(policy));
}

PolicyChange::PolicyChange(const CORBA::PolicyList& changed, CORBA::SetOverrideType set_add, bool of_orb)
    : how(change_of(set_add)), policies(cores_of(changed)) {
  const auto is_of_orb = [](const PolicyCorePtr& one) {
    return one->_type() == BiDirPolicy::BIDIRECTIONAL_POLICY_TYPE;
  };
  if (!of_orb && std::ranges::any_of(policies, is_of_orb)) {
    throw CORBA::NO_PERMISSION(0, CORBA::CompletionStatus::COMPLETED_NO,
                               "BidirectionalPolicy is for ORBs and object adapters, not for references or threads");
  }
}

PolicyCorePtr make_default_policy(const policy::ClientPolicies& defaults, std::uint32_t type) {
  switch (type) {
    case Messaging::REBIND_POLICY_TYPE:
      return make<Messaging::RebindPolicy>(static_cast<Messaging::RebindMode>(defaults.rebind));
    case Messaging::SYNC_SCOPE_POLICY_TYPE:
      return make<Messaging::SyncScopePolicy>(static_cast<Messaging::SyncScope>(defaults.sync_scope));
    case Messaging::RELATIVE_RT_TIMEOUT_POLICY_TYPE:
      return make<Messaging::RelativeRoundtripTimeoutPolicy>(policy::units_of(defaults.round_trip));
    case CONNECTION_TIMEOUT_POLICY_TYPE:
      return make<ConnectionTimeoutPolicy>(policy::units_of(defaults.connect));
    case BUFFERING_CONSTRAINT_POLICY_TYPE:
      return make<BufferingConstraintPolicy>(BufferingConstraint());
    default:
      return nullptr;
  }
}

}  // namespace corbel::corba
