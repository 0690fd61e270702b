// SPDX-License-Identifier: Apache-2.0
// Only local sockets know which process the peer is.
#include "corbel/ipc/acceptor.hpp"
#include "corbel/ipc/connector.hpp"

using namespace corbel::ipc;  // NOLINT

auto misuse(UnixStream& local, TcpStream& tcp) {
#ifdef BAD
  (void)local;
  return tcp.get(option::peer_credentials);
#else
  (void)tcp;
  return local.get(option::peer_credentials);
#endif
}
