// SPDX-License-Identifier: Apache-2.0
#include <corbel/orb/plugin.hpp>

#include "telegrams.hpp"

CORBEL_PLUGIN(parts) {
  parts.protocols.push_back(make_telegrams());
}
