// SPDX-License-Identifier: Apache-2.0
#include "corbel/poa/policy_lists.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "corbel/corba/messaging_policies.hpp"
#include "corbel/orb/hooks.hpp"
#include "corbel/poa/poa.hpp"

namespace corbel::poa {
namespace {

using namespace PortableServer;  // NOLINT: the names below are all from there

constexpr std::size_t kKinds = 10;
constexpr std::uint16_t kAbsent = 0xffff;

/// Where in the list each kind of policy stands.
using Places = std::array<std::uint16_t, kKinds>;

std::size_t kind(CORBA::PolicyType type) {
  if (type == BiDirPolicy::BIDIRECTIONAL_POLICY_TYPE) return kKinds - 2;
  if (type == kCallerPolicy) return kKinds - 3;
  return type == kLanePolicy ? kKinds - 1 : type - THREAD_POLICY_ID;
}

std::uint16_t place(const Places& places, CORBA::PolicyType type) {
  return places[kind(type)];
}

template <class P>
const P* as(const IDL::traits<CORBA::Policy>::ref_type& policy) {
  return dynamic_cast<const P*>(policy._shared().get());
}

void apply(AdapterPolicies& result, const IDL::traits<CORBA::Policy>::ref_type& policy, std::uint16_t index) {
  if (const auto* thread = as<ThreadPolicy>(policy)) {
    result.threads = static_cast<AdapterPolicies::Threads>(thread->value());
  } else if (const auto* lifespan = as<LifespanPolicy>(policy)) {
    result.persistent = lifespan->value() == LifespanPolicyValue::PERSISTENT;
  } else if (const auto* uniqueness = as<IdUniquenessPolicy>(policy)) {
    result.unique_ids = uniqueness->value() == IdUniquenessPolicyValue::UNIQUE_ID;
  } else if (const auto* assignment = as<IdAssignmentPolicy>(policy)) {
    result.system_ids = assignment->value() == IdAssignmentPolicyValue::SYSTEM_ID;
  } else if (const auto* activation = as<ImplicitActivationPolicy>(policy)) {
    result.implicit_activation = activation->value() == ImplicitActivationPolicyValue::IMPLICIT_ACTIVATION;
  } else if (const auto* retention = as<ServantRetentionPolicy>(policy)) {
    result.retain = retention->value() == ServantRetentionPolicyValue::RETAIN;
  } else if (const auto* processing = as<RequestProcessingPolicy>(policy)) {
    result.processing = static_cast<AdapterPolicies::Processing>(processing->value());
  } else if (const auto* both = as<BiDirPolicy::BidirectionalPolicy>(policy)) {
    result.both_ways = both->value() == BiDirPolicy::BOTH;
  } else if (const auto* lane = as<LanePolicy>(policy)) {
    result.lane = lane->lane();
    result.lane_index = index;
  } else if (const auto* callers = as<CallerPolicy>(policy)) {
    if (!callers->callers().is_sound()) throw POA::InvalidPolicy(index);
    result.callers = std::make_shared<const Callers>(callers->callers());
  } else {
    throw POA::InvalidPolicy(index);
  }
}

/// Blames the first of the list that another one, or a default, rules out (CORBA 3.3 part 1, 15.3.8).
void check(const AdapterPolicies& policies, const Places& places) {
  std::uint16_t blamed = kAbsent;
  const auto exclude = [&](bool conflict, CORBA::PolicyType a, CORBA::PolicyType b) {
    if (conflict) blamed = std::min({blamed, place(places, a), place(places, b)});
  };
  const bool map_only = !policies.use_default_servant() && !policies.use_servant_manager();
  exclude(!policies.retain && map_only, SERVANT_RETENTION_POLICY_ID, REQUEST_PROCESSING_POLICY_ID);
  exclude(policies.use_default_servant() && policies.unique_ids, REQUEST_PROCESSING_POLICY_ID, ID_UNIQUENESS_POLICY_ID);
  exclude(policies.implicit_activation && !policies.system_ids, IMPLICIT_ACTIVATION_POLICY_ID, ID_ASSIGNMENT_POLICY_ID);
  exclude(policies.implicit_activation && !policies.retain, IMPLICIT_ACTIVATION_POLICY_ID, SERVANT_RETENTION_POLICY_ID);
  if (blamed != kAbsent) throw POA::InvalidPolicy(blamed);
}

}  // namespace

AdapterPolicies resolve_policies(const CORBA::PolicyList& list, const orb::CallHooks* hooks) {
  AdapterPolicies result;
  Places places;
  places.fill(kAbsent);
  struct Chosen {
    std::string lane;
    std::uint16_t index;
    std::shared_ptr<const LaneGroup> group;
  };
  std::optional<Chosen> chosen;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto index = static_cast<std::uint16_t>(std::min<std::size_t>(i, kAbsent - 1U));
    if (list[i] == nullptr) throw POA::InvalidPolicy(index);
    if (const auto type = list[i]->policy_type(); hooks != nullptr && hooks->takes_policy(type)) {
      const auto is_of_type = [&](const auto& other) { return other->_type() == type; };
      if (std::any_of(result.others.begin(), result.others.end(), is_of_type)) throw POA::InvalidPolicy(index);
      result.others.push_back(list[i]._shared());
      if (const auto* const chooser = as<ChoosesLane>(list[i])) {
        auto lane = chooser->choose_lane(list);
        if (!lane) throw POA::InvalidPolicy(index);
        chosen = Chosen{*std::move(lane), index, chooser->lane_group(list)};
      }
      if (const auto* const selector = as<SelectsProfiles>(list[i])) result.selectors.push_back(selector);
      continue;
    }
    apply(result, list[i], index);
    std::uint16_t& seen = places[kind(list[i]->policy_type())];
    if (seen != kAbsent) throw POA::InvalidPolicy(index);
    seen = index;
  }
  check(result, places);
  if (chosen) {
    if (place(places, kLanePolicy) != kAbsent) throw POA::InvalidPolicy(chosen->index);
    result.lane = std::move(chosen->lane);
    result.lane_index = chosen->index;
    result.lane_group = std::move(chosen->group);
  }
  return result;
}

