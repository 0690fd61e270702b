// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/dynamic/library_types.hpp"
#include "corbel/poa/poa.hpp"

/// Module PortableServer as IDL uses it: its enums and exceptions travel, its local interfaces and natives cannot.
CORBEL_LIBRARY_ENUM(PortableServer, ThreadPolicyValue, "PortableServer/ThreadPolicyValue", "ThreadPolicyValue",
                    "ORB_CTRL_MODEL", "SINGLE_THREAD_MODEL", "MAIN_THREAD_MODEL")
CORBEL_LIBRARY_ENUM(PortableServer, LifespanPolicyValue, "PortableServer/LifespanPolicyValue", "LifespanPolicyValue",
                    "TRANSIENT", "PERSISTENT")
CORBEL_LIBRARY_ENUM(PortableServer, IdUniquenessPolicyValue, "PortableServer/IdUniquenessPolicyValue",
                    "IdUniquenessPolicyValue", "UNIQUE_ID", "MULTIPLE_ID")
CORBEL_LIBRARY_ENUM(PortableServer, IdAssignmentPolicyValue, "PortableServer/IdAssignmentPolicyValue",
                    "IdAssignmentPolicyValue", "USER_ID", "SYSTEM_ID")
CORBEL_LIBRARY_ENUM(PortableServer, ImplicitActivationPolicyValue, "PortableServer/ImplicitActivationPolicyValue",
                    "ImplicitActivationPolicyValue", "IMPLICIT_ACTIVATION", "NO_IMPLICIT_ACTIVATION")
CORBEL_LIBRARY_ENUM(PortableServer, ServantRetentionPolicyValue, "PortableServer/ServantRetentionPolicyValue",
                    "ServantRetentionPolicyValue", "RETAIN", "NON_RETAIN")
CORBEL_LIBRARY_ENUM(PortableServer, RequestProcessingPolicyValue, "PortableServer/RequestProcessingPolicyValue",
                    "RequestProcessingPolicyValue", "USE_ACTIVE_OBJECT_MAP_ONLY", "USE_DEFAULT_SERVANT",
                    "USE_SERVANT_MANAGER")
CORBEL_LIBRARY_ENUM(PortableServer, POAManager::State, "PortableServer/POAManager/State", "State", "HOLDING", "ACTIVE",
                    "DISCARDING", "INACTIVE")

CORBEL_LIBRARY_EXCEPTION(PortableServer::POA::AdapterAlreadyExists, "AdapterAlreadyExists")
CORBEL_LIBRARY_EXCEPTION(PortableServer::POA::AdapterNonExistent, "AdapterNonExistent")
CORBEL_LIBRARY_EXCEPTION(PortableServer::POA::NoServant, "NoServant")
CORBEL_LIBRARY_EXCEPTION(PortableServer::POA::ObjectAlreadyActive, "ObjectAlreadyActive")
CORBEL_LIBRARY_EXCEPTION(PortableServer::POA::ObjectNotActive, "ObjectNotActive")
CORBEL_LIBRARY_EXCEPTION(PortableServer::POA::ServantAlreadyActive, "ServantAlreadyActive")
CORBEL_LIBRARY_EXCEPTION(PortableServer::POA::ServantNotActive, "ServantNotActive")
CORBEL_LIBRARY_EXCEPTION(PortableServer::POA::WrongAdapter, "WrongAdapter")
CORBEL_LIBRARY_EXCEPTION(PortableServer::POA::WrongPolicy, "WrongPolicy")
CORBEL_LIBRARY_EXCEPTION(PortableServer::POAManager::AdapterInactive, "AdapterInactive")
CORBEL_LIBRARY_EXCEPTION(PortableServer::POAManagerFactory::ManagerAlreadyExists, "ManagerAlreadyExists")
CORBEL_LIBRARY_EXCEPTION(PortableServer::Current::NoContext, "NoContext")

namespace corbel::dynamic::detail {
inline constexpr TypeMember kInvalidPolicy[] = {{"index", &CORBA::detail::k_ushort}};
inline constexpr TypeMember kForwardRequest[] = {{"forward_reference", &CORBA::detail::k_Object}};
}  // namespace corbel::dynamic::detail

CORBEL_LIBRARY_MEMBERS(PortableServer::POA::InvalidPolicy, tk_except, PortableServer::POA::InvalidPolicy::_id,
                       "InvalidPolicy", detail::kInvalidPolicy)
CORBEL_LIBRARY_MEMBERS(PortableServer::ForwardRequest, tk_except, PortableServer::ForwardRequest::_id, "ForwardRequest",
                       detail::kForwardRequest)

#define CORBEL_POA_LOCAL(TYPE, NAME) CORBEL_LIBRARY_LOCAL(TYPE, TYPE::_interface_id, NAME)
CORBEL_POA_LOCAL(PortableServer::POA, "POA")
CORBEL_POA_LOCAL(PortableServer::POAManager, "POAManager")
CORBEL_POA_LOCAL(PortableServer::POAManagerFactory, "POAManagerFactory")
CORBEL_POA_LOCAL(PortableServer::AdapterActivator, "AdapterActivator")
CORBEL_POA_LOCAL(PortableServer::ServantManager, "ServantManager")
CORBEL_POA_LOCAL(PortableServer::ServantActivator, "ServantActivator")
CORBEL_POA_LOCAL(PortableServer::ServantLocator, "ServantLocator")
CORBEL_POA_LOCAL(PortableServer::Current, "Current")
#define CORBEL_LIBRARY_POLICY(NAME, VALUE, ID) CORBEL_POA_LOCAL(PortableServer::NAME, #NAME)
CORBEL_POA_POLICIES(CORBEL_LIBRARY_POLICY)
#undef CORBEL_LIBRARY_POLICY
#undef CORBEL_POA_LOCAL

CORBEL_LIBRARY_ALIAS(PortableServer, ObjectId, PortableServer::ObjectId, "PortableServer/ObjectId", "ObjectId")
CORBEL_LIBRARY_ALIAS(PortableServer, POAList, PortableServer::POAList, "PortableServer/POAList", "POAList")

namespace corbel::mapping {

template <>
struct Codec<PortableServer::POA::InvalidPolicy> {
  static constexpr std::size_t kMinSize = 2;
  static void encode(cdr::Encoder& encoder, const PortableServer::POA::InvalidPolicy& value) {
    encoder.put(value.index());
  }
  static void decode(cdr::Decoder& decoder, PortableServer::POA::InvalidPolicy& value) {
    value.index(decoder.get<std::uint16_t>());
  }
};
template <>
struct Codec<PortableServer::ForwardRequest> {
  using Reference = CORBA::object_reference<CORBA::Object>;
  static constexpr std::size_t kMinSize = Codec<Reference>::kMinSize;
  static void encode(cdr::Encoder& encoder, const PortableServer::ForwardRequest& value) {
    Codec<Reference>::encode(encoder, value.forward_reference());
  }
  static void decode(cdr::Decoder& decoder, PortableServer::ForwardRequest& value) {
    Reference reference;
    Codec<Reference>::decode(decoder, reference);
    value.forward_reference(std::move(reference));
  }
};
template <>
struct Codec<CORBA::servant_reference<PortableServer::Servant>>
    : NativeCodec<CORBA::servant_reference<PortableServer::Servant>> {};
template <>
struct Codec<PortableServer::ServantLocator::Cookie> : NativeCodec<PortableServer::ServantLocator::Cookie> {};

}  // namespace corbel::mapping
