// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include "corbel/orb/plugin.hpp"

CORBEL_PLUGIN(parts) {
  parts.protocols.clear();
  throw std::runtime_error("no licence for this host");
}
