// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/corba/policy.hpp"

/// Policies of object adapters (CORBA 3.3 part 1, 15.3.8). The factories are operations of PortableServer::POA.
namespace PortableServer {

inline constexpr CORBA::PolicyType THREAD_POLICY_ID = 16;
inline constexpr CORBA::PolicyType LIFESPAN_POLICY_ID = 17;
inline constexpr CORBA::PolicyType ID_UNIQUENESS_POLICY_ID = 18;
inline constexpr CORBA::PolicyType ID_ASSIGNMENT_POLICY_ID = 19;
inline constexpr CORBA::PolicyType IMPLICIT_ACTIVATION_POLICY_ID = 20;
inline constexpr CORBA::PolicyType SERVANT_RETENTION_POLICY_ID = 21;
inline constexpr CORBA::PolicyType REQUEST_PROCESSING_POLICY_ID = 22;

/// SINGLE_THREAD_MODEL: the application is called by one thread at a time. MAIN_THREAD_MODEL: on the first thread in
/// ORB::run, which then does nothing else, or in ORB::perform_work; before there is one, also on the thread that the
/// process began with, for its own calls. Requests wait for it as long as for a manager (-ORBHoldTimeout), then
/// TRANSIENT.
enum class ThreadPolicyValue : std::uint32_t { ORB_CTRL_MODEL, SINGLE_THREAD_MODEL, MAIN_THREAD_MODEL };
enum class LifespanPolicyValue : std::uint32_t { TRANSIENT, PERSISTENT };
enum class IdUniquenessPolicyValue : std::uint32_t { UNIQUE_ID, MULTIPLE_ID };
enum class IdAssignmentPolicyValue : std::uint32_t { USER_ID, SYSTEM_ID };
enum class ImplicitActivationPolicyValue : std::uint32_t { IMPLICIT_ACTIVATION, NO_IMPLICIT_ACTIVATION };
enum class ServantRetentionPolicyValue : std::uint32_t { RETAIN, NON_RETAIN };
enum class RequestProcessingPolicyValue : std::uint32_t {
  USE_ACTIVE_OBJECT_MAP_ONLY,
  USE_DEFAULT_SERVANT,
  USE_SERVANT_MANAGER,
};

#define CORBEL_POA_POLICIES(X)                                                              \
  X(ThreadPolicy, ThreadPolicyValue, THREAD_POLICY_ID)                                      \
  X(LifespanPolicy, LifespanPolicyValue, LIFESPAN_POLICY_ID)                                \
  X(IdUniquenessPolicy, IdUniquenessPolicyValue, ID_UNIQUENESS_POLICY_ID)                   \
  X(IdAssignmentPolicy, IdAssignmentPolicyValue, ID_ASSIGNMENT_POLICY_ID)                   \
  X(ImplicitActivationPolicy, ImplicitActivationPolicyValue, IMPLICIT_ACTIVATION_POLICY_ID) \
  X(ServantRetentionPolicy, ServantRetentionPolicyValue, SERVANT_RETENTION_POLICY_ID)       \
  X(RequestProcessingPolicy, RequestProcessingPolicyValue, REQUEST_PROCESSING_POLICY_ID)

#define CORBEL_DECLARE_POA_POLICY(NAME, VALUE, ID)                                                \
  class CORBEL_API NAME final : public CORBA::Policy {                                            \
   public:                                                                                        \
    static constexpr std::string_view _interface_id = "IDL:omg.org/PortableServer/" #NAME ":1.0"; \
    explicit NAME(VALUE value) : value_(value) {}                                                 \
    VALUE value() const noexcept { return value_; }                                               \
    CORBA::PolicyType policy_type() override { return ID; }                                       \
    IDL::traits<CORBA::Policy>::ref_type copy() override;                                         \
    bool _overrides() const noexcept override { return false; }                                   \
    bool _static_is_a(std::string_view repository_id) const noexcept override;                    \
                                                                                                  \
   private:                                                                                       \
    VALUE value_;                                                                                 \
  };
CORBEL_POA_POLICIES(CORBEL_DECLARE_POA_POLICY)
#undef CORBEL_DECLARE_POA_POLICY

}  // namespace PortableServer

#define CORBEL_POA_POLICY_TRAITS(NAME, VALUE, ID) \
  template <>                                     \
  struct IDL::traits<PortableServer::NAME> : corbel::corba::LocalTraits<PortableServer::NAME> {};
CORBEL_POA_POLICIES(CORBEL_POA_POLICY_TRAITS)
#undef CORBEL_POA_POLICY_TRAITS
