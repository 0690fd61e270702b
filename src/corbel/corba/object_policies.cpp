// SPDX-License-Identifier: Apache-2.0
// The operations of references that concern policies, and how calls go.
#include <string>
#include <utility>

#include "corbel/corba/minor_codes.hpp"
#include "corbel/corba/policy_lists.hpp"
#include "corbel/corba/servant.hpp"

namespace CORBA {
namespace {

/// A stub for an object whose interface is not known yet.
class UntypedObject final : public Object {};

corbel::corba::Target& target_of(const corbel::corba::TargetPtr& target) {
  if (target == nullptr) throw NO_IMPLEMENT(corbel::corba::minor::kNotForLocalObjects);
  return *target;
}

}  // namespace

object_reference<Object> Object::_set_policy_overrides(const PolicyList& policies, SetOverrideType set_add) {
  const auto& target = target_of(target_);
  auto object = make_reference<UntypedObject>();
  const corbel::corba::PolicyChange change(policies, set_add);
  object->_bind(
      target.with_overrides(corbel::corba::PolicySet::changed(target.overrides(), change.policies, change.how)));
  return object;
}

object_reference<Object> Object::_called_directly() const {
  auto direct = target_ == nullptr ? nullptr : target_->called_directly();
  if (direct == nullptr) return nullptr;
  auto object = make_reference<UntypedObject>();
  object->_bind(std::move(direct));
  return object;
}

PolicyList Object::_get_policy_overrides(const PolicyTypeSeq& types) {
  return corbel::corba::policies_of(corbel::corba::PolicySet::select(target_of(target_).overrides(), types));
}

object_reference<Policy> Object::_get_client_policy(PolicyType type) {
  return corbel::corba::policy_of(target_of(target_).policy(type));
}

object_reference<Policy> Object::_get_policy(PolicyType type) {
  auto policy = corbel::corba::policy_of(target_of(target_).policy(type));
  if (policy == nullptr) {
    throw INV_POLICY(corbel::corba::minor::kInvalidPolicyType, CompletionStatus::COMPLETED_NO,
                     "no policy of type " + std::to_string(type));
  }
  return policy;
}

bool Object::_validate_connection(PolicyList& inconsistent_policies) {
  inconsistent_policies.clear();
  auto& target = target_of(target_);
  try {
    target.rebind();
    return true;
  } catch (const INV_POLICY&) {
    inconsistent_policies = corbel::corba::policies_of(target.unfit_policies());
    return false;
  }
}

}  // namespace CORBA

namespace corbel::corba {
namespace {

CORBA::NO_IMPLEMENT no_policies() {
  return CORBA::NO_IMPLEMENT(0, CORBA::CompletionStatus::COMPLETED_NO, "no policies for this kind of object");
}

}  // namespace

PolicySetPtr Target::overrides() const {
  return nullptr;
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): targets that have policies keep it
TargetPtr Target::with_overrides(PolicySetPtr) const {
  throw no_policies();
}

PolicyCorePtr Target::policy(std::uint32_t) {
  throw no_policies();
}

void Target::rebind() {
  throw no_policies();
}

}  // namespace corbel::corba
