// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <corbel/orb/branches.hpp>

#include "parts.hpp"
#include "priorities.hpp"
#include "wire.hpp"

namespace corbel::real_time {

/// Which way the calls of one reference go: to the lane of their priority (Real-time CORBA 1.2, 5.14), over connections
/// of the band that it is in (5.12) or of this reference alone (5.13), by the protocols that the client wants (5.15).
/// Thread-safe.
class Ways final : public orb::Branches {
 public:
  Ways(std::shared_ptr<const Priorities> priorities, const ior::Ior& ior);
  orb::BranchKey choose(FindPolicy find) const override;
  orb::BranchPtr make(const orb::BranchKey& key, FindPolicy find) const override;
  corba::PolicyCores unfit(FindPolicy find) const override;

 private:
  Priority priority() const;
  std::optional<Band> band_of(Priority priority, FindPolicy find) const;
  Priority lane_of(Priority priority, const std::optional<Band>& band) const;

  const std::shared_ptr<const Priorities> priorities_;
  const Exposed exposed_;
  const std::vector<Priority> lanes_;
  const std::uint64_t number_;  // no other reference of the process has it
};

}  // namespace corbel::real_time
