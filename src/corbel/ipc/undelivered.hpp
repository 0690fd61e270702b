// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/base/result.hpp"
#include "corbel/ipc/inet_address.hpp"

/// Which datagrams have not reached their addresses, as far as hosts on the way say so, for sockets that send to many:
/// the system tells of its own only those that are connected.
namespace corbel::ipc {

/// From now on the system tells. `v6`: the family of the socket, which may fail a send or receive once for each of them
/// (code lost or unreachable). Error: stage configure.
CORBEL_API base::Status tell_undelivered(int socket, bool v6) noexcept;

struct Undelivered {
  InetAddress to;
  base::Error why;  ///< stage send
};
/// The next of them; one recvmsg(2) that does not block. What it says may be forged. Error: would_block (stage
/// receive): there is none.
CORBEL_API base::Result<Undelivered> next_undelivered(int socket) noexcept;

}  // namespace corbel::ipc
