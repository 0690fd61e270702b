// SPDX-License-Identifier: Apache-2.0
// A packet connector makes packet streams: their boundaries are not a stream's.
#include "corbel/ipc/packet.hpp"

using namespace corbel::ipc;  // NOLINT

corbel::base::Result<PacketStream> misuse(const PacketConnector& packets, const UnixConnector& streams,
                                          const UnixAddress& at) {
#ifdef BAD
  (void)packets;
  return streams.connect(at);
#else
  (void)streams;
  return packets.connect(at);
#endif
}
