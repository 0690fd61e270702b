// SPDX-License-Identifier: Apache-2.0
// A connected stream accepts nothing.
#include "corbel/ipc/acceptor.hpp"
#include "corbel/ipc/connector.hpp"

using namespace corbel::ipc;  // NOLINT

auto misuse(UnixStream& stream, UnixAcceptor& acceptor) {
#ifdef BAD
  (void)acceptor;
  return stream.accept();
#else
  (void)stream;
  return acceptor.accept();
#endif
}
