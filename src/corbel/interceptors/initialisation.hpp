// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "corbel/orb/components.hpp"

namespace corbel::interceptors {

/// For Components::initialise: has the registered ORBInitializers take part in making an ORB, and installs the
/// interceptors that they add; `own` after those of the process. Throws what they throw.
void initialise(orb::Core& core, const std::vector<std::string>& arguments, const orb::Initialisers& own);

}  // namespace corbel::interceptors
