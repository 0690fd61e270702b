// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// The numbers that the OMG has given to profiles, components and service contexts (CORBA 3.3 part 2, 7.6.6, 7.7).
namespace IOP {

using ServiceId = std::uint32_t;
using ProfileId = std::uint32_t;
using ComponentId = std::uint32_t;

inline constexpr ProfileId TAG_INTERNET_IOP = 0;
inline constexpr ProfileId TAG_MULTIPLE_COMPONENTS = 1;
inline constexpr ProfileId TAG_SCCP_IOP = 2;
inline constexpr ProfileId TAG_UIPMC = 3;
inline constexpr ComponentId TAG_ORB_TYPE = 0;
inline constexpr ComponentId TAG_CODE_SETS = 1;
inline constexpr ComponentId TAG_POLICIES = 2;
inline constexpr ComponentId TAG_ALTERNATE_IIOP_ADDRESS = 3;
inline constexpr ComponentId TAG_ASSOCIATION_OPTIONS = 13;
inline constexpr ComponentId TAG_SEC_NAME = 14;
inline constexpr ComponentId TAG_SPKM_1_SEC_MECH = 15;
inline constexpr ComponentId TAG_SPKM_2_SEC_MECH = 16;
inline constexpr ComponentId TAG_KerberosV5_SEC_MECH = 17;
inline constexpr ComponentId TAG_CSI_ECMA_Secret_SEC_MECH = 18;
inline constexpr ComponentId TAG_CSI_ECMA_Hybrid_SEC_MECH = 19;
inline constexpr ComponentId TAG_SSL_SEC_TRANS = 20;
inline constexpr ComponentId TAG_CSI_ECMA_Public_SEC_MECH = 21;
inline constexpr ComponentId TAG_GENERIC_SEC_MECH = 22;
inline constexpr ComponentId TAG_FIREWALL_TRANS = 23;
inline constexpr ComponentId TAG_SCCP_CONTACT_INFO = 24;
inline constexpr ComponentId TAG_JAVA_CODEBASE = 25;
inline constexpr ComponentId TAG_TRANSACTION_POLICY = 26;
inline constexpr ComponentId TAG_MESSAGE_ROUTER = 30;
inline constexpr ComponentId TAG_OTS_POLICY = 31;
inline constexpr ComponentId TAG_INV_POLICY = 32;
inline constexpr ComponentId TAG_CSI_SEC_MECH_LIST = 33;
inline constexpr ComponentId TAG_NULL_TAG = 34;
inline constexpr ComponentId TAG_SECIOP_SEC_TRANS = 35;
inline constexpr ComponentId TAG_TLS_SEC_TRANS = 36;
inline constexpr ComponentId TAG_ACTIVITY_POLICY = 37;
inline constexpr ComponentId TAG_RMI_CUSTOM_MAX_STREAM_FORMAT = 38;
inline constexpr ComponentId TAG_GROUP = 39;
inline constexpr ComponentId TAG_GROUP_IIOP = 40;
inline constexpr ComponentId TAG_COMPLETE_OBJECT_KEY = 5;
inline constexpr ComponentId TAG_ENDPOINT_ID_POSITION = 6;
inline constexpr ComponentId TAG_LOCATION_POLICY = 12;
inline constexpr ComponentId TAG_DCE_STRING_BINDING = 100;
inline constexpr ComponentId TAG_DCE_BINDING_NAME = 101;
inline constexpr ComponentId TAG_DCE_NO_PIPES = 102;
inline constexpr ComponentId TAG_DCE_SEC_MECH = 103;
inline constexpr ComponentId TAG_INET_SEC_TRANS = 123;
inline constexpr ServiceId TransactionService = 0;
inline constexpr ServiceId CodeSets = 1;
inline constexpr ServiceId ChainBypassCheck = 2;
inline constexpr ServiceId ChainBypassInfo = 3;
inline constexpr ServiceId LogicalThreadId = 4;
inline constexpr ServiceId BI_DIR_IIOP = 5;
inline constexpr ServiceId SendingContextRunTime = 6;
inline constexpr ServiceId INVOCATION_POLICIES = 7;
inline constexpr ServiceId FORWARDED_IDENTITY = 8;
inline constexpr ServiceId UnknownExceptionInfo = 9;
inline constexpr ServiceId RTCorbaPriority = 10;
inline constexpr ServiceId RTCorbaPriorityRange = 11;
inline constexpr ServiceId FT_GROUP_VERSION = 12;
inline constexpr ServiceId FT_REQUEST = 13;
inline constexpr ServiceId ExceptionDetailMessage = 14;
inline constexpr ServiceId SecurityAttributeService = 15;
inline constexpr ServiceId ActivityService = 16;
inline constexpr ServiceId RMICustomMaxStreamFormat = 17;
inline constexpr ServiceId ACCESS_SESSION_ID = 18;
inline constexpr ServiceId SERVICE_SESSION_ID = 19;
inline constexpr ServiceId FIREWALL_PATH = 20;
inline constexpr ServiceId FIREWALL_PATH_RESP = 21;

}  // namespace IOP
