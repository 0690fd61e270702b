// SPDX-License-Identifier: Apache-2.0
// There is no broadcast between local sockets.
#include "corbel/ipc/broadcast.hpp"

using namespace corbel::ipc;  // NOLINT

auto misuse(const UnixAddress& local, const InetAddress& inet) {
#ifdef BAD
  (void)inet;
  return BroadcastSocket::open(local);
#else
  (void)local;
  return BroadcastSocket::open(inet);
#endif
}
