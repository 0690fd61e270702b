// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Everything an application includes besides its generated headers: the ORB and the object adapter. One that brings
/// protocols or transports of its own also includes "corbel/builtins/builtins.hpp", and with it the ports.
#include "corbel/mapping/print.hpp"
#include "corbel/orb/orb.hpp"
#include "corbel/poa/poa.hpp"
