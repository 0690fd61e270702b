// SPDX-License-Identifier: Apache-2.0
// Interfaces and what they inherit.
#include <algorithm>

#include "corbel/idl/front/structures.hpp"

namespace corbel::idl::front {
namespace {

constexpr std::size_t kMaxAncestors = 200;
constexpr std::size_t kMaxInherited = 500'000;  // declarations that interfaces inherit, counted per interface

bool comes_from_corba(const model::Interface& interface) {
  static constexpr std::string_view kCorba = "IDL:omg.org/CORBA/";
  return interface.repository_id.starts_with(kCorba) ||
         std::any_of(interface.ancestors.begin(), interface.ancestors.end(),
                     [](const auto* ancestor) { return ancestor->repository_id.starts_with(kCorba); });
}

}  // namespace

void Parser::parse_interface(const Modifiers& modifiers) {
  take();
  const auto name = parse_new_name("an interface");
  if (!name) return;
  if (at(Kind::semicolon)) {
    forward_declare<model::Interface>(*name, modifiers);
    return expect_semicolon("interface");
  }
  const std::vector<Applied> applied = take_applied(Target::interface_);
  Entry* entry = nullptr;
  auto* interface = begin_structure<model::Interface>(*name, entry, modifiers);
  interface->annotations = annotations_of(applied);
  Scope& scope = names_.open(Scope::Sort::interface_, name->text, interface);
  if (at(Kind::colon)) parse_bases(*interface, scope);
  if (entry != nullptr) entry->inner = &scope;
  interface->defined = true;
  if (!expect(Kind::left_brace, "to open interface " + quote(name->text))) return;
  check_inherited_clashes(interface->name, scope, name->where);
  add(interface);
  {
    const Inside inside(*this, scope, &interface->contents);
    interface_ = interface;
    view_ = is_on(applied, "view");
    ami_ = is_on(applied, "ami");
    parse_body(&Parser::parse_export, "interface " + quote(name->text));
    interface_ = nullptr;
    view_ = ami_ = false;
  }
  expect_semicolon("interface");
}

void Parser::parse_bases(model::Interface& interface, Scope& scope) {
  take();
  do {
    const auto name = parse_scoped_name();
    if (!name) return;
    add_base(interface, scope, *name);
  } while (accept(Kind::comma));
}

void Parser::add_base(model::Interface& interface, Scope& scope, const ScopedName& name) {
  const Entry* entry = names_.resolve(name.absolute, name.parts);
  if (entry == nullptr || entry->how == Entry::How::unsupported) return;
  const auto* base = model::as<model::Interface>(entry->declaration);
  if (base == nullptr) {
    diagnostics_.report(Id::wrong_kind, name.where, describe(*entry) + " is not an interface")
        .note(entry->where, "declared here");
    return;
  }
  if (!may_inherit(base->defined, base == &interface, *entry, name.where)) return;
  if (base->is_local && !interface.is_local && comes_from_corba(*base)) {
    diagnostics_.report(Id::local_missing, name.where,
                        quote(interface.name) + " is local as " + quote(base->name) + " is; write 'local interface'");
    interface.is_local = true;
  }
  const std::string_view wrong =
      interface.is_abstract && !base->is_abstract ? "an abstract interface inherits abstract ones only"
      : base->is_local && !interface.is_local     ? "only a local interface can inherit a local one"
                                                  : "";
  if (!wrong.empty()) {
    diagnostics_.report(Id::bad_interface_base, name.where, std::string(wrong)).note(entry->where, "declared here");
    return;
  }
  if (std::find(interface.bases.begin(), interface.bases.end(), base) != interface.bases.end()) {
    diagnostics_.report(Id::duplicate_base, name.where, quote(base->name) + " is already a direct base");
    return;
  }
  if (entry->inner == nullptr) return;
  interface.bases.push_back(base);
  adopt(interface.ancestors, base, base->ancestors);
  inherit(scope, *entry->inner, name.where);
}

/// Only what has been defined, and is not the declaration at hand, can be inherited.
bool Parser::may_inherit(bool defined, bool itself, const Entry& entry, Span where) {
  if (defined && !itself) return true;
  diagnostics_.report(Id::incomplete, where, quote(entry.name) + " cannot be inherited before it is defined")
      .note(entry.where, itself ? "this is the declaration at hand" : "forward declared here");
  return false;
}

/// Names of `base` are found in `scope` from now on.
void Parser::inherit(Scope& scope, Scope& base, Span where) {
  scope.bases.push_back(&base);
  adopt(scope.ancestors, &base, base.ancestors);
  if (scope.ancestors.size() <= kMaxAncestors || abandoned_) return;
  diagnostics_.report(Id::too_many_bases, where,
                      "more than " + std::to_string(kMaxAncestors) + " direct and indirect bases");
  panic_ = abandoned_ = true;
}

/// Two bases may not bring different operations, attributes or state of one name.
void Parser::check_inherited_clashes(const std::string& name, Scope& scope, Span where) {
  std::unordered_map<std::string, const Entry*> seen;
  for (Scope* base : scope.ancestors) {
    inherited_ += base->size();
    if (inherited_ > kMaxInherited) {
      diagnostics_.report(Id::too_complex, where, "too much is inherited in this file");
      panic_ = abandoned_ = true;
      return;
    }
    for (const Entry* entry : base->inherited_for_good()) {
      const auto [earlier, added] = seen.try_emplace(folded(entry->name), entry);
      if (added) continue;
      diagnostics_
          .report(Id::inherited_clash, where,
                  quote(name) + " inherits two different declarations of " + quote(entry->name))
          .note(earlier->second->where, describe(*earlier->second) + " declared here")
          .note(entry->where, describe(*entry) + " declared here");
    }
  }
}

void Parser::parse_export() {
  const Nesting nesting(*this);
  if (parse_annotations()) return;
  parse_export_after_annotations();
}

void Parser::parse_export_after_annotations() {
  if (parse_common_definition() || panic_) return;
  if (at(Kind::kw_attribute) || at(Kind::kw_readonly)) return parse_attribute();
  if (accept(Kind::semicolon)) {
    diagnostics_.report(Id::expected, {previous_end_ - 1, 1}, "stray ';'");
    return;
  }
  const bool misplaced = at(Kind::kw_module) || at(Kind::kw_interface) || at(Kind::kw_valuetype) ||
                         at(Kind::kw_abstract) || at(Kind::kw_local) || at(Kind::kw_custom);
  if (misplaced) return fail(Id::expected, "expected an operation, attribute, type, constant or exception");
  parse_operation();
}

}  // namespace corbel::idl::front
