// SPDX-License-Identifier: Apache-2.0
// Brings a transport that the program does not have.
#include "corbel/orb/plugin.hpp"
#include "corbel/transport/faulty/faulty.hpp"
#include "corbel/transport/tcp/tcp.hpp"

CORBEL_PLUGIN(parts) {
  using namespace corbel::transport;
  parts.transports.push_back(make_faulty(make_tcp(), std::make_shared<faulty::Plan>()));
}
