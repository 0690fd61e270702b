// SPDX-License-Identifier: Apache-2.0
// A local acceptor cannot listen on an Internet address.
#include "corbel/ipc/acceptor.hpp"
#include "corbel/ipc/connector.hpp"

using namespace corbel::ipc;  // NOLINT

auto misuse(const UnixAddress& local, const InetAddress& inet) {
#ifdef BAD
  (void)local;
  return UnixAcceptor::open(inet);
#else
  (void)inet;
  return UnixAcceptor::open(local);
#endif
}
