// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "corbel/corba/policy_core.hpp"
#include "corbel/poa/callers.hpp"
#include "corbel/poa/lane_group.hpp"

namespace corbel::poa {

/// The policies of one POA, resolved. The defaults are the specification's (CORBA 3.3 part 1, 15.3.8).
struct AdapterPolicies {
  enum class Threads : std::uint8_t { orb_controlled, one_at_a_time, main_thread };
  enum class Processing : std::uint8_t { active_object_map_only, default_servant, servant_manager };

  Threads threads = Threads::orb_controlled;
  bool persistent = false;
  bool unique_ids = true;
  bool system_ids = true;
  bool implicit_activation = false;
  bool retain = true;
  Processing processing = Processing::active_object_map_only;

  /// True if calls into the application have to wait for their turn.
  bool takes_turns() const noexcept { return threads != Threads::orb_controlled; }
  bool main_thread() const noexcept { return threads == Threads::main_thread; }
  bool both_ways = false;                         ///< BiDirPolicy::BOTH
  std::string lane;                               ///< empty: the first
  std::uint16_t lane_index = 0;                   ///< where the list names it
  std::shared_ptr<const LaneGroup> lane_group;    ///< that references name instead; null: none
  std::shared_ptr<const Callers> callers;         ///< whose requests it takes; null: everybody's
  corba::PolicyCores others;                      ///< of types that the application made its own
  std::vector<const SelectsProfiles*> selectors;  ///< those of `others` that are such

  bool use_default_servant() const noexcept { return processing == Processing::default_servant; }
  bool use_servant_manager() const noexcept { return processing == Processing::servant_manager; }
};

}  // namespace corbel::poa
