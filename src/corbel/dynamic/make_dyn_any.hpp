// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/dynamic/dyn_any.hpp"

namespace corbel::dynamic {

/// A DynAny of the class that fits the type. Throws InconsistentTypeCode if there is none.
DynamicAny::DynAny::Ref make_dyn_any(DynPart part);
/// An outermost one.
DynamicAny::DynAny::Ref make_dyn_any(const CORBA::Any& value, CORBA::object_reference<CORBA::ORB> orb,
                                     corba::OrbContext& context);

/// What was made here is of no ORB yet, and values with custom marshalling in it need the factories of one.
inline void adopt(cdr::Decoder& in, const DynRoot& root) {
  if (in.context() == nullptr) in.set_context(root.context);
}

}  // namespace corbel::dynamic
