// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "corbel/orb/components.hpp"

namespace corbel::orb {

/// Loads the plug-ins and adds what they bring behind what is there. Throws as below.
void load_plugins(const std::vector<std::string>& files, Components& components);

/// Loads the plug-in and adds what it brings, all or nothing. Throws INITIALIZE, which says what is wrong with which
/// file.
void load_plugin(Core& core, const std::string& file);

}  // namespace corbel::orb
