// SPDX-License-Identifier: Apache-2.0
// Open handles travel between processes of one machine only.
#include "corbel/ipc/acceptor.hpp"
#include "corbel/ipc/connector.hpp"
#include "corbel/ipc/passing.hpp"

using namespace corbel::ipc;  // NOLINT

auto misuse(TcpStream& tcp, UnixStream& local, corbel::base::ConstByteSpan data) {
#ifdef BAD
  (void)local;
  return send_with(tcp, data, {});
#else
  (void)tcp;
  return send_with(local, data, {});
#endif
}
