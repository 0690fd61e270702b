// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/corba/object.hpp"

namespace corbel::orb {

// For the initial references; `orb` is a Core.

/// "ORBPolicyManager": the policies of the ORB (CORBA 3.3 part 1, 8.10.3).
CORBA::object_reference<CORBA::Object> make_policy_manager(corba::OrbContext& orb);
/// "PolicyCurrent": those of the calling thread (8.10.4).
CORBA::object_reference<CORBA::Object> make_policy_current(corba::OrbContext& orb);

}  // namespace corbel::orb
