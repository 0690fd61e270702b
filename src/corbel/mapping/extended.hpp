// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/mapping/bits.hpp"
#include "corbel/mapping/map.hpp"
#include "corbel/mapping/optional.hpp"

/// What IDL 4 adds: map, @optional, bitmask and bitset. CORBA has no wire form for them; these are ours
/// (docs/mapping.md), so both ends must be Corbel or agree with it. Generated code includes of these what it needs.
