// SPDX-License-Identifier: Apache-2.0
// A datagram socket has no connections to accept.
#include "corbel/ipc/acceptor.hpp"
#include "corbel/ipc/connector.hpp"
#include "corbel/ipc/datagram.hpp"

using namespace corbel::ipc;  // NOLINT

auto misuse(UdpSocket& datagrams, TcpAcceptor& acceptor) {
#ifdef BAD
  (void)acceptor;
  return datagrams.accept();
#else
  (void)datagrams;
  return acceptor.accept();
#endif
}
