// SPDX-License-Identifier: Apache-2.0
// Value types, boxes, natives.
#include <algorithm>

#include "corbel/idl/front/structures.hpp"

namespace corbel::idl::front {

using model::TypeKind;

/// `valuetype` and what follows; `abstract` or `custom` before it are in `modifiers`.
void Parser::parse_value(const Modifiers& modifiers) {
  take();
  const auto name = parse_new_name("a valuetype");
  if (!name) return;
  if (at(Kind::semicolon)) {
    if (modifiers.custom) {
      diagnostics_.report(Id::modifiers_differ, modifiers.where, "'custom' belongs to the definition only");
    }
    forward_declare<model::ValueType>(*name, modifiers);
    return expect_semicolon("valuetype");
  }
  const std::vector<Applied> applied = take_applied(Target::value);
  const bool full = at(Kind::colon) || at(Kind::kw_supports) || at(Kind::left_brace);
  if (!full && !panic_ && !abandoned_) return parse_value_box(*name, modifiers, applied);
  Entry* entry = nullptr;
  auto* value = begin_structure<model::ValueType>(*name, entry, modifiers);
  value->is_custom = modifiers.custom;
  value->annotations = annotations_of(applied);
  Scope& scope = names_.open(Scope::Sort::interface_, name->text, value);
  if (at(Kind::colon)) parse_value_bases(*value, scope, modifiers);
  if (accept(Kind::kw_supports)) parse_supports(*value, scope);
  if (entry != nullptr) entry->inner = &scope;
  value->defined = true;
  if (!expect(Kind::left_brace, "to open valuetype " + quote(name->text))) return;
  check_inherited_clashes(value->name, scope, name->where);
  add(value);
  {
    const Inside inside(*this, scope, &value->contents);
    value_ = value;
    view_ = is_on(applied, "view");
    parse_body(&Parser::parse_value_element, "valuetype " + quote(name->text));
    value_ = nullptr;
    view_ = false;
  }
  check_member_ids(*value, name->where);
  expect_semicolon("valuetype");
}

void Parser::parse_value_box(const Name& name, const Modifiers& modifiers, const std::vector<Applied>& applied) {
  if (modifiers.abstract || modifiers.custom) {
    diagnostics_.report(Id::bad_box, modifiers.where, "a boxed valuetype is neither abstract nor custom");
  }
  const Span where = current().span;
  const model::Type* type = parse_type(Use::box);
  if (type != nullptr && (resolve(*type).kind == TypeKind::value || resolve(*type).kind == TypeKind::value_box ||
                          resolve(*type).kind == TypeKind::value_base)) {
    diagnostics_.report(Id::bad_box, where, quote(spelling(*type)) + " is a valuetype already and cannot be boxed");
    type = nullptr;
  }
  auto* box = make<model::ValueBox>(name);
  box->annotations = annotations_of(applied);
  box->boxed = type;
  Entry* entry = names_.declare(name.text, name.where, Entry::How::declared, box);
  if (type == nullptr) {
    if (entry != nullptr) entry->how = Entry::How::unsupported;  // the reason has been reported
  } else {
    types_[box] = model_->add({TypeKind::value_box, 0, nullptr, {}, box});
    limit_depth(*box, {type}, name.where);
  }
  add(box);
  expect_semicolon("valuetype");
}

void Parser::parse_value_bases(model::ValueType& value, Scope& scope, const Modifiers& modifiers) {
  take();
  do {
    const bool truncatable = at(Kind::kw_truncatable);
    const Span where = truncatable ? take().span : Span{};
    const auto name = parse_scoped_name();
    if (!name) return;
    const std::size_t before = value.bases.size();
    add_value_base(value, scope, *name);
    if (!truncatable) continue;
    const bool concrete = value.bases.size() > before && value.concrete_base == value.bases.back();
    value.is_truncatable = concrete;
    if (modifiers.custom) {
      diagnostics_.report(Id::bad_truncatable, where, "a custom valuetype cannot be truncatable");
    } else if (value.bases.size() > before && !concrete) {
      diagnostics_.report(Id::bad_truncatable, where, "only a concrete base can be truncated to, as the first base");
    }
  } while (accept(Kind::comma));
}

void Parser::add_value_base(model::ValueType& value, Scope& scope, const ScopedName& name) {
  const Entry* entry = names_.resolve(name.absolute, name.parts);
  if (entry == nullptr || entry->how == Entry::How::unsupported) return;
  const auto* base = model::as<model::ValueType>(entry->declaration);
  if (base == nullptr) {
    const bool interface = model::as<model::Interface>(entry->declaration) != nullptr;
    diagnostics_
        .report(Id::wrong_kind, name.where,
                describe(*entry) + " is not a valuetype" + (interface ? "; list it after 'supports'" : ""))
        .note(entry->where, "declared here");
    return;
  }
  if (!may_inherit(base->defined, base == &value, *entry, name.where)) return;
  if (std::find(value.bases.begin(), value.bases.end(), base) != value.bases.end()) {
    diagnostics_.report(Id::duplicate_base, name.where, quote(base->name) + " is already a direct base");
    return;
  }
  if (!base->is_abstract) {
    const std::string_view wrong = value.is_abstract     ? "an abstract valuetype inherits abstract ones only"
                                   : value.bases.empty() ? ""
                                   : value.concrete_base != nullptr ? "a valuetype has at most one concrete base"
                                                                    : "the concrete base comes first";
    if (!wrong.empty()) {
      diagnostics_.report(Id::bad_value_base, name.where, std::string(wrong)).note(entry->where, "declared here");
      return;
    }
    value.concrete_base = base;
  }
  if (entry->inner == nullptr) return;
  value.bases.push_back(base);
  adopt(value.ancestors, base, base->ancestors);
  inherit(scope, *entry->inner, name.where);
}

void Parser::parse_supports(model::ValueType& value, Scope& scope) {
  do {
    const auto name = parse_scoped_name();
    if (!name) return;
    const Entry* entry = names_.resolve(name->absolute, name->parts);
    if (entry == nullptr || entry->how == Entry::How::unsupported) continue;
    const auto* interface = model::as<model::Interface>(entry->declaration);
    if (interface == nullptr) {
      diagnostics_.report(Id::wrong_kind, name->where, describe(*entry) + " is not an interface")
          .note(entry->where, "declared here");
      continue;
    }
    if (!may_inherit(interface->defined, false, *entry, name->where)) continue;
    if (std::find(value.supports.begin(), value.supports.end(), interface) != value.supports.end()) {
      diagnostics_.report(Id::duplicate_base, name->where, quote(interface->name) + " is already supported");
      continue;
    }
    if (!interface->is_abstract && !value.supports.empty()) {
      diagnostics_.report(Id::bad_supports, name->where,
                          "a valuetype supports at most one interface that is not abstract, as the first");
      continue;
    }
    value.supports.push_back(interface);
    if (entry->inner != nullptr) inherit(scope, *entry->inner, name->where);
  } while (accept(Kind::comma));
}

void Parser::parse_value_element() {
  const Nesting nesting(*this);
  if (parse_annotations()) return;
  if (at(Kind::kw_public) || at(Kind::kw_private)) return parse_state();
  if (at(Kind::kw_factory)) return parse_factory();
  parse_export_after_annotations();
}

void Parser::parse_state() {
  const Token visibility = take();
  parse_type_annotations();
  const std::vector<Applied> applied = take_applied(Target::state);
  if (value_->is_abstract) {
    diagnostics_.report(Id::abstract_value_content, visibility.span, "an abstract valuetype has no state");
  }
  parse_member_list(value_->state, applied, visibility.kind == Kind::kw_public);
}

void Parser::parse_factory() {
  const std::vector<Applied> applied = take_applied(Target::other);
  const Span where = take().span;
  if (value_->is_abstract) {
    diagnostics_.report(Id::abstract_value_content, where, "an abstract valuetype has no factories");
  }
  const auto name = parse_new_name("a factory");
  if (!name) return;
  auto* factory = make<model::Factory>(*name);
  factory->repository_id.clear();
  factory->annotations = annotations_of(applied);
  names_.declare(name->text, name->where, Entry::How::declared, factory);
  add(factory);
  if (!expect(Kind::left_paren, "after the name of the factory")) return;
  {
    const Inside inside(*this, names_.open(Scope::Sort::operation, name->text, factory), contents_);
    factory->parameters = parse_parameters(ParameterRules::factory, false);
  }
  if (accept(Kind::kw_raises)) factory->raises = parse_raises();
  expect_semicolon("factory");
}

void Parser::parse_native() {
  const std::vector<Applied> applied = take_applied(Target::other);
  take();
  const auto name = parse_new_name("a native type");
  if (!name) return;
  auto* native = make<model::Native>(*name);
  native->annotations = annotations_of(applied);
  types_[native] = model_->add({TypeKind::native, 0, nullptr, {}, native});
  names_.declare(name->text, name->where, Entry::How::declared, native);
  add(native);
  expect_semicolon("native type");
}

}  // namespace corbel::idl::front
