// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace corbel::orb {

class Core;

/// Loads the plug-in and adds what it brings, all or nothing. Throws INITIALIZE, which says what is wrong with which
/// file.
void load_plugin(Core& core, const std::string& file);

}  // namespace corbel::orb
