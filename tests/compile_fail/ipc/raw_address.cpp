// SPDX-License-Identifier: Apache-2.0
// A sockaddr, which may be half initialised, is no address.
#include "corbel/ipc/acceptor.hpp"
#include "corbel/ipc/connector.hpp"

using namespace corbel::ipc;  // NOLINT

auto misuse(const sockaddr_in& raw, const InetAddress& address) {
#ifdef BAD
  (void)address;
  return TcpAcceptor::open(raw);
#else
  (void)raw;
  return TcpAcceptor::open(address);
#endif
}
