// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/plugin.hpp"

CORBEL_PLUGIN(parts) {
  parts.initialisers.emplace_back();
}
