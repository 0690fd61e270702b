// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "corbel/orb/orb.hpp"

namespace corbel::orb {

/// From now on requests to a group (a reference with a UIPMC profile, such as corbaloc:miop:...) are given to `member`,
/// an object of an adapter of `orb`, as to any other member, one after the other: what PortableGroup::GOA calls
/// associate_reference_with_id. The ORB begins to listen at the group's address if it does not. A request arrives or
/// does not, and nothing comes back. Thread-safe. Throws BAD_PARAM if `group` is no group or `member` no object of this
/// ORB, INITIALIZE or what listening throws if the address cannot be listened at.
CORBEL_API void join_group(CORBA::ORB& orb, const CORBA::object_reference<CORBA::Object>& group,
                           const CORBA::object_reference<CORBA::Object>& member);

/// A reference to the same group over another protocol than GIOP: "frames", for streams. What it is sent reaches those
/// that have joined it by such a reference; its text (object_to_string) says all of it. Throws BAD_PARAM if `group`
/// names no group, or the protocol is unknown or has none.
CORBEL_API CORBA::object_reference<CORBA::Object> group_over(CORBA::ORB& orb,
                                                             const CORBA::object_reference<CORBA::Object>& group,
                                                             std::string_view protocol);

/// `member` is given no more requests that come from now on; nothing happens if it is not in the group. The ORB goes on
/// listening, and drops what comes. Throws BAD_PARAM as join_group().
CORBEL_API void leave_group(CORBA::ORB& orb, const CORBA::object_reference<CORBA::Object>& group,
                            const CORBA::object_reference<CORBA::Object>& member);

}  // namespace corbel::orb
