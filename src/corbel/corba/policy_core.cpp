// SPDX-License-Identifier: Apache-2.0
#include "corbel/corba/policy_core.hpp"

namespace corbel::corba {

PolicyCore::~PolicyCore() = default;

void PolicyCore::_override(policy::ClientOverrides&) const noexcept {}

}  // namespace corbel::corba
