// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "corbel/base/fork.hpp"
#include "corbel/base/shared_ptr.hpp"
#include "corbel/corba/call.hpp"
#include "corbel/orb/branches.hpp"
#include "corbel/orb/remote_target.hpp"

namespace corbel::orb {

/// A remote object whose calls go several ways: chooses the one of each call, and has a RemoteTarget for each that is
/// gone. Only in ORBs where something PartsCalls. Thread-safe.
class BranchingTarget final : public corba::Target, public base::SharedFromThis {
 public:
  /// As RemoteTarget.
  BranchingTarget(Core& core, ior::Ior ior, corba::PolicySetPtr overrides, LentPtr lent,
                  std::shared_ptr<const Branches> branches);

  void invoke(const corba::Call& call) override { way()->invoke(call); }
  void invoke_async(corba::AsyncCall& call) override { way()->invoke_async(call); }
  const ior::Ior& ior() const override { return ior_; }
  cdr::Context& context() const noexcept override;
  bool is_local() const noexcept override { return false; }
  corba::PolicySetPtr overrides() const override { return policies_.overrides(); }
  corba::TargetPtr with_overrides(corba::PolicySetPtr overrides) const override;
  corba::PolicyCorePtr policy(std::uint32_t type) override;
  /// Of the way that a call of this thread goes.
  void rebind() override { way()->rebind(); }
  corba::PolicyCores unfit_policies() override;
  corba::TargetPtr called_directly() override;
  /// Of the way that a call of this thread goes.
  transport::LentMemory lend(std::size_t octets) { return way()->lend(octets); }
  /// RemoteTarget::flush_oneways of each.
  bool flush_oneways(base::Deadline deadline);

 private:
  using WayPtr = base::SharedPtr<RemoteTarget>;
  /// Threads may change policies as often as they like: when there are so many ways, none is remembered any more.
  static constexpr std::size_t kMost = 64;

  WayPtr way();

  Core& core_;
  const base::SharedPtr<Core> owner_;  // of core_
  const ior::Ior ior_;
  ReferencePolicies policies_;
  const LentPtr lent_;
  const std::shared_ptr<const Branches> branches_;

  base::ForkMutex mutex_;  // guards what follows
  std::vector<std::pair<BranchKey, WayPtr>> ways_;
};

}  // namespace corbel::orb
