// SPDX-License-Identifier: Apache-2.0
#include "corbel/orb/branching_target.hpp"

#include <algorithm>
#include <mutex>

#include "corbel/corba/exception_core.hpp"
#include "corbel/orb/core.hpp"

namespace corbel::orb {

BranchingTarget::BranchingTarget(Core& core, ior::Ior ior, corba::PolicySetPtr overrides, LentPtr lent,
                                 std::shared_ptr<const Branches> branches)
    : core_(core),
      owner_(core.owner()),
      ior_(std::move(ior)),
      policies_(std::move(overrides)),
      lent_(std::move(lent)),
      branches_(std::move(branches)) {}

cdr::Context& BranchingTarget::context() const noexcept {
  return core_.context();
}

corba::TargetPtr BranchingTarget::with_overrides(corba::PolicySetPtr overrides) const {
  return core_.make_target(ior_, std::move(overrides), lent_);
}

corba::PolicyCorePtr BranchingTarget::policy(std::uint32_t type) {
  return core_.policies().find(policies_, type);
}

corba::TargetPtr BranchingTarget::called_directly() {
  ior::Ior ior = ior_;
  return core_.make_target_here(ior, policies_.overrides());
}

/// That of a call which this thread begins now.
BranchingTarget::WayPtr BranchingTarget::way() try {
  const auto find = [&](std::uint32_t type) { return policy(type); };
  const BranchKey key = branches_->choose(find);
  const auto is_it = [&](const auto& one) { return one.first == key; };
  {
    const std::lock_guard lock(mutex_);
    const auto known = std::ranges::find_if(ways_, is_it);
    if (known != ways_.end()) return known->second;
  }
  BranchPtr branch = key == BranchKey{} ? nullptr : branches_->make(key, find);
  auto made = base::make_shared<RemoteTarget>(core_, ior_, policies_.overrides(), lent_,
                                              RemoteTarget::Leads::everywhere, std::move(branch));
  std::vector<std::pair<BranchKey, WayPtr>> before;  // goes after the lock
  const std::lock_guard lock(mutex_);
  const auto known = std::ranges::find_if(ways_, is_it);  // another thread may have been faster
  if (known != ways_.end()) return known->second;
  if (ways_.size() == kMost) before.swap(ways_);
  ways_.emplace_back(key, made);
  return made;
} catch (corba::SystemExceptionCore& exception) {
  exception.ends_own_call();
  throw;
}

corba::PolicyCores BranchingTarget::unfit_policies() {
  auto unfit = branches_->unfit([&](std::uint32_t type) { return policy(type); });
  return unfit.empty() ? way()->unfit_policies() : unfit;
}

bool BranchingTarget::flush_oneways(base::Deadline deadline) {
  std::vector<std::pair<BranchKey, WayPtr>> ways;
  {
    const std::lock_guard lock(mutex_);
    ways = ways_;
  }
  bool flushed = true;
  for (const auto& [key, way] : ways) flushed = way->flush_oneways(deadline) && flushed;
  return flushed;
}

}  // namespace corbel::orb
