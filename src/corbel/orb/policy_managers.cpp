// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/policy_managers.hpp"

#include <optional>

#include "corbel/corba/messaging_policies.hpp"
#include "corbel/corba/policy_lists.hpp"
#include "corbel/orb/face.hpp"
#include "corbel/orb/orb.hpp"

namespace corbel::orb {
namespace {

using corba::PolicySet;

class OrbPolicies final : public CORBA::PolicyManager {
 public:
  explicit OrbPolicies(Core& core) : core_(core), orb_(face_of(core).orb()) {}

  CORBA::PolicyList get_policy_overrides(const CORBA::PolicyTypeSeq& ts) override {
    return corba::policies_of(PolicySet::select(core_.policies().of_orb(), ts));
  }
  void set_policy_overrides(const CORBA::PolicyList& policies, CORBA::SetOverrideType set_add) override {
    core_.check_not_destroyed();
    const corba::PolicyChange change(policies, set_add, true);
    core_.policies().change_orb(change.policies, change.how);
    const auto both = PolicySet::find(core_.policies().of_orb(), BiDirPolicy::BIDIRECTIONAL_POLICY_TYPE);
    const auto* policy = dynamic_cast<const BiDirPolicy::BidirectionalPolicy*>(both.get());
    core_.bidirectional().set_policy(policy == nullptr ? std::nullopt
                                                       : std::optional(policy->value() == BiDirPolicy::BOTH));
  }

 private:
  Core& core_;
  const CORBA::object_reference<CORBA::ORB> orb_;  // keeps core_ alive
};

class ThreadPolicies final : public CORBA::PolicyCurrent {
 public:
  explicit ThreadPolicies(Core& core) : core_(core), orb_(face_of(core).orb()) {}

  CORBA::PolicyList get_policy_overrides(const CORBA::PolicyTypeSeq& ts) override {
    return corba::policies_of(PolicySet::select(core_.policies().of_thread(), ts));
  }
  void set_policy_overrides(const CORBA::PolicyList& policies, CORBA::SetOverrideType set_add) override {
    core_.check_not_destroyed();
    const corba::PolicyChange change(policies, set_add);
    core_.policies().change_thread(change.policies, change.how);
  }

 private:
  Core& core_;
  const CORBA::object_reference<CORBA::ORB> orb_;  // keeps core_ alive
};

}  // namespace

CORBA::object_reference<CORBA::Object> make_policy_manager(corba::OrbContext& orb) {
  return CORBA::make_reference<OrbPolicies>(static_cast<Face&>(orb).core());
}

CORBA::object_reference<CORBA::Object> make_policy_current(corba::OrbContext& orb) {
  return CORBA::make_reference<ThreadPolicies>(static_cast<Face&>(orb).core());
}

}  // namespace corbel::orb
