// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/cdr/encoder.hpp"
#include "corbel/dynamic/type_code.hpp"

namespace corbel::dynamic {

/// Writes the value that a DynAny of the type begins with (CORBA 3.3 part 1, 16.2.1). Fails with bad_argument for kinds
/// that have none, with too_large if the type contains itself or is of monstrous size.
void put_default(cdr::Encoder& out, const CORBA::TypeCode& type);

}  // namespace corbel::dynamic
