// SPDX-License-Identifier: Apache-2.0
// Walks two models side by side, declaration by declaration.
#include "corbel/idl/compat/compare.hpp"

#include <algorithm>
#include <map>

#include "corbel/idl/compat/comparison.hpp"

namespace corbel::idl::compat {
namespace {

using model::as;
using model::DeclarationKind;

using Index = std::map<std::string, const model::Declaration*>;

/// Forward declarations and modules say nothing that their definitions and contents do not say.
void index(const model::Contents& contents, Index& declarations) {
  for (const auto* declaration : contents) {
    const bool named = declaration->kind != DeclarationKind::forward && declaration->kind != DeclarationKind::module_ &&
                       declaration->kind != DeclarationKind::annotation;
    if (named) declarations[scoped_name(*declaration)] = declaration;
    if (const auto* inner = contents_of(*declaration)) index(*inner, declarations);
  }
}

/// Whether the interface, value or other type around a declaration is on the other side too.
bool has_owner_in(const Index& other, const model::Declaration& declaration) {
  const auto* owner = declaration.scope;
  return owner == nullptr || owner->kind == DeclarationKind::module_ || other.contains(scoped_name(*owner));
}

void compare_one(Comparison& c, const model::Declaration& before, const model::Declaration& after) {
  switch (before.kind) {
    case DeclarationKind::constant:
      return c.constants(*as<model::Constant>(&before), *as<model::Constant>(&after));
    case DeclarationKind::alias:
      return c.types(Rule::typedef_changed, after, *as<model::Alias>(&before)->aliased,
                     *as<model::Alias>(&after)->aliased, after.where);
    case DeclarationKind::value_box:
      return c.types(Rule::typedef_changed, after, *as<model::ValueBox>(&before)->boxed,
                     *as<model::ValueBox>(&after)->boxed, after.where);
    case DeclarationKind::enum_:
      return c.enums(*as<model::Enum>(&before), *as<model::Enum>(&after));
    case DeclarationKind::struct_:
    case DeclarationKind::exception:
      return c.structs(static_cast<const model::Struct&>(before), static_cast<const model::Struct&>(after));
    case DeclarationKind::union_:
      return c.unions(*as<model::Union>(&before), *as<model::Union>(&after));
    case DeclarationKind::interface_:
      return c.interfaces(*as<model::Interface>(&before), *as<model::Interface>(&after));
    case DeclarationKind::value:
      return c.values(*as<model::ValueType>(&before), *as<model::ValueType>(&after));
    case DeclarationKind::attribute:
      return c.attributes(*as<model::Attribute>(&before), *as<model::Attribute>(&after));
    case DeclarationKind::operation:
      return c.operations(*as<model::Operation>(&before), *as<model::Operation>(&after));
    case DeclarationKind::factory:
      return c.factories(*as<model::Factory>(&before), *as<model::Factory>(&after));
    case DeclarationKind::bitset:
      return c.bitsets(*as<model::Bitset>(&before), *as<model::Bitset>(&after));
    case DeclarationKind::bitmask:
      return c.bitmasks(*as<model::Bitmask>(&before), *as<model::Bitmask>(&after));
    default:
      return;
  }
}

void compare_declaration(Comparison& c, const model::Declaration& before, const model::Declaration& after) {
  if (before.kind != after.kind) {
    c.add(Rule::kind_changed, label(before) + " became " + std::string(kind_name(after)), after.where);
    return;
  }
  const bool has_id = before.kind != DeclarationKind::operation && before.kind != DeclarationKind::attribute &&
                      before.kind != DeclarationKind::constant;
  if (has_id && before.repository_id != after.repository_id) {
    c.add(Rule::repository_id_changed,
          "the repository id of " + label(after) + " was '" + before.repository_id + "' and is '" +
              after.repository_id + "'",
          after.where);
  }
  compare_one(c, before, after);
}

void report_added(Comparison& c, const model::Declaration& added, const Index& before) {
  const auto* owner = added.scope;
  if (owner == nullptr || owner->kind == DeclarationKind::module_ || !has_owner_in(before, added)) return;
  if (added.kind == DeclarationKind::operation) c.add(Rule::operation_added, label(added) + " is new", added.where);
  if (added.kind == DeclarationKind::attribute) c.add(Rule::attribute_added, label(added) + " is new", added.where);
}

}  // namespace

std::vector<Change> compare(const model::Model& before, const model::Model& after) {
  Index old_declarations;
  Index new_declarations;
  index(before.contents, old_declarations);
  index(after.contents, new_declarations);
  Comparison c;
  for (const auto& [name, declaration] : old_declarations) {
    const auto found = new_declarations.find(name);
    if (found != new_declarations.end()) {
      compare_declaration(c, *declaration, *found->second);
    } else if (has_owner_in(new_declarations, *declaration)) {
      const bool factory = declaration->kind == DeclarationKind::factory;
      c.add_old(factory ? Rule::factory_changed : Rule::declaration_removed, label(*declaration) + " is gone",
                declaration->where);
    }
  }
  for (const auto& [name, declaration] : new_declarations) {
    if (!old_declarations.contains(name)) report_added(c, *declaration, old_declarations);
  }
  std::vector<Change> changes = c.take();
  const auto position = [](const Change& change) {
    return std::make_tuple(!change.in_old, change.where.file, change.where.line, change.where.column);
  };
  std::stable_sort(changes.begin(), changes.end(),
                   [&](const Change& a, const Change& b) { return position(a) < position(b); });
  return changes;
}

}  // namespace corbel::idl::compat
