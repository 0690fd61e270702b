// SPDX-License-Identifier: Apache-2.0
// An acceptor option does not exist on a stream.
#include "corbel/ipc/acceptor.hpp"
#include "corbel/ipc/connector.hpp"

using namespace corbel::ipc;  // NOLINT

auto misuse(TcpStream& stream, TcpAcceptor& acceptor) {
#ifdef BAD
  (void)acceptor;
  return stream.set(option::defer_accept, std::chrono::seconds(1));
#else
  (void)stream;
  return acceptor.set(option::defer_accept, std::chrono::seconds(1));
#endif
}
