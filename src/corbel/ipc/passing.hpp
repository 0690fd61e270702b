// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <optional>
#include <span>
#include <vector>

#include "corbel/ipc/datagram.hpp"
#include "corbel/ipc/packet.hpp"

namespace corbel::ipc {

/// A local connection: open handles and credentials can travel with its data.
template <class T>
concept LocalConnection =
    std::same_as<T, UnixStream> || std::same_as<T, PacketStream> || std::same_as<T, ConnectedUnixDatagram>;

/// The most handles that one message can carry (the system's SCM_MAX_FD).
inline constexpr std::size_t kMaxPassedHandles = 253;

/// What to send beside octets.
struct Enclosed {
  std::span<const int> handles = {};  ///< descriptors; duplicates of them arrive, the originals stay with the caller
  bool credentials = false;           ///< this process's identity, which the system vouches for
};

/// What arrived with octets.
struct Received {
  std::size_t size = 0;                             ///< octets; 0 on a stream means that the peer will send no more
  std::vector<Handle> handles = {};                 ///< owned by the receiver, close-on-exec, in the order sent
  std::optional<PeerCredentials> credentials = {};  ///< the sender's; needs option::pass_credentials at the receiver
};

namespace detail {

CORBEL_API base::Result<std::size_t> send_enclosed(int descriptor, base::ConstByteSpan data, const Enclosed& enclosed,
                                                   int flags) noexcept;
CORBEL_API base::Result<Received> recv_enclosed(int descriptor, base::ByteSpan room, std::size_t max_handles,
                                                int flags);

}  // namespace detail

/// Sends octets, at least one, and with them open handles or credentials. On a stream they arrive with the first octet
/// of `data`, of which, as with send(), only a part may go out. Errors (stage send): bad_argument (no octet), too_large
/// (too many handles), out_of_resources (too many handles under way), and those of the connection.
template <LocalConnection Connection>
base::Result<std::size_t> send_with(Connection& connection, base::ConstByteSpan data, const Enclosed& enclosed,
                                    base::Deadline deadline = base::Deadline::none()) noexcept {
  return detail::until(deadline, connection.handle(), Ready::writable,
                       [&](int flags) { return detail::send_enclosed(connection.handle(), data, enclosed, flags); });
}

/// Receives octets and what is enclosed with them. `max_handles` bounds what a peer can make this process open: when
/// more arrive, all of them are closed and the error is too_large (stage receive). Other errors: truncated (a message
/// longer than `room`; its handles are closed), and those of the connection.
template <LocalConnection Connection>
base::Result<Received> recv_with(Connection& connection, base::ByteSpan room, std::size_t max_handles,
                                 base::Deadline deadline = base::Deadline::none()) {
  if (deadline.is_none()) return detail::recv_enclosed(connection.handle(), room, max_handles, 0);
  for (;;) {
    auto received = detail::recv_enclosed(connection.handle(), room, max_handles, MSG_DONTWAIT);
    if (received || received.error().code != base::Code::would_block || deadline.is_now()) return received;
    CORBEL_CHECK(connection.wait_readable(deadline));
  }
}

}  // namespace corbel::ipc
