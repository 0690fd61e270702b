// SPDX-License-Identifier: Apache-2.0
// A TCP connector cannot connect to a local address.
#include "corbel/ipc/acceptor.hpp"
#include "corbel/ipc/connector.hpp"

using namespace corbel::ipc;  // NOLINT

auto misuse(const TcpConnector& connector, const UnixAddress& local, const InetAddress& inet) {
#ifdef BAD
  (void)inet;
  return connector.connect(local);
#else
  (void)local;
  return connector.connect(inet);
#endif
}
