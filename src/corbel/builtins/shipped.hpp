// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "corbel/messaging/protocol.hpp"
#include "corbel/transport/transport.hpp"

namespace corbel::builtins {

/// Those listed in CMakeLists.txt, in that order.
std::vector<std::shared_ptr<const messaging::Protocol>> shipped_protocols();
std::vector<std::shared_ptr<const transport::Factory>> shipped_transports();

}  // namespace corbel::builtins
