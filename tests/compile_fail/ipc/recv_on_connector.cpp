// SPDX-License-Identifier: Apache-2.0
// A connector makes streams; it receives nothing.
#include "corbel/ipc/acceptor.hpp"
#include "corbel/ipc/connector.hpp"

using namespace corbel::ipc;  // NOLINT

auto misuse(TcpConnector& connector, TcpStream& stream) {
#ifdef BAD
  (void)stream;
  return connector.recv({});
#else
  (void)connector;
  return stream.recv({});
#endif
}
