// SPDX-License-Identifier: Apache-2.0
// A stream has one owner.
#include "corbel/ipc/acceptor.hpp"
#include "corbel/ipc/connector.hpp"

using namespace corbel::ipc;  // NOLINT

auto misuse(TcpStream& stream) {
#ifdef BAD
  return TcpStream(stream);
#else
  return TcpStream(std::move(stream));
#endif
}
