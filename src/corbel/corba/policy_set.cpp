// SPDX-License-Identifier: Apache-2.0
#include "corbel/corba/policy_set.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "corbel/corba/failure.hpp"
#include "corbel/corba/minor_codes.hpp"

namespace corbel::corba {
namespace {

auto of_type(const PolicyCores& policies, std::uint32_t type) {
  return std::find_if(policies.begin(), policies.end(),
                      [&](const PolicyCorePtr& policy) { return policy->_type() == type; });
}

void check(const PolicyCores& policies) {
  std::vector<std::uint32_t> types;
  types.reserve(policies.size());
  for (const PolicyCorePtr& policy : policies) {
    const std::uint32_t type = policy->_type();
    if (!policy->_overrides()) {
      raise("NO_PERMISSION", 0, Completed::no, "policy " + std::to_string(type) + " cannot override others");
    }
    types.push_back(type);
  }
  std::sort(types.begin(), types.end());
  const auto twice = std::adjacent_find(types.begin(), types.end());
  if (twice != types.end()) {
    raise("BAD_PARAM", minor::kPolicyTwice, Completed::no, "two policies of type " + std::to_string(*twice));
  }
}

}  // namespace

PolicySet::PolicySet(PolicyCores policies) : policies_(std::move(policies)) {
  for (const PolicyCorePtr& policy : policies_) policy->_override(calls_);
}

PolicyCorePtr PolicySet::find(const PolicySetPtr& set, std::uint32_t type) {
  if (set == nullptr) return nullptr;
  const auto found = of_type(set->policies_, type);
  return found == set->policies_.end() ? nullptr : *found;
}

PolicyCores PolicySet::select(const PolicySetPtr& set, std::span<const std::uint32_t> types) {
  if (set == nullptr) return {};
  if (types.empty()) return set->policies_;
  PolicyCores selected;
  for (const PolicyCorePtr& policy : set->policies_) {
    if (std::find(types.begin(), types.end(), policy->_type()) != types.end()) selected.push_back(policy);
  }
  return selected;
}

PolicySetPtr PolicySet::changed(const PolicySetPtr& set, const PolicyCores& policies, Change how) {
  check(policies);
  PolicyCores all = policies;
  if (how == Change::add && set != nullptr) {
    for (const PolicyCorePtr& policy : set->policies_) {
      if (of_type(policies, policy->_type()) == policies.end()) all.push_back(policy);
    }
  }
  if (all.empty()) return nullptr;
  return base::make_shared<PolicySet>(std::move(all));
}

}  // namespace corbel::corba
