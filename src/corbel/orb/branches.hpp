// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "corbel/base/function_ref.hpp"
#include "corbel/corba/policy_core.hpp"
#include "corbel/ior/ior.hpp"
#include "corbel/policy/transport_options.hpp"

/// Calls of one reference that go different ways, such as those of threads with different priorities.
namespace corbel::orb {

/// One of these ways. Immutable; shared by the calls that go it.
struct Branch {
  /// Transports that its calls may use, or protocols over them.
  struct Carrier {
    std::function<bool(std::string_view protocol, std::string_view scheme)> takes;  ///< "giop", "tcp"
    policy::TransportOptionsPtr options;  ///< of its connections; null: as the other policies say
  };

  /// What a reference is to it, the one it belongs to or one that calls are sent on to; empty: itself.
  std::function<ior::Ior(const ior::Ior&)> narrow;
  /// Calls share connections only with calls of branches that say the same; empty: and with those of none.
  std::string connections;
  /// What may be used, best first; empty: all, as ever.
  std::vector<Carrier> carriers;
  /// The type of the policy that says so.
  std::uint32_t carriers_policy = 0;
};
using BranchPtr = std::shared_ptr<const Branch>;

/// Which of a reference's branches: equal for equal ones. All zero: none, the reference is called as it stands.
using BranchKey = std::array<std::uint64_t, 2>;

/// The branches of one reference. Thread-safe.
class Branches {
 public:
  /// The policy of a type that a call of this thread obeys; null if there is none.
  using FindPolicy = base::FunctionRef<corba::PolicyCorePtr(std::uint32_t)>;

  Branches() = default;
  virtual ~Branches() = default;
  Branches(const Branches&) = delete;
  Branches& operator=(const Branches&) = delete;

  /// Of a call that the calling thread begins. Throws the system exception that the call ends in.
  virtual BranchKey choose(FindPolicy find) const = 0;
  /// The branch that was chosen just now on this thread. Throws as choose().
  virtual BranchPtr make(const BranchKey& key, FindPolicy find) const = 0;
  /// Policies by which choose() throws INV_POLICY on this thread; empty if it does not.
  virtual corba::PolicyCores unfit(FindPolicy) const { return {}; }
};

/// What a client's interceptor may be, too: it says which ways the calls of its ORB's references go.
class PartsCalls {
 public:
  virtual ~PartsCalls() = default;
  /// Asked once for each reference to an object elsewhere; null: its calls all go one way.
  virtual std::shared_ptr<const Branches> branches_of(const ior::Ior& ior) const = 0;
};

}  // namespace corbel::orb
