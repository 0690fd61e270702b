// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "corbel/base/export.hpp"
#include "corbel/base/shared_ptr.hpp"

namespace corbel::corba {

/// A policy as targets hand it out, whichever C++ mapping it is an object of; who asked knows it again as one of its
/// own. Immutable, thread-safe.
class CORBEL_API PolicyCore : public virtual base::SharedFromThis {
 public:
  virtual ~PolicyCore();
  PolicyCore(const PolicyCore&) = delete;
  PolicyCore& operator=(const PolicyCore&) = delete;

  /// CORBA::PolicyType.
  virtual std::uint32_t policy_type() const = 0;

 protected:
  PolicyCore() noexcept = default;
};

using PolicyCorePtr = base::SharedPtr<PolicyCore>;

}  // namespace corbel::corba
