// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "corbel/base/export.hpp"
#include "corbel/base/shared_ptr.hpp"

namespace corbel::policy {
struct ClientOverrides;
struct ClientPolicies;
}  // namespace corbel::policy

namespace corbel::corba {

/// A policy as ORBs, threads, references and targets have it, whichever C++ mapping it is an object of; who asked knows
/// it again as one of its own. Immutable, thread-safe.
class CORBEL_API PolicyCore : public virtual base::SharedFromThis {
 public:
  virtual ~PolicyCore();
  PolicyCore(const PolicyCore&) = delete;
  PolicyCore& operator=(const PolicyCore&) = delete;

  /// CORBA::PolicyType.
  virtual std::uint32_t _type() const = 0;

  /// For the ORB: writes into `overrides` what the policy says about calls. Those of applications say nothing to it.
  virtual void _override(policy::ClientOverrides& overrides) const noexcept;
  /// For the ORB: false if the policy concerns no calls, so that no reference, thread or ORB can have it.
  virtual bool _overrides() const noexcept { return true; }

 protected:
  PolicyCore() noexcept = default;
};

using PolicyCorePtr = base::SharedPtr<PolicyCore>;
using PolicyCores = std::vector<PolicyCorePtr>;

/// The policy of a type that says what calls obey if nobody says otherwise; null if there is none of the type. The C++
/// mapping makes it.
PolicyCorePtr make_default_policy(const policy::ClientPolicies& defaults, std::uint32_t type);

}  // namespace corbel::corba
