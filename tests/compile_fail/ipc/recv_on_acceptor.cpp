// SPDX-License-Identifier: Apache-2.0
// A passive-mode handle only accepts: nothing can be read from it.
#include "corbel/ipc/acceptor.hpp"
#include "corbel/ipc/connector.hpp"

using namespace corbel::ipc;  // NOLINT

auto misuse(TcpAcceptor& acceptor, TcpStream& stream, corbel::base::ByteSpan room) {
#ifdef BAD
  (void)stream;
  return acceptor.recv(room);
#else
  (void)acceptor;
  return stream.recv(room);
#endif
}
