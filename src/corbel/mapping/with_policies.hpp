// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "corbel/corba/messaging_policies.hpp"
#include "corbel/corba/servant.hpp"
#include "corbel/mapping/types.hpp"
#include "corbel/policy/time_units.hpp"

/// References with policies of their own, in one line.
namespace corbel {

/// The same object under the reference's policies and these, which replace those of the same type. `object` stays as it
/// is. Throws INV_OBJREF for nil, else as CORBA::Object::_set_policy_overrides.
template <class I>
CORBA::object_reference<I> with_policies(const CORBA::object_reference<I>& object, const CORBA::PolicyList& policies) {
  const auto changed = object->_set_policy_overrides(policies, CORBA::SetOverrideType::ADD_OVERRIDE);
  if constexpr (std::is_same_v<I, CORBA::Object>) {
    return changed;
  } else {
    return IDL::traits<I>::unchecked_narrow(changed);
  }
}

/// The same object, whose calls take `timeout` at most, whatever thread and ORB say; 0: unbounded. Above 0 it is
/// counted in steps of some milliseconds; below, as what is left of a time that is over may be, calls end at once. A
/// duration of std::chrono.
template <class I, base::WholeNanoseconds D>
CORBA::object_reference<I> with_timeout(const CORBA::object_reference<I>& object, D timeout) {
  const std::uint64_t units = timeout < D::zero() ? 1 : policy::units_of(timeout);
  return with_policies(object, {CORBA::make_reference<Messaging::RelativeRoundtripTimeoutPolicy>(units)});
}

}  // namespace corbel
