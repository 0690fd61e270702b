// SPDX-License-Identifier: Apache-2.0
// "if (n = accept(...) < 0)" forgets parentheses and stores a comparison; a Result is not compared with numbers.
#include "corbel/ipc/acceptor.hpp"

using namespace corbel::ipc;  // NOLINT

bool misuse(TcpAcceptor& acceptor) {
#ifdef BAD
  TcpStream stream;
  return stream = acceptor.accept() < 0;
#else
  auto stream = acceptor.accept();
  return static_cast<bool>(stream);
#endif
}
