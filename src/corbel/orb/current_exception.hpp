// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace corbel::orb {

/// In a handler: the name of the type of what is being handled, as C++ spells it; "unknown" if it is none of C++'s.
std::string current_exception_type();

/// In a handler, for the log: what() of what is being handled; its type if it has none.
std::string what_was_thrown();

}  // namespace corbel::orb
