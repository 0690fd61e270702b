// SPDX-License-Identifier: Apache-2.0
// Callers pass no length of an address, so none can leave it uninitialised.
#include "corbel/ipc/datagram.hpp"

using namespace corbel::ipc;  // NOLINT

auto misuse(UdpSocket& socket, InetAddress& from, corbel::base::ByteSpan room) {
#ifdef BAD
  socklen_t length;
  return socket.recv_from(room, from.native(), &length);
#else
  return socket.recv_from(room, from);
#endif
}
