// SPDX-License-Identifier: Apache-2.0
// An option takes a value of its own type: a bare number is no duration.
#include "corbel/ipc/acceptor.hpp"
#include "corbel/ipc/connector.hpp"

using namespace corbel::ipc;  // NOLINT

auto misuse(TcpStream& stream) {
#ifdef BAD
  return stream.set(option::keep_alive_idle, 30);
#else
  return stream.set(option::keep_alive_idle, std::chrono::seconds(30));
#endif
}
