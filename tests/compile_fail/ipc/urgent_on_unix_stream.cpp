// SPDX-License-Identifier: Apache-2.0
// Urgent data is TCP's: of local streams some kernels only know it.
#include "corbel/ipc/urgent.hpp"

using namespace corbel::ipc;  // NOLINT

auto misuse(UnixStream& local, TcpStream& tcp) {
#ifdef BAD
  (void)tcp;
  return send_urgent(local, 'x');
#else
  (void)local;
  return send_urgent(tcp, 'x');
#endif
}
