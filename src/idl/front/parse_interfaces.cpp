// SPDX-License-Identifier: Apache-2.0
// Interfaces, attributes, operations.
#include <algorithm>

#include "idl/front/structures.hpp"

namespace corbel::idl::front {
namespace {

constexpr std::size_t kMaxAncestors = 200;
constexpr std::size_t kMaxInherited = 500'000;  // declarations that interfaces inherit, counted per interface

}  // namespace

void Parser::parse_interface() {
  take();
  const auto name = parse_new_name("an interface");
  if (!name) return;
  if (at(Kind::semicolon)) {
    forward_declare<model::Interface>(*name);
    return expect_semicolon("interface");
  }
  Entry* entry = nullptr;
  auto* interface = begin_structure<model::Interface>(*name, entry);
  Scope& scope = names_.open(Scope::Sort::interface_, name->text, interface);
  if (at(Kind::colon)) parse_bases(*interface, scope);
  if (entry != nullptr) entry->inner = &scope;
  interface->defined = true;
  if (!expect(Kind::left_brace, "to open interface " + quoted(name->text))) return;
  check_inherited_clashes(*interface, scope, name->where);
  add(interface);
  {
    const Inside inside(*this, scope, &interface->contents);
    parse_body(&Parser::parse_export, "interface " + quoted(name->text));
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
  if (base == &interface || !base->defined) {
    diagnostics_.report(Id::incomplete, name.where, quoted(base->name) + " cannot be inherited before it is defined")
        .note(entry->where, base == &interface ? "this is the interface being defined" : "forward declared here");
    return;
  }
  if (std::find(interface.bases.begin(), interface.bases.end(), base) != interface.bases.end()) {
    diagnostics_.report(Id::duplicate_base, name.where, quoted(base->name) + " is already a direct base");
    return;
  }
  if (entry->inner == nullptr) return;
  interface.bases.push_back(base);
  scope.bases.push_back(entry->inner);
  const auto adopt = [](auto& list, auto* one, const auto& above) {
    const auto append = [&list](auto* item) {
      if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(item);
    };
    append(one);
    for (auto* item : above) append(item);
  };
  adopt(interface.ancestors, base, base->ancestors);
  adopt(scope.ancestors, entry->inner, entry->inner->ancestors);
  if (interface.ancestors.size() > kMaxAncestors) {
    diagnostics_.report(Id::too_many_bases, name.where,
                        "more than " + std::to_string(kMaxAncestors) + " direct and indirect base interfaces");
    panic_ = abandoned_ = true;
  }
}

/// Two bases may not bring different operations or attributes of one name.
void Parser::check_inherited_clashes(const model::Interface& interface, Scope& scope, Span where) {
  std::unordered_map<std::string, const Entry*> seen;
  for (Scope* base : scope.ancestors) {
    const auto* owner = model::as<model::Interface>(base->owner());
    for (const model::Declaration* declaration : owner->contents) {
      if (++inherited_ > kMaxInherited) {
        diagnostics_.report(Id::too_complex, where, "too much is inherited in this file");
        panic_ = abandoned_ = true;
        return;
      }
      if (model::as<model::Operation>(declaration) == nullptr && model::as<model::Attribute>(declaration) == nullptr) {
        continue;
      }
      const Entry* entry = base->find(folded(declaration->name));
      if (entry == nullptr || entry->declaration != declaration) continue;
      const auto [earlier, added] = seen.try_emplace(folded(declaration->name), entry);
      if (added) continue;
      diagnostics_
          .report(Id::inherited_clash, where,
                  quoted(interface.name) + " inherits two different declarations of " + quoted(declaration->name))
          .note(earlier->second->where, describe(*earlier->second) + " declared here")
          .note(entry->where, describe(*entry) + " declared here");
    }
  }
}

void Parser::parse_export() {
  const Nesting nesting(*this);
  skip_annotations();
  if (parse_common_definition()) return;
  if (at(Kind::kw_attribute) || at(Kind::kw_readonly)) return parse_attribute();
  if (skip_unsupported_definition()) return;
  if (accept(Kind::semicolon)) {
    diagnostics_.report(Id::expected, {previous_end_ - 1, 1}, "stray ';'");
    return;
  }
  if (at(Kind::kw_module) || at(Kind::kw_interface)) {
    return fail(Id::expected, "expected an operation, attribute, type, constant or exception");
  }
  parse_operation();
}

void Parser::parse_attribute() {
  const bool readonly = accept(Kind::kw_readonly);
  if (!expect(Kind::kw_attribute, readonly ? "after 'readonly'" : "here")) return;
  const model::Type* type = parse_type(Use::attribute);
  std::vector<model::Attribute*> attributes;
  Span second_name;
  do {
    const auto name = parse_new_name("an attribute");
    if (!name) return;
    if (at(Kind::left_bracket))
      return fail(Id::anonymous_type, "an attribute cannot be an anonymous array; use a typedef");
    auto* attribute = make<model::Attribute>(*name);
    attribute->readonly = readonly;
    attribute->type = type;
    names_.declare(name->text, name->where, Entry::How::declared, attribute);
    add(attribute);
    attributes.push_back(attribute);
    if (attributes.size() == 2) second_name = name->where;
  } while (accept(Kind::comma));
  parse_attribute_raises(attributes, second_name);
  expect_semicolon("attribute");
}

void Parser::parse_attribute_raises(std::vector<model::Attribute*>& attributes, Span second_name) {
  model::Attribute& attribute = *attributes.front();
  bool any = false;
  bool set_seen = false;
  while (at(Kind::kw_raises) || at_word("getraises") || at_word("setraises")) {
    const Token clause = take();
    const bool plain = clause.kind == Kind::kw_raises;
    const bool set = !plain && clause.text == "setraises";
    if (attribute.readonly != plain) {
      diagnostics_.report(Id::attribute_clauses, clause.span,
                          attribute.readonly ? "a readonly attribute takes 'raises', not " + quoted(clause.text)
                                             : "a writable attribute takes 'getraises' and 'setraises', not 'raises'");
    } else if ((set_seen || (any && !set)) && !panic_) {
      diagnostics_.report(Id::attribute_clauses, clause.span,
                          "'getraises' comes before 'setraises', each at most once");
    }
    (set ? attribute.set_raises : attribute.get_raises) = parse_raises();
    any = true;
    set_seen = set_seen || set;
  }
  if (any && attributes.size() > 1) {
    diagnostics_.report(Id::attribute_clauses, second_name,
                        "only one attribute may be declared together with exceptions");
  }
}

void Parser::parse_operation() {
  const bool oneway = at(Kind::kw_oneway);
  const Span oneway_span = oneway ? take().span : Span{};
  const model::Type* result = parse_type(Use::result);
  const auto name = parse_new_name("an operation");
  if (!name) return;
  auto* operation = make<model::Operation>(*name);
  operation->oneway = oneway;
  operation->result = result;
  if (oneway && result != nullptr && result->kind != model::TypeKind::void_) {
    diagnostics_.report(Id::oneway_result, name->where, "a oneway operation returns void, as nobody waits for a result")
        .note(oneway_span, "declared oneway here");
  }
  names_.declare(name->text, name->where, Entry::How::declared, operation);
  add(operation);
  if (!expect(Kind::left_paren, "after the name of the operation")) return;
  {
    const Inside inside(*this, names_.open(Scope::Sort::operation, name->text, operation), contents_);
    parse_parameters(*operation);
  }
  if (at(Kind::kw_raises)) {
    const Span raises = take().span;
    operation->raises = parse_raises();
    if (oneway) diagnostics_.report(Id::oneway_raises, raises, "a oneway operation cannot raise exceptions");
  }
  if (at(Kind::kw_context)) {
    report_unsupported(take().span, "'context' clauses");
    skip_balanced(Kind::left_paren, Kind::right_paren);
  }
  expect_semicolon("operation");
}

void Parser::parse_parameters(model::Operation& operation) {
  if (accept(Kind::right_paren)) return;
  do {
    skip_annotations();
    model::Parameter parameter;
    if (at(Kind::kw_in) || at(Kind::kw_out) || at(Kind::kw_inout)) {
      const Token direction = take();
      if (direction.kind != Kind::kw_in) {
        parameter.direction = direction.kind == Kind::kw_out ? model::Direction::out : model::Direction::inout;
        if (operation.oneway) {
          diagnostics_.report(Id::oneway_parameter, direction.span, "a oneway operation has 'in' parameters only");
        }
      }
    } else if (at(Kind::right_paren)) {
      return fail(Id::expected, "expected a parameter");
    } else if (!panic_ && !abandoned_) {
      diagnostics_.report(Id::missing_direction, current().span, "a parameter begins with 'in', 'out' or 'inout'");
    }
    parameter.type = parse_type(Use::parameter);
    const auto name = parse_new_name("a parameter");
    if (!name) return;
    if (at(Kind::left_bracket))
      return fail(Id::anonymous_type, "a parameter cannot be an anonymous array; use a typedef");
    parameter.name = name->text;
    const auto position = source_.position(name->where.offset);
    parameter.where = {position.file, position.line, position.column};
    names_.declare(name->text, name->where, Entry::How::member, nullptr);
    operation.parameters.push_back(std::move(parameter));
  } while (accept(Kind::comma));
  expect(Kind::right_paren, "at the end of the parameters");
}

std::vector<const model::Exception*> Parser::parse_raises() {
  std::vector<const model::Exception*> raises;
  if (!expect(Kind::left_paren, "before the exceptions")) return raises;
  do {
    const auto name = parse_scoped_name();
    if (!name) return raises;
    const Entry* entry = names_.resolve(name->absolute, name->parts);
    if (entry == nullptr || entry->how == Entry::How::unsupported) continue;
    const auto* exception = model::as<model::Exception>(entry->declaration);
    if (exception == nullptr) {
      diagnostics_.report(Id::wrong_kind, name->where, describe(*entry) + " is not an exception")
          .note(entry->where, "declared here");
    } else if (std::find(raises.begin(), raises.end(), exception) != raises.end()) {
      diagnostics_.report(Id::duplicate_raises, name->where, quoted(exception->name) + " is already listed");
    } else {
      raises.push_back(exception);
    }
  } while (accept(Kind::comma));
  expect(Kind::right_paren, "after the exceptions");
  return raises;
}

}  // namespace corbel::idl::front
