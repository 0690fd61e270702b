// SPDX-License-Identifier: Apache-2.0
// The sender of an Internet datagram has no local address.
#include "corbel/ipc/datagram.hpp"

using namespace corbel::ipc;  // NOLINT

auto misuse(UdpSocket& socket, UnixAddress& local, InetAddress& inet, corbel::base::ByteSpan room) {
#ifdef BAD
  (void)inet;
  return socket.recv_from(room, local);
#else
  (void)local;
  return socket.recv_from(room, inet);
#endif
}
