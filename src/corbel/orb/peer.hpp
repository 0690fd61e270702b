// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "corbel/base/export.hpp"

namespace corbel {

/// The sender of a request, as far as the transport that it came over vouches for it. What a peer says of itself is not
/// here.
struct RequestPeer {
  /// A process of this host, as the system saw it when the connection was made. The numbers are those of the name
  /// spaces of this process.
  struct Process {
    std::uint32_t user = 0;
    std::uint32_t group = 0;
    std::int32_t id = 0;
  };
  std::string address;             ///< "tcp://192.0.2.1:4711"; of udp what the datagram says, which may be forged
  std::string protocol;            ///< "giop"
  std::optional<Process> process;  ///< transports between processes of one host (unix, packet, shm)
  std::string subject;             ///< TLS: the name in the certificate, "CN=alice,O=Corbel"; empty: none was checked
  bool encrypted = false;          ///< TLS, whether or not a certificate was checked
  /// Which connection the request came over: never 0, and of no other one of the process, ever. What a ConnectionWatch
  /// hears of it has the same number (ConnectionEvent::id). Over udp a connection is what comes from one address, until
  /// nothing has for a while; over multicast all that comes to the group.
  std::uint64_t connection = 0;
  bool closed = false;  ///< the connection has ended meanwhile: its watch may have heard that already
};

/// The sender of the request that the calling thread runs: in a servant, a servant manager or a server request
/// interceptor. Nothing if the request came from this process without a transport, or if the thread runs none. An
/// object that a servant calls in its own process sees the sender of the servant's request. Allocates, and may cost a
/// system call.
CORBEL_API std::optional<RequestPeer> request_peer();

}  // namespace corbel
