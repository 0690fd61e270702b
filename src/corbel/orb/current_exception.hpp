// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace corbel::orb {

/// In a handler: the name of the type of what is being handled, as C++ spells it; "unknown" if it is none of C++'s.
std::string current_exception_type();

}  // namespace corbel::orb
