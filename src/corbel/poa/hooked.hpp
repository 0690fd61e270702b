// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "corbel/orb/hooks.hpp"

namespace corbel::poa {

/// What hooks have said of an adapter while it was being made. Does not change from then on.
struct Hooked {
  std::vector<orb::NewAdapter::Component> components;  ///< what its references say besides
  std::shared_ptr<orb::ReferenceSource> source;        ///< makes these in its place; null: it does
  std::shared_ptr<void> known;                         ///< by which they are told of its end; null: they are not
};

}  // namespace corbel::poa
