// SPDX-License-Identifier: Apache-2.0
#include "corbel/corba/policy_set.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "corbel/corba/minor_codes.hpp"

namespace corbel::corba {
namespace {

using PolicyRef = CORBA::object_reference<CORBA::Policy>;
constexpr auto kNo = CORBA::CompletionStatus::COMPLETED_NO;

auto of_type(const CORBA::PolicyList& policies, CORBA::PolicyType type) {
  return std::find_if(policies.begin(), policies.end(),
                      [&](const PolicyRef& policy) { return policy->policy_type() == type; });
}

void check(const CORBA::PolicyList& policies) {
  CORBA::InvalidPolicies::Indices nil;
  for (std::size_t i = 0; i < policies.size(); ++i) {
    if (policies[i] == nullptr) nil.push_back(static_cast<std::uint16_t>(std::min<std::size_t>(i, 0xffff)));
  }
  if (!nil.empty()) throw CORBA::InvalidPolicies(std::move(nil));
  std::vector<CORBA::PolicyType> types;
  types.reserve(policies.size());
  for (const PolicyRef& policy : policies) {
    const CORBA::PolicyType type = policy->policy_type();
    if (!policy->_overrides()) {
      throw CORBA::NO_PERMISSION(0, kNo, "policy " + std::to_string(type) + " cannot override others");
    }
    types.push_back(type);
  }
  std::sort(types.begin(), types.end());
  const auto twice = std::adjacent_find(types.begin(), types.end());
  if (twice != types.end()) {
    throw CORBA::BAD_PARAM(minor::kPolicyTwice, kNo, "two policies of type " + std::to_string(*twice));
  }
}

}  // namespace

PolicySet::PolicySet(CORBA::PolicyList policies) : policies_(std::move(policies)) {
  for (const PolicyRef& policy : policies_) policy->_override(calls_);
}

PolicyRef PolicySet::find(const PolicySetPtr& set, CORBA::PolicyType type) {
  if (set == nullptr) return nullptr;
  const auto found = of_type(set->policies_, type);
  return found == set->policies_.end() ? nullptr : *found;
}

CORBA::PolicyList PolicySet::select(const PolicySetPtr& set, const CORBA::PolicyTypeSeq& types) {
  if (set == nullptr) return {};
  if (types.empty()) return set->policies_;
  CORBA::PolicyList selected;
  for (const PolicyRef& policy : set->policies_) {
    if (std::find(types.begin(), types.end(), policy->policy_type()) != types.end()) selected.push_back(policy);
  }
  return selected;
}

PolicySetPtr PolicySet::changed(const PolicySetPtr& set, const CORBA::PolicyList& policies,
                                CORBA::SetOverrideType how) {
  if (how != CORBA::SetOverrideType::SET_OVERRIDE && how != CORBA::SetOverrideType::ADD_OVERRIDE) {
    throw CORBA::BAD_PARAM(0, kNo, "neither SET_OVERRIDE nor ADD_OVERRIDE");
  }
  check(policies);
  CORBA::PolicyList all = policies;
  if (how == CORBA::SetOverrideType::ADD_OVERRIDE && set != nullptr) {
    for (const PolicyRef& policy : set->policies_) {
      if (of_type(policies, policy->policy_type()) == policies.end()) all.push_back(policy);
    }
  }
  if (all.empty()) return nullptr;
  return base::make_shared<PolicySet>(std::move(all));
}

}  // namespace corbel::corba
