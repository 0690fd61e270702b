// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "corbel/ior/tagged.hpp"

namespace corbel::poa {

/// Several lanes of one adapter: each of its references leads to all of them, and the client has the choice. Immutable,
/// thread-safe.
class LaneGroup {
 public:
  LaneGroup() = default;
  virtual ~LaneGroup() = default;
  LaneGroup(const LaneGroup&) = delete;
  LaneGroup& operator=(const LaneGroup&) = delete;

  virtual const std::vector<std::string>& lanes() const noexcept = 0;
  /// The profiles of a reference, made of those that it has in each of the lanes, in their order.
  virtual std::vector<ior::TaggedProfile> join(std::vector<std::vector<ior::TaggedProfile>> profiles) const = 0;
};

/// What a policy of the application's own may be, too: it says which of its profiles a reference of the adapter has.
class SelectsProfiles {
 public:
  virtual ~SelectsProfiles() = default;
  /// Leaves those, in their order. Asked of each lane's, if they are several, and of all; making the reference ends in
  /// INV_POLICY if none is left in the end.
  virtual void select_profiles(std::vector<ior::TaggedProfile>& profiles) const = 0;
};

}  // namespace corbel::poa
