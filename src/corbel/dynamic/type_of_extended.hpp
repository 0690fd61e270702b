// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/dynamic/type_of_fixed.hpp"
#include "corbel/dynamic/type_of_map.hpp"
#include "corbel/mapping/extended.hpp"

/// TypeCodes of fixed, and of what IDL 4 adds. Generated code includes of these what it needs.
