// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/plugin.hpp"
#include "field_bus.hpp"

CORBEL_PLUGIN(parts) {
  static const auto field_bus = field_bus::make_field_bus();  // one for all ORBs: they share the process's terminals
  parts.transports.push_back(field_bus);
}
