// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "corbel/base/deadline.hpp"
#include "corbel/corba/object.hpp"
#include "corbel/orb/orb.hpp"

/// Oneways that are kept back (corbel/corba/buffering_policy.hpp) or that their peers have not taken.
namespace corbel::orb {

/// Sends what waits for the object, and whatever waits with it on the same connection; returns when all of it has left.
/// False if it has not after `timeout`, and waits on, or if it was lost with its connection, of which the log tells.
/// Thread-safe. Throws INV_OBJREF for nil, BAD_INV_ORDER in a child of the process that made the ORB.
CORBEL_API bool flush_oneways(const CORBA::object_reference<CORBA::Object>& object,
                              base::Duration timeout = std::chrono::seconds(1));
/// The same over all connections of the ORB. Allocates; not for every call.
CORBEL_API bool flush_oneways(CORBA::ORB& orb, base::Duration timeout = std::chrono::seconds(1));

}  // namespace corbel::orb
