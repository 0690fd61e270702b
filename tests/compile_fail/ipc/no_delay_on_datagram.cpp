// SPDX-License-Identifier: Apache-2.0
// TCP's options do not exist on datagram sockets.
#include "corbel/ipc/acceptor.hpp"
#include "corbel/ipc/connector.hpp"
#include "corbel/ipc/datagram.hpp"

using namespace corbel::ipc;  // NOLINT

auto misuse(UdpSocket& datagrams, TcpStream& stream) {
#ifdef BAD
  (void)stream;
  return datagrams.set(option::no_delay, true);
#else
  (void)datagrams;
  return stream.set(option::no_delay, true);
#endif
}
