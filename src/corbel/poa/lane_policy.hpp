// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "corbel/corba/policy.hpp"
#include "corbel/poa/lane_group.hpp"

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
  CORBA::PolicyType policy_type() override { return kLanePolicy; }
  IDL::traits<CORBA::Policy>::ref_type copy() override;
  bool _static_is_a(std::string_view repository_id) const noexcept override;

 private:
  const std::string lane_;
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

}  // namespace corbel::poa
