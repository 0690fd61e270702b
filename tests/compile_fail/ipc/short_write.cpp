// SPDX-License-Identifier: Apache-2.0
// How much was sent cannot be overlooked.
#include "corbel/ipc/stream.hpp"

using namespace corbel::ipc;  // NOLINT

#pragma GCC diagnostic error "-Wunused-result"
corbel::base::Status proper_use(TcpStream& stream, corbel::base::ConstByteSpan data) {
#ifdef BAD
  stream.send(data);
  return {};
#else
  return stream.send_n(data);
#endif
}
