// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/bridge/asked.hpp"
#include "corbel/bridge/means.hpp"
#include "corbel/connection/connection.hpp"
#include "corbel/corba/failure.hpp"

namespace corbel::bridge {

/// Tells the client, and the log, that the bridge itself answers: with an exception, or to the question where an object
/// is with what that says. `core`: null while there is none. Throws std::bad_alloc.
void refuse(orb::Core* core, Counters& counters, connection::Connection& client, const Asked& asked,
            const corba::SystemFailure& failure);

}  // namespace corbel::bridge
