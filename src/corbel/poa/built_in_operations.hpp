// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/poa/upcall.hpp"

namespace corbel::poa {

/// Serves the operations that every object has: _is_a, _non_existent (and _not_existent, as GIOP 1.0 and 1.1 spell it),
/// _repository_id; _interface, _component and _domain_managers throw NO_IMPLEMENT. False for any other operation.
/// The repository id of the most derived interface; asks the servant.
std::string interface_of(const Upcall& upcall);

bool serve_built_in(const Upcall& upcall, corba::ServerCall& call);

}  // namespace corbel::poa
