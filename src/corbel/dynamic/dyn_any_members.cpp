// SPDX-License-Identifier: Apache-2.0
// DynAnys of structs, exceptions, valuetypes and boxes.
#include "corbel/dynamic/default_value.hpp"
#include "corbel/dynamic/dyn_any.hpp"
#include "corbel/dynamic/value_state.hpp"

namespace DynamicAny {

using corbel::cdr::Encoder;
using corbel::dynamic::member_at;
using corbel::dynamic::members_of;
using corbel::dynamic::TypeMember;

template <class Base>
const TypeMember& DynMembers<Base>::current_member() {
  if (member_at(this->node(), 0) == nullptr) throw DynAny::TypeMismatch();
  return *member_at(this->node(), this->current());
}

template <class Base>
FieldName DynMembers<Base>::current_member_name() {
  return FieldName(current_member().name);
}

template <class Base>
CORBA::TCKind DynMembers<Base>::current_member_kind() {
  return current_member().type->kind();
}

template <class Base>
NameValuePairSeq DynMembers<Base>::get_members() {
  NameValuePairSeq members;
  for (const auto& member : get_members_as_dyn_any()) members.push_back({member.id(), member.value()->to_any()});
  return members;
}

template <class Base>
NameDynAnyPairSeq DynMembers<Base>::get_members_as_dyn_any() {
  if (this->null()) throw DynAny::InvalidValue();
  const auto types = members_of(this->node());
  NameDynAnyPairSeq members;
  for (const auto& part : this->parts()) members.push_back({FieldName(types[members.size()]->name), part});
  return members;
}

namespace {

/// `type_of` tells the type of a pair's value.
template <class Pairs, class TypeOfPair>
void check_pairs(const corbel::dynamic::TypeNode& node, const Pairs& pairs, TypeOfPair type_of) {
  const auto members = members_of(node);
  if (pairs.size() != members.size()) throw DynAny::InvalidValue();
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const TypeMember& member = *members[i];
    const bool named = pairs[i].id().empty() || member.name.empty() || pairs[i].id() == member.name;
    if (!named || !type_of(pairs[i])->_fits(*member.type)) throw DynAny::TypeMismatch();
  }
}

}  // namespace

template <class Base>
void DynMembers<Base>::set_members(const NameValuePairSeq& value) {
  check_pairs(this->node(), value, [](const NameValuePair& pair) { return pair.value().type(); });
  this->write_whole(value.size(), [&](Encoder& out) {
    for (const auto& member : value) member.value()._encode_value(out);
  });
}

template <class Base>
void DynMembers<Base>::set_members_as_dyn_any(const NameDynAnyPairSeq& value) {
  check_pairs(this->node(), value, [](const NameDynAnyPair& pair) { return pair.value()->type(); });
  this->write_whole(value.size(), [&](Encoder& out) {
    for (const auto& member : value) member.value()->_encode(out);
  });
}

template class DynMembers<DynAny>;
template class DynMembers<DynValueCommon>;

void DynValueCommon::set_to_null() {
  write([](Encoder& out) { out.put(std::uint32_t{0}); });
}

void DynValueCommon::set_to_value() {
  if (!null()) return;
  write_whole(1, [&](Encoder& out) {
    if (node().kind == CORBA::TCKind::tk_value_box) return corbel::dynamic::put_default(out, *node().content);
    for (const TypeMember* member : members_of(node())) corbel::dynamic::put_default(out, *member->type);
  });
}

CORBA::Any DynValueBox::get_boxed_value() {
  return get_boxed_value_as_dyn_any()->to_any();
}

DynAny::Ref DynValueBox::get_boxed_value_as_dyn_any() {
  if (null()) throw InvalidValue();
  return parts()[0];
}

void DynValueBox::set_boxed_value(const CORBA::Any& boxed) {
  if (!boxed._type()._fits(*node().content)) throw TypeMismatch();
  write_whole(1, [&](Encoder& out) { boxed._encode_value(out); });
}

void DynValueBox::set_boxed_value_as_dyn_any(const DynAny::Ref& boxed) {
  if (!boxed->type()->_fits(*node().content)) throw TypeMismatch();
  write_whole(1, [&](Encoder& out) { boxed->_encode(out); });
}

}  // namespace DynamicAny
