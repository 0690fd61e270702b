// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace corbel::orb {
class Core;
}

namespace corbel::interceptors {

/// For Components::initialise: has the registered ORBInitializers take part in making an ORB, and installs the
/// interceptors that they add. Throws what they throw.
void initialise(orb::Core& core, const std::vector<std::string>& arguments);

}  // namespace corbel::interceptors
