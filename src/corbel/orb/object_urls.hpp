// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "corbel/corba/object.hpp"

namespace corbel::orb {

class Core;

/// Reads IOR:, corbaloc:, corbaname: and file: references (CORBA 3.3 part 2, 7.6.10). A corbaname with a name asks the
/// naming service. Throws BAD_PARAM minors OMG 7 to 10, InvalidName for an unknown rir: name, and whatever asking
/// throws.
CORBA::object_reference<CORBA::Object> read_reference(Core& core, std::string_view text);

}  // namespace corbel::orb
