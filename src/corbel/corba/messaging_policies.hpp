// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "corbel/corba/policy.hpp"
#include "corbel/corba/time_base.hpp"

/// Quality of service of calls as policies (CORBA 3.3 part 1, 17.2): of an ORB ("ORBPolicyManager"), of a thread
/// ("PolicyCurrent") or of a reference (`_set_policy_overrides`). Made by ORB::create_policy or by
/// `CORBA::make_reference<Messaging::SyncScopePolicy>(Messaging::SYNC_WITH_TARGET)`.
namespace Messaging {

/// What may be done without a word when a reference cannot be used where it was bound (17.2.1).
using RebindMode = std::int16_t;
inline constexpr RebindMode TRANSPARENT = 0;   ///< new connections, forwards, other profiles
inline constexpr RebindMode NO_REBIND = 1;     ///< new connections to the same place; else REBIND
inline constexpr RebindMode NO_RECONNECT = 2;  ///< nothing

/// What a oneway call waits for (17.2.2).
using SyncScope = std::int16_t;
inline constexpr SyncScope SYNC_NONE = 0;            ///< nothing: what the transport does not take at once is queued
inline constexpr SyncScope SYNC_WITH_TRANSPORT = 1;  ///< the transport has taken the request
inline constexpr SyncScope SYNC_WITH_SERVER = 2;     ///< the server has understood it, and runs the servant now
inline constexpr SyncScope SYNC_WITH_TARGET = 3;     ///< the servant has returned

inline constexpr CORBA::PolicyType REBIND_POLICY_TYPE = 23;
inline constexpr CORBA::PolicyType SYNC_SCOPE_POLICY_TYPE = 24;
inline constexpr CORBA::PolicyType REQUEST_PRIORITY_POLICY_TYPE = 25;
inline constexpr CORBA::PolicyType REPLY_PRIORITY_POLICY_TYPE = 26;
inline constexpr CORBA::PolicyType REQUEST_START_TIME_POLICY_TYPE = 27;
inline constexpr CORBA::PolicyType REQUEST_END_TIME_POLICY_TYPE = 28;
inline constexpr CORBA::PolicyType REPLY_START_TIME_POLICY_TYPE = 29;
inline constexpr CORBA::PolicyType REPLY_END_TIME_POLICY_TYPE = 30;
inline constexpr CORBA::PolicyType RELATIVE_REQ_TIMEOUT_POLICY_TYPE = 31;
inline constexpr CORBA::PolicyType RELATIVE_RT_TIMEOUT_POLICY_TYPE = 32;
inline constexpr CORBA::PolicyType ROUTING_POLICY_TYPE = 33;
inline constexpr CORBA::PolicyType MAX_HOPS_POLICY_TYPE = 34;
inline constexpr CORBA::PolicyType QUEUE_ORDER_POLICY_TYPE = 35;

}  // namespace Messaging

/// Whether servers may call back over the connections that their clients have opened (CORBA 3.3 part 2, 9.8).
namespace BiDirPolicy {
using BidirectionalPolicyValue = std::uint16_t;
inline constexpr BidirectionalPolicyValue NORMAL = 0;
inline constexpr BidirectionalPolicyValue BOTH = 1;
inline constexpr CORBA::PolicyType BIDIRECTIONAL_POLICY_TYPE = 37;
}  // namespace BiDirPolicy

namespace corbel {
/// The number of TAO's policy of the same meaning.
inline constexpr CORBA::PolicyType CONNECTION_TIMEOUT_POLICY_TYPE = 0x54410008;
}  // namespace corbel

