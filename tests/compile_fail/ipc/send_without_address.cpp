// SPDX-License-Identifier: Apache-2.0
// An unconnected datagram socket must be told where to send to.
#include "corbel/ipc/datagram.hpp"

using namespace corbel::ipc;  // NOLINT

auto misuse(UdpSocket& socket, ConnectedUdp& connected, corbel::base::ConstByteSpan data) {
#ifdef BAD
  (void)connected;
  return socket.send(data);
#else
  (void)socket;
  return connected.send(data);
#endif
}
