// SPDX-License-Identifier: Apache-2.0
#include "corbel/corba/messaging_policies.hpp"

#include <string>
#include <type_traits>

#include "corbel/corba/exception.hpp"
#include "corbel/corba/servant.hpp"
#include "corbel/policy/client_policies.hpp"

namespace corbel {
namespace {

using policy::ClientOverrides;

policy::Rebind rebind_of(Messaging::RebindMode mode) noexcept {
  return mode == Messaging::TRANSPARENT ? policy::Rebind::transparent
         : mode == Messaging::NO_REBIND ? policy::Rebind::no_rebind
                                        : policy::Rebind::no_reconnect;
}

policy::SyncScope scope_of(Messaging::SyncScope scope) noexcept {
  return scope == Messaging::SYNC_NONE             ? policy::SyncScope::none
         : scope == Messaging::SYNC_WITH_TRANSPORT ? policy::SyncScope::with_transport
         : scope == Messaging::SYNC_WITH_SERVER    ? policy::SyncScope::with_server
                                                   : policy::SyncScope::with_target;
}

/// Modes are numbers of 16 bits; of other values all are legal.
template <class V>
void check_mode([[maybe_unused]] CORBA::PolicyType type, [[maybe_unused]] const V& value) {
  if constexpr (std::is_integral_v<V> && sizeof(V) == 2) {
    const int most = type == Messaging::SYNC_SCOPE_POLICY_TYPE ? int{Messaging::SYNC_WITH_TARGET}
                     : type == Messaging::REBIND_POLICY_TYPE   ? int{Messaging::NO_RECONNECT}
                                                               : int{BiDirPolicy::BOTH};
    if (value >= 0 && value <= most) return;
    throw CORBA::BAD_PARAM(0, CORBA::CompletionStatus::COMPLETED_NO,
                           "a policy's value is " + std::to_string(value) + ", of 0 to " + std::to_string(most));
  }
}

}  // namespace

void ConnectionTimeoutPolicy::_override(ClientOverrides& overrides) const noexcept {
  overrides.connect = policy::duration_of(value_);
}

}  // namespace corbel

namespace Messaging {

using corbel::policy::ClientOverrides;

void RebindPolicy::_override(ClientOverrides& overrides) const noexcept {
  overrides.rebind = corbel::rebind_of(value_);
}
void SyncScopePolicy::_override(ClientOverrides& overrides) const noexcept {
  overrides.sync_scope = corbel::scope_of(value_);
}
void RequestEndTimePolicy::_override(ClientOverrides& overrides) const noexcept {
  overrides.request_end = value_.time();
}
void ReplyEndTimePolicy::_override(ClientOverrides& overrides) const noexcept {
  overrides.reply_end = value_.time();
}
void RelativeRequestTimeoutPolicy::_override(ClientOverrides& overrides) const noexcept {
  overrides.request = corbel::policy::duration_of(value_);
}
void RelativeRoundtripTimeoutPolicy::_override(ClientOverrides& overrides) const noexcept {
  overrides.round_trip = corbel::policy::duration_of(value_);
}

}  // namespace Messaging

namespace BiDirPolicy {

void BidirectionalPolicy::_override(corbel::policy::ClientOverrides&) const noexcept {}

}  // namespace BiDirPolicy

#define CORBEL_DEFINE_CLIENT_POLICY(SPACE, NAME, VALUE, ATTRIBUTE, TYPE, ID)             \
  namespace SPACE {                                                                      \
  NAME::NAME(const VALUE& value) : value_(value) {                                       \
    corbel::check_mode(TYPE, value);                                                     \
  }                                                                                      \
  IDL::traits<CORBA::Policy>::ref_type NAME::copy() {                                    \
    return CORBA::make_reference<NAME>(value_);                                          \
  }                                                                                      \
  bool NAME::_static_is_a(std::string_view repository_id) const noexcept {               \
    return repository_id == _interface_id || CORBA::Policy::_static_is_a(repository_id); \
  }                                                                                      \
  }
CORBEL_CLIENT_POLICIES(CORBEL_DEFINE_CLIENT_POLICY)
#undef CORBEL_DEFINE_CLIENT_POLICY
