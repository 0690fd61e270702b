// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/corba/policy.hpp"

namespace CORBA {
class Any;
}
namespace corbel::orb {
class Core;
}

namespace corbel::interceptors {

/// A policy of a type that the application has registered a factory for; nil if it has not. Throws what that throws.
CORBA::object_reference<CORBA::Policy> make_policy(orb::Core& core, CORBA::PolicyType type, const CORBA::Any& value);

}  // namespace corbel::interceptors
