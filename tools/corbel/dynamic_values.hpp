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

/// True for what stands for a map: a sequence of nameless structs of key and value.
inline bool is_map(const CORBA::TypeCode& type) {
  if (type.kind() != CORBA::TCKind::tk_sequence) return false;
  const auto entry = type.content_type();
  return entry->kind() == CORBA::TCKind::tk_struct && entry->id().empty() && entry->member_count() == 2 &&
         entry->member_name(0) == "key" && entry->member_name(1) == "value";
}

/// True for what stands for an optional member: a nameless union that has it or nothing.
inline bool is_optional(const CORBA::TypeCode& type) {
  return type.kind() == CORBA::TCKind::tk_union && type.id().empty() && type.member_count() == 1 &&
         type.discriminator_type()->kind() == CORBA::TCKind::tk_boolean;
}

}  // namespace corbel::tool
