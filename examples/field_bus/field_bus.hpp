// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "corbel/transport/transport.hpp"

namespace field_bus {

/// A transport over a simulated field bus: "field_bus://PATH/TERMINAL", where the controller of the bus listens at PATH
/// and TERMINAL is an address from 0 to 30 (none, to listen: one that is free). It keeps messages, of up to 8,192
/// octets, and loses none. -ORBFieldBus... are the options: they say what a controller does, and whether the ORB's
/// process is one. ORBs that are to share the process's terminals are given factories that one call made.
std::shared_ptr<const corbel::transport::Factory> make_field_bus();

}  // namespace field_bus
