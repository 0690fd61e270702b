// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/plugin.hpp"
#include "corbel/transport/tcp/tcp.hpp"
#include "masked.hpp"

CORBEL_PLUGIN(parts) {
  parts.transports.push_back(carriers::make_masked(corbel::transport::make_tcp()));
}
