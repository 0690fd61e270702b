// SPDX-License-Identifier: Apache-2.0
// A connected datagram socket has one peer.
#include "corbel/ipc/datagram.hpp"

using namespace corbel::ipc;  // NOLINT

auto misuse(UdpSocket& socket, ConnectedUdp& connected, corbel::base::ConstByteSpan data, const InetAddress& to) {
#ifdef BAD
  (void)socket;
  return connected.send_to(data, to);
#else
  (void)connected;
  return socket.send_to(data, to);
#endif
}
