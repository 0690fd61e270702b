// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "corbel/poa/upcall.hpp"

namespace corbel::poa {

/// The repository id of the most derived interface; asks the servant.
std::string interface_of(const Upcall& upcall);

/// Of an operation whose name begins with '_'.
bool serve_underscored(const Upcall& upcall, corba::ServerCall& call);
/// Serves the operations that every object has: _is_a, _non_existent (and _not_existent, as GIOP 1.0 and 1.1 spell it),
/// _repository_id, _component and _interface; _domain_managers throws NO_IMPLEMENT. False for any other operation.
inline bool serve_built_in(const Upcall& upcall, corba::ServerCall& call) {
  const std::string_view operation = call.operation();
  if (operation.empty() || operation[0] != '_') [[likely]]
    return false;
  return serve_underscored(upcall, call);
}

}  // namespace corbel::poa
