// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Everything an application includes besides its generated headers: the ORB and the object adapter.
#include "corbel/builtins/builtins.hpp"
#include "corbel/mapping/print.hpp"
#include "corbel/orb/orb.hpp"
#include "corbel/poa/poa.hpp"
