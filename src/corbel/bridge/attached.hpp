// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/bridge/means.hpp"

namespace corbel::bridge {

/// What a bridge has once its ORB is known.
struct Attached {
  /// Nothing is owned.
  Attached(orb::Core& core, ReferenceTable& table, const Settings& settings, Counters& counters, Pending& pending);

  Proxies proxies;
  Succession succession;
  Means means;
};

}  // namespace corbel::bridge
