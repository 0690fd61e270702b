// SPDX-License-Identifier: Apache-2.0
#include "corbel/poa/adapter_policies.hpp"

#include <algorithm>
#include <array>

#include "corbel/poa/poa.hpp"

namespace corbel::poa {
namespace {

using namespace PortableServer;  // NOLINT: the names below are all from there

constexpr std::size_t kKinds = 7;
constexpr std::uint16_t kAbsent = 0xffff;

/// Where in the list each kind of policy stands.
using Places = std::array<std::uint16_t, kKinds>;

std::uint16_t place(const Places& places, CORBA::PolicyType type) {
  return places[type - THREAD_POLICY_ID];
}

template <class P>
const P* as(const IDL::traits<CORBA::Policy>::ref_type& policy) {
  return dynamic_cast<const P*>(policy._shared().get());
}

void apply(AdapterPolicies& result, const IDL::traits<CORBA::Policy>::ref_type& policy, std::uint16_t index) {
  if (const auto* thread = as<ThreadPolicy>(policy)) {
    // The ORB has no main thread of its own to run requests on.
    if (thread->value() == ThreadPolicyValue::MAIN_THREAD_MODEL) throw POA::InvalidPolicy(index);
    result.single_thread = thread->value() == ThreadPolicyValue::SINGLE_THREAD_MODEL;
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
    result.processing = processing->value();
  } else {
    throw POA::InvalidPolicy(index);
  }
}

/// Blames the first of the two that the list names.
[[noreturn]] void conflict(const Places& places, CORBA::PolicyType a, CORBA::PolicyType b) {
  throw POA::InvalidPolicy(std::min(place(places, a), place(places, b)));
}

void check(const AdapterPolicies& policies, const Places& places) {
  if (!policies.retain && !policies.use_default_servant() && !policies.use_servant_manager()) {
    conflict(places, SERVANT_RETENTION_POLICY_ID, REQUEST_PROCESSING_POLICY_ID);
  }
  if (policies.use_default_servant() && policies.unique_ids) {
    conflict(places, REQUEST_PROCESSING_POLICY_ID, ID_UNIQUENESS_POLICY_ID);
  }
  if (policies.implicit_activation && !policies.system_ids) {
    conflict(places, IMPLICIT_ACTIVATION_POLICY_ID, ID_ASSIGNMENT_POLICY_ID);
  }
  if (policies.implicit_activation && !policies.retain) {
    conflict(places, IMPLICIT_ACTIVATION_POLICY_ID, SERVANT_RETENTION_POLICY_ID);
  }
}

}  // namespace

AdapterPolicies resolve_policies(const CORBA::PolicyList& list) {
  AdapterPolicies result;
  Places places;
  places.fill(kAbsent);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto index = static_cast<std::uint16_t>(std::min<std::size_t>(i, kAbsent - 1U));
    if (list[i] == nullptr) throw POA::InvalidPolicy(index);
    apply(result, list[i], index);
    std::uint16_t& seen = places[list[i]->policy_type() - THREAD_POLICY_ID];
    if (seen != kAbsent) throw POA::InvalidPolicy(index);
    seen = index;
  }
  check(result, places);
  return result;
}

}  // namespace corbel::poa
