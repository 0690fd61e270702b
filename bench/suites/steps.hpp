// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace bench {

/// The steps of a request in a server, in the order of kSteps.
inline const std::vector<std::string> kSteps = {"system", "connection", "message", "adapter", "lookup", "skeleton"};

/// The step of kSteps that a function of Corbel, omniORB or ONC RPC works for, by its short name (short_function); what
/// no other step knows is the system's: the C library, and what has no name.
std::string step_of(const std::string& function);

}  // namespace bench
