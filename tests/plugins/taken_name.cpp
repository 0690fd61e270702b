// SPDX-License-Identifier: Apache-2.0
// Brings what is there already.
#include "corbel/orb/plugin.hpp"
#include "corbel/transport/tcp/tcp.hpp"

CORBEL_PLUGIN(parts) {
  parts.transports.push_back(corbel::transport::make_tcp());
}
