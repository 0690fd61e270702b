// SPDX-License-Identifier: Apache-2.0
// An acceptor is made by listening; a datagram socket is no acceptor.
#include "corbel/ipc/acceptor.hpp"
#include "corbel/ipc/connector.hpp"
#include "corbel/ipc/datagram.hpp"

using namespace corbel::ipc;  // NOLINT

TcpAcceptor misuse(UdpSocket datagrams, TcpAcceptor acceptor) {
#ifdef BAD
  (void)acceptor;
  return datagrams;
#else
  (void)datagrams;
  return acceptor;
#endif
}
