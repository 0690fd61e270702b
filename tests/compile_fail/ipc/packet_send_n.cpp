// SPDX-License-Identifier: Apache-2.0
// A message is sent whole or not at all; there is no rest to go on with.
#include "corbel/ipc/packet.hpp"

using namespace corbel::ipc;  // NOLINT

auto misuse(PacketStream& packets, corbel::base::ConstByteSpan message) {
#ifdef BAD
  return packets.send_n(message);
#else
  return packets.send(message);
#endif
}
