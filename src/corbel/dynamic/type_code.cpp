// SPDX-License-Identifier: Apache-2.0
#include "corbel/dynamic/type_code.hpp"

#include "corbel/dynamic/type_arena.hpp"

namespace corbel::dynamic {

KindTraits traits_of(CORBA::TCKind kind) noexcept {
  using CORBA::TCKind;
  switch (kind) {
    case TCKind::tk_struct:
    case TCKind::tk_except:
    case TCKind::tk_enum:
      return {.id_and_name = true, .members = true};
    case TCKind::tk_union:
    case TCKind::tk_value:
    case TCKind::tk_event:
      return {.id_and_name = true, .members = true, .content = true};
    case TCKind::tk_alias:
    case TCKind::tk_value_box:
      return {.id_and_name = true, .content = true};
    case TCKind::tk_objref:
    case TCKind::tk_native:
    case TCKind::tk_abstract_interface:
    case TCKind::tk_local_interface:
    case TCKind::tk_component:
    case TCKind::tk_home:
      return {.id_and_name = true};
    case TCKind::tk_sequence:
    case TCKind::tk_array:
      return {.content = true, .length = true};
    case TCKind::tk_string:
    case TCKind::tk_wstring:
      return {.length = true};
    default:
      return {};
  }
}

namespace {

using CORBA::TCKind;
using CORBA::TypeCode;

void require(bool fits) {
  if (!fits) throw TypeCode::BadKind();
}
CORBA::typecode_reference reference_or_nil(const TypeCode* code) {
  return code == nullptr ? nullptr : code->_reference();
}

}  // namespace
}  // namespace corbel::dynamic

namespace CORBA {

using corbel::dynamic::is_stateful;
using corbel::dynamic::reference_or_nil;
using corbel::dynamic::require;
using corbel::dynamic::traits_of;

typecode_reference TypeCode::_reference() const {
  if (node_.arena == nullptr) return _constant(*this);
  return typecode_reference(node_.arena->shared_from(const_cast<TypeCode*>(this)));  // no member function modifies
}

const TypeCode& TypeCode::_resolved() const noexcept {
  const TypeCode* code = this;
  while (code->node_.kind == TCKind::tk_alias) code = code->node_.content;
  return *code;
}

TCKind TypeCode::kind() const {
  if (node_.kind == TCKind::tk_null && !node_.id.empty()) [[unlikely]] {
    throw BAD_TYPECODE(OMGVMCID | 1, CompletionStatus::COMPLETED_NO,
                       "a recursive TypeCode that is no part of its type");
  }
  return node_.kind;
}

bool TypeCode::_is_reference() const noexcept {
  const TCKind kind = _resolved().node_.kind;
  return kind == TCKind::tk_objref || kind == TCKind::tk_component || kind == TCKind::tk_home;
}

bool TypeCode::_is_value() const noexcept {
  const TCKind kind = _resolved().node_.kind;
  return kind == TCKind::tk_value || kind == TCKind::tk_value_box || kind == TCKind::tk_event;
}

std::string TypeCode::id() const {
  require(traits_of(kind()).id_and_name);
  return std::string(node_.id);
}

std::string TypeCode::name() const {
  require(traits_of(kind()).id_and_name);
  return std::string(node_.name);
}

std::uint32_t TypeCode::member_count() const {
  require(traits_of(kind()).members);
  return static_cast<std::uint32_t>(node_.members.size());
}

const corbel::dynamic::TypeMember& TypeCode::member(std::uint32_t index) const {
  if (index >= member_count()) throw Bounds();
  return node_.members[index];
}

std::string TypeCode::member_name(std::uint32_t index) const {
  return std::string(member(index).name);
}

typecode_reference TypeCode::member_type(std::uint32_t index) const {
  require(kind() != TCKind::tk_enum);
  return member(index).type->_reference();
}

typecode_reference TypeCode::discriminator_type() const {
  require(kind() == TCKind::tk_union);
  return node_.content->_reference();
}

std::int32_t TypeCode::default_index() const {
  require(kind() == TCKind::tk_union);
  return node_.default_index;
}

std::uint32_t TypeCode::length() const {
  require(traits_of(kind()).length);
  return node_.length;
}

typecode_reference TypeCode::content_type() const {
  require(traits_of(kind()).content && !traits_of(kind()).members);
  return node_.content->_reference();
}

std::uint16_t TypeCode::fixed_digits() const {
  require(kind() == TCKind::tk_fixed);
  return node_.digits;
}

std::int16_t TypeCode::fixed_scale() const {
  require(kind() == TCKind::tk_fixed);
  return node_.scale;
}

Visibility TypeCode::member_visibility(std::uint32_t index) const {
  require(is_stateful(kind()));
  return member(index).visibility;
}

ValueModifier TypeCode::type_modifier() const {
  require(is_stateful(kind()));
  return node_.modifier;
}

typecode_reference TypeCode::concrete_base_type() const {
  require(is_stateful(kind()));
  return reference_or_nil(node_.content);
}

}  // namespace CORBA
