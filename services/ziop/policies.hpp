// SPDX-License-Identifier: Apache-2.0
// The policies of compression: making them, and what those of a call or an adapter come to.
#pragma once

#include <functional>

#include "engine.hpp"

namespace corbel::ziop {

using PolicyRef = IDL::traits<CORBA::Policy>::ref_type;

/// What these say over what `otherwise` says. `policy`: gives that of a type, or nil.
Terms terms_of(const std::function<PolicyRef(CORBA::PolicyType)>& policy, const Terms& otherwise);
/// True if `policy` gives any.
bool any_policy(const std::function<PolicyRef(CORBA::PolicyType)>& policy);

/// As ORB::create_policy; nil for other types.
PolicyRef make_policy(CORBA::PolicyType type, const CORBA::Any& value);

}  // namespace corbel::ziop
