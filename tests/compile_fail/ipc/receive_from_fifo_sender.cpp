// SPDX-License-Identifier: Apache-2.0
// The sending end of a pipe receives nothing.
#include "corbel/ipc/fifo.hpp"

using namespace corbel::ipc;  // NOLINT

auto misuse(FifoSender& sender, FifoReceiver& receiver, corbel::base::ByteSpan room) {
#ifdef BAD
  (void)receiver;
  return sender.recv(room);
#else
  (void)sender;
  return receiver.recv(room);
#endif
}
