// SPDX-License-Identifier: Apache-2.0
// -ORBLoad ziop.so: what add_to() adds, for programs that know nothing of it.
#include <corbel/orb/plugin.hpp>

#include "layer.hpp"

CORBEL_PLUGIN(parts) {
  const auto making = std::make_shared<corbel::ziop::Making>();
  parts.layers.push_back(corbel::ziop::make_layer(making, {}));
  parts.initialisers.push_back(corbel::ziop::make_initializer(making));
}
