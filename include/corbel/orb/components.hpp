// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "corbel/messaging/protocol.hpp"
#include "corbel/transport/transport.hpp"

namespace corbel::orb {

/// The message protocols and transports that an ORB is built from, in order of preference. `builtins` lists what ships;
/// an application passes its own to ORB_init.
struct Components {
  std::vector<std::shared_ptr<const messaging::Protocol>> protocols;
  std::vector<std::shared_ptr<const transport::Factory>> transports;
};

}  // namespace corbel::orb
