// SPDX-License-Identifier: Apache-2.0
// Ports are numbers in host order; a bare port is not an address, and no byte order can slip in.
#include <arpa/inet.h>
#include "corbel/ipc/acceptor.hpp"
#include "corbel/ipc/connector.hpp"

using namespace corbel::ipc;  // NOLINT

auto misuse(const TcpConnector& connector) {
#ifdef BAD
  return connector.connect(htons(80));
#else
  return connector.connect(InetAddress::loopback_v4(80));
#endif
}