corba::PolicyCorePtr make_policy(const AdapterPolicies& policies, std::uint32_t type) {
  using namespace PortableServer;
  switch (type) {
    case THREAD_POLICY_ID:
      return CORBA::make_reference<ThreadPolicy>(static_cast<ThreadPolicyValue>(policies.threads))._shared();
    case LIFESPAN_POLICY_ID:
      return CORBA::make_reference<LifespanPolicy>(policies.persistent ? LifespanPolicyValue::PERSISTENT
                                                                       : LifespanPolicyValue::TRANSIENT)
          ._shared();
    case ID_UNIQUENESS_POLICY_ID:
      return CORBA::make_reference<IdUniquenessPolicy>(policies.unique_ids ? IdUniquenessPolicyValue::UNIQUE_ID
                                                                           : IdUniquenessPolicyValue::MULTIPLE_ID)
          ._shared();
    case ID_ASSIGNMENT_POLICY_ID:
      return CORBA::make_reference<IdAssignmentPolicy>(policies.system_ids ? IdAssignmentPolicyValue::SYSTEM_ID
                                                                           : IdAssignmentPolicyValue::USER_ID)
          ._shared();
    case IMPLICIT_ACTIVATION_POLICY_ID:
      return CORBA::make_reference<ImplicitActivationPolicy>(
                 policies.implicit_activation ? ImplicitActivationPolicyValue::IMPLICIT_ACTIVATION
                                              : ImplicitActivationPolicyValue::NO_IMPLICIT_ACTIVATION)
          ._shared();
    case SERVANT_RETENTION_POLICY_ID:
      return CORBA::make_reference<ServantRetentionPolicy>(policies.retain ? ServantRetentionPolicyValue::RETAIN
                                                                           : ServantRetentionPolicyValue::NON_RETAIN)
          ._shared();
    case REQUEST_PROCESSING_POLICY_ID:
      return CORBA::make_reference<RequestProcessingPolicy>(
                 static_cast<RequestProcessingPolicyValue>(policies.processing))
          ._shared();
    case BiDirPolicy::BIDIRECTIONAL_POLICY_TYPE:
      return CORBA::make_reference<BiDirPolicy::BidirectionalPolicy>(policies.both_ways ? BiDirPolicy::BOTH
                                                                                        : BiDirPolicy::NORMAL)
          ._shared();
    default:
      break;
  }
  for (const auto& other : policies.others) {
    if (other->_type() == type) return other;
  }
  return nullptr;
}

}  // namespace corbel::poa
