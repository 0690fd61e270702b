// SPDX-License-Identifier: Apache-2.0
// The analysis of NASA report NAS-96-006: the time of a message is T = b0 + b1 m for m octets.
#pragma once

#include <optional>
#include <vector>

#include "common/results.hpp"
#include "report/regression.hpp"

namespace bench {

/// What the model says about one mechanism over one network and one type of data.
struct NetworkParameters {
  Case of;                         ///< of the streams, without the size of buffers
  Line line;                       ///< microseconds over octets
  double r_max = 0;                ///< 1 / b1, Mbit/s: the greatest throughput that can be reached
  Interval r_max_range = {};       ///< 90 % confidence; high is infinite if b1 may be 0
  double n_half = 0;               ///< octets of the message that reaches half of r_max
  bool n_half_at_most = false;     ///< even the smallest message reached it
  std::optional<double> t_0 = {};  ///< microseconds of the least round trip, where it was measured
  double smallest = 0;             ///< message, octets
  double largest = 0;
};

/// One row for each mechanism, network and type of the streams (suite ttcp) with at least three sizes of 1 KiB or more
/// whose time grows with their size. Start-up times come from the results of suite latency. Streams whose time does not
/// grow have no r_max: noise was greater than what more octets cost; they are added to `unfit`.
std::vector<NetworkParameters> network_parameters(const std::vector<Result>& results,
                                                  std::vector<Case>* unfit = nullptr);

}  // namespace bench
