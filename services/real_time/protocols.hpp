// SPDX-License-Identifier: Apache-2.0
// Protocols and their properties (Real-time CORBA 1.2, 5.15): what references name, and what connections have.
#pragma once

#include <cstdint>
#include <string>

#include "RTCORBA.hpp"

namespace corbel::real_time {

using TcpRef = IDL::traits<RTCORBA::TCPProtocolProperties>::ref_type;
using UnixDomainRef = IDL::traits<RTCORBA::UnixDomainProtocolProperties>::ref_type;
using SharedMemoryRef = IDL::traits<RTCORBA::SharedMemoryProtocolProperties>::ref_type;

TcpRef make_tcp_properties(std::int32_t send, std::int32_t receive, bool keep_alive, bool dont_route, bool no_delay,
                           bool network_priority);
UnixDomainRef make_unix_domain_properties(std::int32_t send, std::int32_t receive);
SharedMemoryRef make_shared_memory_properties(std::int32_t send, std::int32_t receive, bool keep_alive, bool dont_route,
                                              bool no_delay, std::int32_t preallocate, std::string file,
                                              std::string lock);

/// Which transports calls use, best first, and what their connections have: as the properties were when this was made.
/// Throws BAD_PARAM for no protocols, a protocol that is there twice, and properties that are not of their protocol or
/// make no sense; NO_IMPLEMENT for those that connections cannot have.
IDL::traits<RTCORBA::ClientProtocolPolicy>::ref_type make_client_protocols(const RTCORBA::ProtocolList& protocols);
/// Which profiles the references of an adapter have. Throws as make_client_protocols(), NO_IMPLEMENT also for any
/// properties of transports.
IDL::traits<RTCORBA::ServerProtocolPolicy>::ref_type make_server_protocols(const RTCORBA::ProtocolList& protocols);

}  // namespace corbel::real_time
