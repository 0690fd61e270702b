// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "common/statistics.hpp"

namespace bench {

/// How often what is measured in turns is measured: `least` times, and up to `most` times while a median is known no
/// better than within `kKnown` and the run is ahead of its pace (progress.hpp).
struct Rounds {
  static constexpr double kKnown = 0.025;

  std::size_t least = 5;
  std::size_t most = 5;

  /// True if another round shall follow `done` of them; `samples` says, when asked, what was measured so far.
  template <class Samples>
  bool again(std::size_t done, bool ahead, Samples samples) const {
    if (done < least) return true;
    if (done >= most || !ahead) return false;
    for (const std::vector<double>& one : samples()) {
      if (!one.empty() && uncertainty(one) > kKnown) return true;
    }
    return false;
  }
};

}  // namespace bench
