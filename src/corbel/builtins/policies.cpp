// SPDX-License-Identifier: Apache-2.0
// The policies that ORB::create_policy makes.
#include "corbel/corba/messaging_policies.hpp"
#include "corbel/corba/transport_policy.hpp"
#include "corbel/dynamic/any.hpp"
#include "corbel/dynamic/buffering_types.hpp"
#include "corbel/dynamic/messaging_types.hpp"
#include "corbel/dynamic/portable_server_types.hpp"
#include "corbel/interceptors/processing_mode.hpp"
#include "corbel/interceptors/references.hpp"
#include "corbel/orb/core.hpp"
#include "corbel/orb/orb.hpp"

namespace CORBA {
namespace {

using PolicyRef = IDL::traits<Policy>::ref_type;

/// What the Any holds; throws if that is something else.
template <class T>
T value_in(const Any& any) {
  T value{};
  if (!(any >>= value)) throw PolicyError(BAD_POLICY_TYPE);
  return value;
}

template <class P, class T>
PolicyRef make(const Any& any) {
  return make_reference<P>(value_in<T>(any));
}

/// Of a value from 0 to `most`.
template <class P>
PolicyRef make_mode(const Any& any, std::int16_t most) {
  const auto mode = value_in<std::int16_t>(any);
  if (mode < 0 || mode > most) throw PolicyError(BAD_POLICY_VALUE);
  return make_reference<P>(mode);
}

PolicyRef make_buffering_policy(const Any& any) {
  const auto constraint = value_in<corbel::BufferingConstraint>(any);
  if (!corbel::BufferingConstraintPolicy::is_mode(constraint.mode())) throw PolicyError(BAD_POLICY_VALUE);
  return make_reference<corbel::BufferingConstraintPolicy>(constraint);
}

PolicyRef make_transport_policy(const Any& any) {
  try {
    return make_reference<corbel::TransportOptionsPolicy>(
        corbel::TransportOptionsPolicy::parse(value_in<std::string>(any)));
  } catch (const BAD_PARAM&) {
    throw PolicyError(BAD_POLICY_VALUE);
  }
}

PolicyRef make_client_policy(PolicyType type, const Any& any) {
  switch (type) {
    case Messaging::REBIND_POLICY_TYPE:
      return make_mode<Messaging::RebindPolicy>(any, Messaging::NO_RECONNECT);
    case Messaging::SYNC_SCOPE_POLICY_TYPE:
      return make_mode<Messaging::SyncScopePolicy>(any, Messaging::SYNC_WITH_TARGET);
    case Messaging::REQUEST_END_TIME_POLICY_TYPE:
      return make<Messaging::RequestEndTimePolicy, TimeBase::UtcT>(any);
    case Messaging::REPLY_END_TIME_POLICY_TYPE:
      return make<Messaging::ReplyEndTimePolicy, TimeBase::UtcT>(any);
    case Messaging::RELATIVE_REQ_TIMEOUT_POLICY_TYPE:
      return make<Messaging::RelativeRequestTimeoutPolicy, TimeBase::TimeT>(any);
    case Messaging::RELATIVE_RT_TIMEOUT_POLICY_TYPE:
      return make<Messaging::RelativeRoundtripTimeoutPolicy, TimeBase::TimeT>(any);
    case corbel::CONNECTION_TIMEOUT_POLICY_TYPE:
      return make<corbel::ConnectionTimeoutPolicy, TimeBase::TimeT>(any);
    case BiDirPolicy::BIDIRECTIONAL_POLICY_TYPE: {
      const auto value = value_in<std::uint16_t>(any);
      if (value > BiDirPolicy::BOTH) throw PolicyError(BAD_POLICY_VALUE);
      return make_reference<BiDirPolicy::BidirectionalPolicy>(value);
    }
    case PortableInterceptor::PROCESSING_MODE_POLICY_TYPE:
      return make_mode<PortableInterceptor::ProcessingModePolicy>(any, PortableInterceptor::LOCAL_ONLY);
    case corbel::BUFFERING_CONSTRAINT_POLICY_TYPE:
      return make_buffering_policy(any);
    case corbel::TRANSPORT_OPTIONS_POLICY_TYPE:
      return make_transport_policy(any);
    default:
      return nullptr;
  }
}

PolicyRef make_adapter_policy(PolicyType type, const Any& any) {
#define CORBEL_MAKE_POLICY(NAME, VALUE, ID) \
  if (type == PortableServer::ID) return make<PortableServer::NAME, PortableServer::VALUE>(any);
  CORBEL_POA_POLICIES(CORBEL_MAKE_POLICY)
#undef CORBEL_MAKE_POLICY
  return nullptr;
}

/// True for policies of the standard's modules Messaging, RTCORBA, FT and ZIOP.
bool is_known(PolicyType type) {
  return (type >= Messaging::REBIND_POLICY_TYPE && type <= Messaging::QUEUE_ORDER_POLICY_TYPE) ||
         (type >= 40 && type <= 45) || (type >= 47 && type <= 49) || (type >= 64 && type <= 67);
}

}  // namespace

PolicyRef ORB::create_policy(PolicyType type, const Any& value) {
  _core().check_not_destroyed();
  if (auto policy = make_client_policy(type, value); policy != nullptr) return policy;
  if (auto policy = make_adapter_policy(type, value); policy != nullptr) return policy;
  if (auto policy = corbel::interceptors::make_policy(_core(), type, value); policy != nullptr) return policy;
  throw PolicyError(is_known(type) ? UNSUPPORTED_POLICY : BAD_POLICY);
}

}  // namespace CORBA
