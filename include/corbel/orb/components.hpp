// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "corbel/messaging/protocol.hpp"
#include "corbel/transport/transport.hpp"

namespace corbel::orb {

class Core;
class ObjectAdapter;

/// Makes what serves the requests of an ORB; called once, when the ORB is created. `poa` ships one.
using AdapterFactory = std::unique_ptr<ObjectAdapter> (*)(Core& core);

/// The message protocols and transports that an ORB is built from, in order of preference, and its object adapter.
/// `builtins` lists what ships; an application passes its own to ORB_init.
struct Components {
  std::vector<std::shared_ptr<const messaging::Protocol>> protocols;
  std::vector<std::shared_ptr<const transport::Factory>> transports;
  AdapterFactory make_adapter = nullptr;  ///< nullptr: a client without object adapters
};

}  // namespace corbel::orb
