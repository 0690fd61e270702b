// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>

#include "corbel/base/fork.hpp"
#include "corbel/base/intrusive_ptr.hpp"
#include "corbel/corba/policy_set.hpp"
#include "corbel/orb/edges.hpp"
#include "corbel/policy/client_policies.hpp"

namespace corbel::orb {

/// Effective policies, shared by all calls that have them. Immutable.
struct EffectivePolicies : base::RefCounted {
  EffectivePolicies(const policy::ClientPolicies& policies, const policy::ProtocolPreference& preferred) noexcept
      : calls(policies), preference(preferred) {}
  const policy::ClientPolicies calls;
  const policy::ProtocolPreference& preference;
};
using EffectivePtr = base::IntrusivePtr<const EffectivePolicies>;

/// The policies of one reference, and what is effective for it without those of the calling thread.
class ReferencePolicies {
 public:
  explicit ReferencePolicies(corba::PolicySetPtr overrides) noexcept : overrides_(std::move(overrides)) {}
  const corba::PolicySetPtr& overrides() const noexcept { return overrides_; }

 private:
  friend class PolicyLevels;
  const corba::PolicySetPtr overrides_;
  // Guarded by the mutex of the levels.
  EffectivePtr effective_;
  std::uint64_t version_ = 0;
};

/// The policies of an ORB: its defaults, its own overrides and those of threads; what is effective is worked out once
/// per change (CORBA 3.3 part 1, 8.10, 17.2). Thread-safe.
class PolicyLevels {
 public:
  /// `edges` is told of changes. It and `preference` outlive this.
  PolicyLevels(const policy::ClientPolicies& defaults, const policy::ProtocolPreference& preference, Edges& edges);

  corba::PolicySetPtr of_orb();
  /// As PolicySet::changed.
  void change_orb(const corba::PolicyCores& policies, corba::PolicySet::Change how);
  /// Of the calling thread.
  corba::PolicySetPtr of_thread() const;
  void change_thread(const corba::PolicyCores& policies, corba::PolicySet::Change how);
  /// Around what the calling thread runs for others: afterwards it has the policies that it has now. Costs nothing as
  /// long as no thread has any.
  class Restored {
   public:
    explicit Restored(PolicyLevels& levels)
        : levels_(levels), before_(levels.any_thread() ? levels.of_thread() : nullptr) {}
    ~Restored() {
      if (levels_.any_thread()) levels_.replace_thread(std::move(before_));
    }
    Restored(const Restored&) = delete;
    Restored& operator=(const Restored&) = delete;

   private:
    PolicyLevels& levels_;
    corba::PolicySetPtr before_;
  };
  /// The calling thread has these from now on; null: none.
  void replace_thread(corba::PolicySetPtr policies) noexcept;

  /// What governs a call through the reference that the calling thread begins now.
  EffectivePtr effective(ReferencePolicies& reference);
  /// The policy of a type that is effective for such a call: an override or, for what calls obey, the default. Null if
  /// there is none.
  corba::PolicyCorePtr find(const ReferencePolicies& reference, std::uint32_t type);

 private:
  bool any_thread() const noexcept { return (edges_.word() & Edges::kThreadPolicies) != 0; }
  struct OfThread;
  OfThread* thread() const noexcept;
  void set_thread(corba::PolicySetPtr policies);
  EffectivePtr effective_in(OfThread& thread, const ReferencePolicies& reference);
  EffectivePtr resolve(const corba::PolicySetPtr& reference, const corba::PolicySetPtr& thread) const;

  const policy::ClientPolicies defaults_;
  const policy::ProtocolPreference& preference_;
  const std::uint64_t id_;  // no other one in this process has it
  Edges& edges_;
  base::ForkMutex mutex_;  // guards what follows
  corba::PolicySetPtr of_orb_;
  EffectivePtr of_orb_alone_;  // for references without overrides
  std::uint64_t version_ = 1;
};

}  // namespace corbel::orb
