// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/machine.hpp"
#include "common/statistics.hpp"

namespace bench {

/// What was measured: orb, protocol, transport, type, buffer, side, placement, ... by name.
using Case = std::map<std::string, std::string>;

/// One figure.
struct Result {
  std::string suite;
  Case of;
  std::string metric;
  std::string unit;
  Summary value;
  std::optional<double> control = {};  ///< median of the control in the same run; `of["control"]` names it
};

/// The figures of a run and the machine they come from: what `--json` of every command writes.
struct Report {
  Machine machine;
  std::vector<Result> results;
  std::vector<std::string> warnings = {};  ///< reasons not to trust its times
};

/// The one shape: an object with `machine` {processor, cores, kernel, load, versions} and `results`, a list of objects
/// with suite, case, metric, unit, value (the median), min, max, n, with five samples or more uncertainty
/// (statistics.hpp) and, where there is a control, control and ratio; `warnings`, a list of texts. Figures that are not
/// numbers are left out.
std::string to_json(const Report& report);

/// Writes to_json to the file; throws std::runtime_error if that fails.
void write_json(const Report& report, const std::string& path);

}  // namespace bench