/// The policies that calls obey; their constructors throw BAD_PARAM for modes that there are not. Namespace, name, type
/// of the value, name of its attribute, number, repository id.
/// - RebindPolicy, SyncScopePolicy: above. TRANSPARENT and -ORBSyncScope unless set.
/// - RequestEndTimePolicy, ReplyEndTimePolicy: when the request must have left, the reply be there (17.2.4). TIMEOUT.
/// - RelativeRequestTimeoutPolicy: the same as a time from the call's beginning, 0 being none.
/// - RelativeRoundtripTimeoutPolicy: the longest time of a whole call, all attempts included; 0: unbounded.
///   -ORBCallTimeout unless set. Where several limit a call, the earliest does.
/// - ConnectionTimeoutPolicy: the longest time of an attempt to connect; 0: unbounded. -ORBConnectTimeout unless set.
/// - BidirectionalPolicy, which no call obeys. An object adapter with BOTH answers over the connections that its ORB
///   has opened, and the ORB lets its clients' servers know. An ORB with BOTH ("ORBPolicyManager"), or with such an
///   adapter, uses the connections that its clients lend (docs/bidirectional.md). Of an ORB, NORMAL forbids both.
#define CORBEL_CLIENT_POLICIES(X)                                                                                 \
  X(Messaging, RebindPolicy, RebindMode, rebind_mode, REBIND_POLICY_TYPE, "omg.org/Messaging/RebindPolicy")       \
  X(Messaging, SyncScopePolicy, SyncScope, synchronization, SYNC_SCOPE_POLICY_TYPE,                               \
    "omg.org/Messaging/SyncScopePolicy")                                                                          \
  X(Messaging, RequestEndTimePolicy, TimeBase::UtcT, end_time, REQUEST_END_TIME_POLICY_TYPE,                      \
    "omg.org/Messaging/RequestEndTimePolicy")                                                                     \
  X(Messaging, ReplyEndTimePolicy, TimeBase::UtcT, end_time, REPLY_END_TIME_POLICY_TYPE,                          \
    "omg.org/Messaging/ReplyEndTimePolicy")                                                                       \
  X(Messaging, RelativeRequestTimeoutPolicy, TimeBase::TimeT, relative_expiry, RELATIVE_REQ_TIMEOUT_POLICY_TYPE,  \
    "omg.org/Messaging/RelativeRequestTimeoutPolicy")                                                             \
  X(Messaging, RelativeRoundtripTimeoutPolicy, TimeBase::TimeT, relative_expiry, RELATIVE_RT_TIMEOUT_POLICY_TYPE, \
    "omg.org/Messaging/RelativeRoundtripTimeoutPolicy")                                                           \
  X(corbel, ConnectionTimeoutPolicy, TimeBase::TimeT, relative_expiry, CONNECTION_TIMEOUT_POLICY_TYPE,            \
    "corbel.org/ConnectionTimeoutPolicy")                                                                         \
  X(BiDirPolicy, BidirectionalPolicy, BidirectionalPolicyValue, value, BIDIRECTIONAL_POLICY_TYPE,                 \
    "omg.org/BiDirPolicy/BidirectionalPolicy")

#define CORBEL_DECLARE_CLIENT_POLICY(SPACE, NAME, VALUE, ATTRIBUTE, TYPE, ID)           \
  namespace SPACE {                                                                     \
  class CORBEL_API NAME final : public CORBA::Policy {                                  \
   public:                                                                              \
    static constexpr std::string_view _interface_id = "IDL:" ID ":1.0";                 \
    explicit NAME(const VALUE& value);                                                  \
    VALUE ATTRIBUTE() const { return value_; }                                          \
    CORBA::PolicyType policy_type() override { return TYPE; }                           \
    IDL::traits<CORBA::Policy>::ref_type copy() override;                               \
    bool _static_is_a(std::string_view repository_id) const noexcept override;          \
    void _override(corbel::policy::ClientOverrides& overrides) const noexcept override; \
                                                                                        \
   private:                                                                             \
    VALUE value_;                                                                       \
  };                                                                                    \
  }                                                                                     \
  template <>                                                                           \
  struct IDL::traits<SPACE::NAME> : corbel::corba::LocalTraits<SPACE::NAME> {};
CORBEL_CLIENT_POLICIES(CORBEL_DECLARE_CLIENT_POLICY)
#undef CORBEL_DECLARE_CLIENT_POLICY
