// SPDX-License-Identifier: Apache-2.0
// Urgent data of TCP (RFC 9293, 3.8.5): one octet that overtakes what waits to be read, or a mark in it. For protocols
// that have it already (telnet, ftp); RFC 6093 advises new ones against it, since middleboxes may take it away.
// Datagrams and acceptors have none, local streams with some kernels only: they do not compile here.
#pragma once

#include <optional>

#include "corbel/base/bytes.hpp"
#include "corbel/base/deadline.hpp"
#include "corbel/base/export.hpp"
#include "corbel/base/result.hpp"
#include "corbel/ipc/stream.hpp"

namespace corbel::ipc {

/// Sends one octet as urgent, with one system call. A second one before the peer has read the first takes its place:
/// TCP has one mark. Errors (stage send): as Stream::send.
CORBEL_API base::Status send_urgent(TcpStream& stream, base::Octet octet) noexcept;

/// The urgent octet, ahead of what was sent before it; nullopt: none has been announced (though the connection may be
/// lost, which the next receive tells), it was taken already, or it stays in the stream (option::out_of_band_inline).
/// Does not wait. Errors (stage receive): would_block (announced, still on its way), and as Stream::recv.
CORBEL_API base::Result<std::optional<base::Octet>> recv_urgent(TcpStream& stream) noexcept;

/// True if all before the mark has been read: then the next octet is, or was, the urgent one. Streams are never read
/// across the mark by one call, so a loop that looks here before each finds it. Errors (stage receive): as the system
/// says.
CORBEL_API base::Result<bool> at_mark(const TcpStream& stream) noexcept;

/// Waits until urgent data is announced. Errors (stage receive): timed_out (would_block for Deadline::now()), closed:
/// the peer sends no more, and nothing is urgent; lost. A reactor waits for Events::urgent.
CORBEL_API base::Status wait_urgent(const TcpStream& stream, base::Deadline deadline) noexcept;

}  // namespace corbel::ipc
