// SPDX-License-Identifier: Apache-2.0
// An Internet datagram cannot be sent to a local address.
#include "corbel/ipc/datagram.hpp"

using namespace corbel::ipc;  // NOLINT

auto misuse(UdpSocket& socket, const UnixAddress& local, const InetAddress& inet, corbel::base::ConstByteSpan data) {
#ifdef BAD
  (void)inet;
  return socket.send_to(data, local);
#else
  (void)local;
  return socket.send_to(data, inet);
#endif
}
