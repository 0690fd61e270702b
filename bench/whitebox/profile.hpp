// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace bench {

/// What one call spends in a layer.
struct LayerTime {
  std::string layer;
  double microseconds;  ///< median over the calls, the cost of the probes taken off
};

/// Reads the time probes of one side (corbel/base/probe.hpp says how they are written), cuts them into calls, each from
/// one occurrence of the layer `first` to the next, and leaves out the first quarter. The layers come in the order in
/// which a call enters them. A thread's probes are used if it entered `first` more often than any other.
/// `probe_cost` (microseconds) is taken off each visit of a layer. Empty if the file does not exist.
std::vector<LayerTime> read_profile(const std::string& path, const std::string& first, double probe_cost);

/// Microseconds that one probe costs: the median distance of the layers "calibration". 0 if there are none.
double probe_cost(const std::string& path);

}  // namespace bench
