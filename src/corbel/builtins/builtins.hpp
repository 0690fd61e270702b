// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/base/export.hpp"
#include "corbel/orb/components.hpp"

namespace corbel::builtins {

/// The message protocols and transports that ship with Corbel, those that are faster between processes of one machine
/// first. An application adds its own and passes the whole to ORB_init.
CORBEL_API orb::Components components();

}  // namespace corbel::builtins
