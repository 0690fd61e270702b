// SPDX-License-Identifier: Apache-2.0
// Constant data cannot be received into.
#include "corbel/ipc/acceptor.hpp"
#include "corbel/ipc/connector.hpp"

using namespace corbel::ipc;  // NOLINT

auto misuse(TcpStream& stream, corbel::base::ConstByteSpan constant, corbel::base::ByteSpan room) {
#ifdef BAD
  (void)room;
  return stream.recv(constant);
#else
  (void)constant;
  return stream.recv(room);
#endif
}
