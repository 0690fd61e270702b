// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "common/results.hpp"

namespace bench {

/// Reasons not to trust the times of a run, in words: other programs wanted the processors, the host took processor
/// time away, or the control itself varied. Empty if there is none.
std::vector<std::string> doubts(const Report& report, double stolen_percent);

}  // namespace bench
