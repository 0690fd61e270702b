// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "corbel/orb/options.hpp"

namespace corbel::orb {

/// Takes options from the environment, then from `arguments` (which win), and removes from `arguments` what it took:
/// `-ORBName value` and `-ORBName=value`, anywhere; an argument `--` ends the search. Throws BAD_PARAM naming an
/// unknown option (and its nearest known one) or saying which values are legal; INITIALIZE with the help text as detail
/// for -ORBHelp.
Options read_options(std::vector<std::string>& arguments);
/// As above for main's arguments.
Options read_options(int& argc, char** argv);

}  // namespace corbel::orb
