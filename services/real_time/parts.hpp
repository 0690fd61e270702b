// SPDX-License-Identifier: Apache-2.0
// Between what knows RTCORBA.hpp and what knows portable interceptors.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <corbel/corbel.hpp>
#include <corbel/orb/branches.hpp>

#include "admission.hpp"
#include "priorities.hpp"
#include "wire.hpp"

namespace corbel::real_time {

/// What a PriorityModelPolicy is, too.
class HasModel {
 public:
  virtual ~HasModel() = default;
  virtual Model model() const noexcept = 0;
};

/// What a ThreadpoolPolicy is, too.
class HasPool {
 public:
  virtual ~HasPool() = default;
  virtual std::uint32_t id() const noexcept = 0;
  /// Of servants whose adapter has no model; nothing if the pool has lanes.
  virtual std::optional<Priority> default_priority() const noexcept = 0;
  /// The priorities of its threads, sorted: one for each lane.
  virtual const std::vector<Priority>& lanes() const noexcept = 0;
  /// By which its requests wait; null if the ORB's lanes say all.
  virtual const std::shared_ptr<Admission>& admission() const noexcept = 0;
};

/// What a pool's lane is called among those of the ORB.
inline std::string name_of_lane(std::uint32_t pool, Priority priority) {
  return "pool " + std::to_string(pool) + " priority " + std::to_string(priority);
}

/// What a PriorityBandedConnectionPolicy is, too.
class HasBands {
 public:
  virtual ~HasBands() = default;
  virtual const Bands& bands() const noexcept = 0;
};

/// The PriorityBandedConnectionPolicy that a reference says.
IDL::traits<CORBA::Policy>::ref_type policy_of_bands(Bands bands);

/// What a PrivateConnectionPolicy is, too.
class IsPrivate {
 public:
  virtual ~IsPrivate() = default;
};

/// What a ClientProtocolPolicy is, too.
class HasProtocols {
 public:
  virtual ~HasProtocols() = default;
  /// Equal for policies with equal carriers; not 0.
  virtual std::uint64_t number() const noexcept = 0;
  virtual const std::vector<orb::Branch::Carrier>& carriers() const noexcept = 0;
};

/// Of a policy that may be nil, or another one.
inline std::optional<Model> model_of(const IDL::traits<CORBA::Policy>::ref_type& policy) {
  const auto* has = policy == nullptr ? nullptr : dynamic_cast<const HasModel*>(policy._shared().get());
  return has == nullptr ? std::nullopt : std::optional(has->model());
}

/// The ORB of an RTORB, which it does not keep alive.
struct OrbOf {
  std::string id;
  std::atomic<bool> ended{false};
};

/// RTCORBA::RTORB and RTCORBA::Current. `endpoints`: of lanes.
IDL::traits<CORBA::Object>::ref_type make_rtorb(std::shared_ptr<Priorities> priorities,
                                                std::shared_ptr<const OrbOf> orb, std::vector<std::string> endpoints);
IDL::traits<CORBA::Object>::ref_type make_current(std::shared_ptr<Priorities> priorities);

}  // namespace corbel::real_time
