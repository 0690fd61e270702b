// SPDX-License-Identifier: Apache-2.0
// Only a multicast socket joins groups.
#include "corbel/ipc/multicast.hpp"

using namespace corbel::ipc;  // NOLINT

auto misuse(UdpSocket& plain, MulticastSocket& multicast, const InetAddress& group) {
#ifdef BAD
  (void)multicast;
  return plain.join(group);
#else
  (void)plain;
  return multicast.join(group);
#endif
}
