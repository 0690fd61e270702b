// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "corbel/orb/components.hpp"

namespace corbel::orb {

/// Loads the plug-ins, in order, and adds what they bring. Throws INITIALIZE, which says what is wrong with which file.
void load_plugins(const std::vector<std::string>& files, Components& components);

}  // namespace corbel::orb
