// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "common/results.hpp"
#include "suites/suite.hpp"

namespace bench {

/// Runs a program that uses micro/meter.hpp, and again under callgrind where that is installed. Adds a result of metric
/// "time" (ns) and one of metric "instructions" for each piece it measures; their cases are the pieces' names. Throws
/// std::runtime_error if the program cannot run.
void add_metered(const std::string& suite, const std::string& program, const Settings& settings, Report& report);

/// The value of a case and a metric; not a number if there is none.
double value_in(const std::vector<Result>& results, const std::string& suite, const std::string& metric,
                const Case& wanted);

}  // namespace bench
