// SPDX-License-Identifier: Apache-2.0
// Constants, enums, typedefs, and the walk over definitions.
#include "corbel/idl/back/cpp11/emitter.hpp"

namespace corbel::idl::back::cpp11 {

using model::as;
using model::TypeKind;

const model::Contents* inner_contents(const model::Declaration& declaration) {
  if (const auto* interface = as<model::Interface>(&declaration)) return &interface->contents;
  if (const auto* value = as<model::ValueType>(&declaration)) return &value->contents;
  if (const auto* u = as<model::Union>(&declaration)) return &u->contents;
  if (const auto* s = as<model::Struct>(&declaration)) return &s->contents;
  if (const auto* x = as<model::Exception>(&declaration)) return &x->contents;
  return nullptr;
}

void define_constant(Emitter& e, const model::Constant& constant) {
  const bool in_class = constant.scope != nullptr && as<model::Module>(constant.scope) == nullptr;
  model::Type type = *constant.type;
  const TypeKind kind = resolve(type).kind;
  if (const auto* value = std::get_if<model::Fixed>(&constant.value); value != nullptr && resolve(type).digits == 0) {
    // A bare `fixed` is as long as its value.
    type = resolve(type);
    type.digits = static_cast<std::uint16_t>(value->digits.size());
    type.scale = value->scale;
  }
  const bool text = kind == TypeKind::string || kind == TypeKind::wstring || kind == TypeKind::fixed;
  const std::string storage = std::string(in_class ? "static " : "") + (text ? "inline const " : "constexpr ");
  e.header.line(storage + spell(type, e.names) + " " + e.names.own(constant) + " = " +
                literal(constant.value, type, e.names) + ";");
}

std::string underlying_type(const model::Enum& enumeration) {
  // Values increase, so the first and the last are the extremes.
  if (enumeration.enumerators.front()->value >= 0) return holder_of(enumeration.bit_bound);
  const bool fits = enumeration.enumerators.back()->value >> (enumeration.bit_bound - 1) == 0;
  std::string holder = holder_of(fits ? enumeration.bit_bound : 2U * enumeration.bit_bound);
  return holder.erase(holder.find('u'), 1);
}

void define_enum(Emitter& e, const model::Enum& enumeration) {
  std::vector<std::string> enumerators;
  for (const auto* enumerator : enumeration.enumerators) {
    const std::string value = enumeration.has_values ? " = " + std::to_string(enumerator->value) : "";
    enumerators.push_back(escape(enumerator->name) + value);
  }
  e.header.list("enum class " + e.names.own(enumeration) + " : " + underlying_type(enumeration) + " { ", enumerators,
                " };");
}

namespace {

void define_any_interface(Emitter& e, const model::Interface& interface) {
  if (interface.is_local) return define_local_interface(e, interface);
  interface.is_abstract ? define_abstract_interface(e, interface) : define_interface(e, interface);
}

}  // namespace

void define(Emitter& e, const model::Declaration& declaration) {
  switch (declaration.kind) {
    case model::DeclarationKind::constant:
      return define_constant(e, *as<model::Constant>(&declaration));
    case model::DeclarationKind::enum_:
      return define_enum(e, *as<model::Enum>(&declaration));
    case model::DeclarationKind::struct_:
    case model::DeclarationKind::exception:
      return define_struct(e, static_cast<const model::Struct&>(declaration));
    case model::DeclarationKind::union_:
      return define_union(e, *as<model::Union>(&declaration));
    case model::DeclarationKind::bitmask:
      return define_bitmask(e, *as<model::Bitmask>(&declaration));
    case model::DeclarationKind::bitset:
      return define_bitset(e, *as<model::Bitset>(&declaration));
    case model::DeclarationKind::interface_:
      return define_any_interface(e, *as<model::Interface>(&declaration));
    case model::DeclarationKind::value:
      return define_value(e, *as<model::ValueType>(&declaration));
    case model::DeclarationKind::value_box:
      return define_value_box(e, *as<model::ValueBox>(&declaration));
    case model::DeclarationKind::native: {
      const auto& native = *as<model::Native>(&declaration);
      const std::string name = native_name(e, native);
      if (name != e.names.own(native)) e.header.line("using " + e.names.own(native) + " = " + name + ";");
      return;
    }
    case model::DeclarationKind::alias: {
      const auto& alias = *as<model::Alias>(&declaration);
      e.header.line("using " + e.names.own(alias) + " = " + spell(*alias.aliased, e.names) + ";");
      return;
    }
    case model::DeclarationKind::forward: {
      // Interfaces and values have been declared at the top of the file.
      const auto* target = as<model::Forward>(&declaration)->target;
      if (as<model::Interface>(target) == nullptr && as<model::ValueType>(target) == nullptr)
        e.header.line("class " + e.names.own(*target) + ";");
      return;
    }
    default:
      return;  // operations and attributes belong to their interface, enumerators to their enum
  }
}

void define_contents(Emitter& e, const model::Contents& contents) {
  for (const auto* declaration : contents) define(e, *declaration);
}

}  // namespace corbel::idl::back::cpp11
