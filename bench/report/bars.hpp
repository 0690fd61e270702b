// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/results.hpp"

namespace bench {

/// The four bars of a call in figure 18 of the 2001 paper, both sides together, in microseconds.
struct CallBars {
  Case of;  ///< protocol and transport
  double messaging = 0;
  double adapter = 0;  ///< the transport adapter
  double orb = 0;
  double system = 0;  ///< the rest: of the client's time, what no layer in user space took on either side
  std::optional<double> whole = {};  ///< of a call as measured

  double sum() const { return messaging + adapter + orb + system; }
};

/// True if the time of this layer is that of a system call.
bool is_system_layer(const std::string& layer);

/// Those of void calls, by protocol and transport, that the results of suite whitebox hold.
std::vector<CallBars> bars_of(const std::vector<Result>& results);

}  // namespace bench
