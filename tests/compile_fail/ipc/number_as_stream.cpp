// SPDX-License-Identifier: Apache-2.0
// A bare descriptor is not a stream by accident.
#include "corbel/ipc/acceptor.hpp"
#include "corbel/ipc/connector.hpp"

using namespace corbel::ipc;  // NOLINT

TcpStream misuse(int descriptor) {
#ifdef BAD
  return descriptor;
#else
  return TcpStream(Handle(descriptor));
#endif
}
