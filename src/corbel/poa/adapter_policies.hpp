// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "corbel/orb/hooks.hpp"
#include "corbel/poa/lane_policy.hpp"
#include "corbel/poa/policies.hpp"

namespace corbel::poa {

/// The policies of one POA, resolved. The defaults are the specification's (CORBA 3.3 part 1, 15.3.8).
struct AdapterPolicies {
  PortableServer::ThreadPolicyValue threads = PortableServer::ThreadPolicyValue::ORB_CTRL_MODEL;
  bool persistent = false;
  bool unique_ids = true;
  bool system_ids = true;
  bool implicit_activation = false;
  bool retain = true;
  PortableServer::RequestProcessingPolicyValue processing =
      PortableServer::RequestProcessingPolicyValue::USE_ACTIVE_OBJECT_MAP_ONLY;

  /// True if calls into the application have to wait for their turn.
  bool takes_turns() const noexcept { return threads != PortableServer::ThreadPolicyValue::ORB_CTRL_MODEL; }
  bool main_thread() const noexcept { return threads == PortableServer::ThreadPolicyValue::MAIN_THREAD_MODEL; }
  bool both_ways = false;                              ///< BiDirPolicy::BOTH
  std::string lane;                                    ///< empty: the first
  std::uint16_t lane_index = 0;                        ///< where the list names it
  std::shared_ptr<const LaneGroup> lane_group;         ///< that references name instead; null: none
  CORBA::PolicyList others;                            ///< of types that the application made its own
  std::vector<const SelectsProfiles*> selectors;       ///< those of `others` that are such
  std::vector<orb::NewAdapter::Component> components;  ///< what references say besides

  bool use_default_servant() const noexcept {
    return processing == PortableServer::RequestProcessingPolicyValue::USE_DEFAULT_SERVANT;
  }
  bool use_servant_manager() const noexcept {
    return processing == PortableServer::RequestProcessingPolicyValue::USE_SERVANT_MANAGER;
  }
};

/// Throws POA::InvalidPolicy with the index of the first policy that is no POA policy, contradicts an earlier one, or
/// cannot be combined with the others. `hooks`: they may know further types; may be null.
AdapterPolicies resolve_policies(const CORBA::PolicyList& policies, const orb::CallHooks* hooks);
/// Asks the hooks what references are to say.
void establish_components(AdapterPolicies& policies, orb::CallHooks* hooks);

/// The policy of a type; nil if there is none.
CORBA::object_reference<CORBA::Policy> make_policy(const AdapterPolicies& policies, CORBA::PolicyType type);

}  // namespace corbel::poa
