// SPDX-License-Identifier: Apache-2.0
// References that lead to several lanes: how their endpoints and the lanes' priorities lie in profiles. They lie there
// as TAO writes them, in a component that lists the endpoints of a profile, its own first, each with its priority.
// Knows no ORB. Strangers' octets are safe.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <corbel/ior/ior.hpp>
#include <corbel/ior/tagged.hpp>

namespace corbel::real_time {

inline constexpr std::uint32_t kTagEndpoints = 0x54414f02;  ///< TAO_TAG_ENDPOINTS

/// What one lane publishes.
struct LaneProfiles {
  std::int16_t priority = 0;
  std::vector<ior::TaggedProfile> profiles;
};

/// Profiles that lead to all of the lanes; whoever does not know of lanes finds the first one.
std::vector<ior::TaggedProfile> join_lanes(const std::vector<LaneProfiles>& lanes);
/// The priorities of the lanes of a reference, each once, the lowest first; empty if it says nothing of lanes.
std::vector<std::int16_t> lanes_of(const ior::Ior& ior);
/// The same reference with what leads to lanes of this priority, and what says nothing of lanes; itself if nothing is
/// left then.
ior::Ior only_lane(const ior::Ior& ior, std::int16_t priority);

/// Those of a profile of a kind that is known here.
std::vector<ior::TaggedComponent> components_of(const ior::TaggedProfile& profile);

/// Which of the lanes, whose priorities are sorted, serves a priority: the lane of just that one, else the one next
/// below, else the lowest. There is at least one.
std::int16_t lane_for(const std::vector<std::int16_t>& lanes, std::int16_t priority);

}  // namespace corbel::real_time
