// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/base/bytes.hpp"
#include "corbel/base/deadline.hpp"
#include "corbel/corba/call.hpp"
#include "corbel/corba/policy_set.hpp"
#include "corbel/ior/ior.hpp"

namespace corbel::orb {

class Core;

/// The target of a reference to an object of this ORB: calls go to the object adapter on the caller's thread, without a
/// buffer; the POA's policies and its manager's state apply as for any request. Of the reference's own policies those
/// about oneways apply, and its times until the servant begins: one that runs on the caller's thread cannot be left.
/// What the adapter forwards goes on as what a server forwards; what it refuses before anything of the application has
/// run goes on to the reference's places in other processes, if it has any. Keeps the ORB alive.
corba::TargetPtr make_local_target(Core& core, ior::Ior ior, base::Bytes object_key, corba::PolicySetPtr overrides);

/// Sends the oneways that went on to other places and wait there. True if all have left by the deadline, or if `target`
/// is not local.
bool flush_oneways_elsewhere(corba::Target& target, base::Deadline deadline);

}  // namespace corbel::orb
