// SPDX-License-Identifier: Apache-2.0
// Which figures of a run may be compared with its control.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "common/results.hpp"

namespace bench {

/// The raw sockets of every case, and how much they varied. A ratio to a control that itself varied by more than a
/// quarter (Summary::spread) says nothing.
class Trust {
 public:
  explicit Trust(const std::vector<Result>& results);

  /// True if the control of this figure, or the figure itself if it is one, varied too much.
  bool doubts(const Result& result) const;
  /// Those that may be compared.
  std::vector<Result> trusted(const std::vector<Result>& results) const;

 private:
  using Key = std::tuple<std::string, std::string, Case>;  ///< suite, metric, what all of the case have in common
  static Key key_of(const Result& result);
  std::map<Key, double> spreads_;
};

}  // namespace bench
