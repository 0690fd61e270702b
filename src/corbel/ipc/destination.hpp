// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/base/bytes.hpp"
#include "corbel/base/result.hpp"
#include "corbel/ipc/inet_address.hpp"

/// Which of its addresses a host was spoken to at, for sockets that listen at all of them: answers have to come from
/// there, or the peers that asked will not take them.
namespace corbel::ipc {

/// From now on the system tells. `v6`: the family of the socket. Error: stage configure.
CORBEL_API base::Status tell_destinations(int socket, bool v6) noexcept;

/// One recvmsg(2) that does not block: a datagram's octets, its sender, and the address, without a port, that it was
/// sent to; `to` is unchanged if the system did not tell it, or if it was no address of one host. Errors (stage
/// receive): truncated if it was longer than `room`, would_block.
CORBEL_API base::Result<std::size_t> recv_with_destination(int socket, base::ByteSpan room, InetAddress& from,
                                                           InetAddress& to) noexcept;

/// One sendmsg(2) that does not block: a whole datagram to `to`, or nothing, with the address `from` of this host (not
/// its port) as its sender; both are of the socket's family. Errors (stage send): as DatagramSocket::send_to.
CORBEL_API base::Result<std::size_t> send_from(int socket, base::ConstByteSpan datagram, const InetAddress& to,
                                               const InetAddress& from) noexcept;

}  // namespace corbel::ipc
