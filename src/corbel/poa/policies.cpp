// SPDX-License-Identifier: Apache-2.0
#include "corbel/poa/policies.hpp"

#include "corbel/orb/no_memory.hpp"
#include "corbel/poa/caller_policy.hpp"
#include "corbel/poa/lane_policy.hpp"
#include "corbel/poa/poa.hpp"

namespace PortableServer {

#define CORBEL_DEFINE_POA_POLICY(NAME, VALUE, ID)                                        \
  IDL::traits<CORBA::Policy>::ref_type NAME::copy() {                                    \
    return CORBA::make_reference<NAME>(value_);                                          \
  }                                                                                      \
  bool NAME::_static_is_a(std::string_view repository_id) const noexcept {               \
    return repository_id == _interface_id || CORBA::Policy::_static_is_a(repository_id); \
  }
CORBEL_POA_POLICIES(CORBEL_DEFINE_POA_POLICY)
#undef CORBEL_DEFINE_POA_POLICY

template <class Policy, class Value>
static CORBA::object_reference<Policy> make_policy(Value value) {
  return corbel::orb::or_no_memory([&] { return CORBA::make_reference<Policy>(value); });
}

IDL::traits<ThreadPolicy>::ref_type POA::create_thread_policy(ThreadPolicyValue value) {
  return make_policy<ThreadPolicy>(value);
}
IDL::traits<LifespanPolicy>::ref_type POA::create_lifespan_policy(LifespanPolicyValue value) {
  return make_policy<LifespanPolicy>(value);
}
IDL::traits<IdUniquenessPolicy>::ref_type POA::create_id_uniqueness_policy(IdUniquenessPolicyValue value) {
  return make_policy<IdUniquenessPolicy>(value);
}
IDL::traits<IdAssignmentPolicy>::ref_type POA::create_id_assignment_policy(IdAssignmentPolicyValue value) {
  return make_policy<IdAssignmentPolicy>(value);
}
IDL::traits<ImplicitActivationPolicy>::ref_type POA::create_implicit_activation_policy(
    ImplicitActivationPolicyValue value) {
  return make_policy<ImplicitActivationPolicy>(value);
}
IDL::traits<ServantRetentionPolicy>::ref_type POA::create_servant_retention_policy(ServantRetentionPolicyValue value) {
  return make_policy<ServantRetentionPolicy>(value);
}
IDL::traits<RequestProcessingPolicy>::ref_type POA::create_request_processing_policy(
    RequestProcessingPolicyValue value) {
  return make_policy<RequestProcessingPolicy>(value);
}

}  // namespace PortableServer

namespace corbel::poa {

IDL::traits<CORBA::Policy>::ref_type LanePolicy::copy() {
  return CORBA::make_reference<LanePolicy>(lane_);
}

bool LanePolicy::_static_is_a(std::string_view repository_id) const noexcept {
  return repository_id == _interface_id || CORBA::Policy::_static_is_a(repository_id);
}

IDL::traits<CORBA::Policy>::ref_type CallerPolicy::copy() {
  return CORBA::make_reference<CallerPolicy>(callers_);
}

bool CallerPolicy::_static_is_a(std::string_view repository_id) const noexcept {
  return repository_id == _interface_id || CORBA::Policy::_static_is_a(repository_id);
}

}  // namespace corbel::poa
