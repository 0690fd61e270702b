// SPDX-License-Identifier: Apache-2.0
// TCP options do not exist on local sockets.
#include "corbel/ipc/acceptor.hpp"
#include "corbel/ipc/connector.hpp"

using namespace corbel::ipc;  // NOLINT

auto misuse(UnixStream& local, TcpStream& tcp) {
#ifdef BAD
  (void)tcp;
  return local.set(option::no_delay, true);
#else
  (void)local;
  return tcp.set(option::no_delay, true);
#endif
}
