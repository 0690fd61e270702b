// SPDX-License-Identifier: Apache-2.0
// Brings a transport that the program does not have.
#include "corbel/orb/plugin.hpp"
#include "corbel/transport/unix/unix.hpp"

CORBEL_PLUGIN(parts) {
  parts.transports.push_back(corbel::transport::make_unix());
}
