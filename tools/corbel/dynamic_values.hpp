// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/corbel.hpp"
#include "corbel/dynamic/dyn_any.hpp"

/// What the code that takes DynAnys apart and the code that puts them together have in common.
namespace corbel::tool {

/// A DynAny as the kind that its type makes it; null if it is another.
template <class Dyn>
typename IDL::traits<Dyn>::ref_type as(const DynamicAny::DynAny::Ref& dynamic) {
  return IDL::traits<Dyn>::narrow(dynamic);
}

/// Its type behind all aliases. `keep` keeps that.
inline const CORBA::TypeCode& resolved(const DynamicAny::DynAny::Ref& dynamic, CORBA::typecode_reference& keep) {
  keep = dynamic->type();
  return keep->_resolved();
}

/// True if the elements of this sequence or array are octets.
inline bool is_octets(const CORBA::TypeCode& type) {
  return type.content_type()->_resolved().kind() == CORBA::TCKind::tk_octet;
}

}  // namespace corbel::tool
