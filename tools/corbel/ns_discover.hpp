// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "command.hpp"

namespace corbel::tool {

/// `corbel ns discover`, which needs no naming service.
void add_ns_discover(CLI::App& ns, Run& run);

}  // namespace corbel::tool
