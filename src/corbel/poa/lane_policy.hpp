// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "corbel/corba/policy.hpp"
#include "corbel/ior/tagged.hpp"

namespace corbel::poa {
class LanePolicy;
}

template <>
struct IDL::traits<corbel::poa::LanePolicy> : corbel::corba::LocalTraits<corbel::poa::LanePolicy> {};

namespace corbel::poa {

inline constexpr CORBA::PolicyType kLanePolicy = 0x43420001;

/// Corbel's own policy for create_POA: the lane (-ORBLane) whose endpoints the adapter's references name and whose
/// threads therefore serve its requests. Without it, or with an empty name, those of all other options. create_POA
/// throws InvalidPolicy if the ORB has no such lane.
///
///     root->create_POA("alarms", manager, {CORBA::make_reference<corbel::poa::LanePolicy>("urgent")});
class CORBEL_API LanePolicy final : public CORBA::Policy {
 public:
  static constexpr std::string_view _interface_id = "IDL:corbel/poa/LanePolicy:1.0";

  explicit LanePolicy(std::string lane) : lane_(std::move(lane)) {}
  const std::string& lane() const noexcept { return lane_; }
  CORBA::PolicyType policy_type() const override { return kLanePolicy; }
  IDL::traits<CORBA::Policy>::ref_type copy() const override;
  bool _static_is_a(std::string_view repository_id) const noexcept override;

 private:
  const std::string lane_;
};

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

/// What a policy of the application's own may be, too (its type needs a PortableInterceptor::PolicyFactory): it chooses
/// the lane of the adapter that is made with it.
class ChoosesLane {
 public:
  virtual ~ChoosesLane() = default;
  /// By all policies that the adapter is to have. Nothing: create_POA throws InvalidPolicy with the index of this one.
  virtual std::optional<std::string> choose_lane(const CORBA::PolicyList& policies) const = 0;
  /// The lanes of its references, if they are several. Asked after choose_lane(), with the same policies.
  virtual std::shared_ptr<const LaneGroup> lane_group(const CORBA::PolicyList&) const { return nullptr; }
};

/// The same for a policy that says which of its profiles a reference of the adapter has.
class SelectsProfiles {
 public:
  virtual ~SelectsProfiles() = default;
  /// Leaves those, in their order. Throws what making the reference ends in.
  virtual void select_profiles(std::vector<ior::TaggedProfile>& profiles) const = 0;
};

}  // namespace corbel::poa
