// SPDX-License-Identifier: Apache-2.0
// An acceptor has no data to send.
#include "corbel/ipc/acceptor.hpp"
#include "corbel/ipc/connector.hpp"

using namespace corbel::ipc;  // NOLINT

auto misuse(TcpAcceptor& acceptor, TcpStream& stream) {
#ifdef BAD
  (void)stream;
  return acceptor.send({});
#else
  (void)acceptor;
  return stream.send({});
#endif
}
