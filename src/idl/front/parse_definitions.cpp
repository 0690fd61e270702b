// SPDX-License-Identifier: Apache-2.0
// File level, modules, constants, typedefs, exceptions.
#include "idl/front/parser.hpp"

namespace corbel::idl::front {

using model::TypeKind;

Parser::Parser(const Source& source, Diagnostics& diagnostics)
    : source_(source),
      diagnostics_(diagnostics),
      lexer_(source, diagnostics),
      names_(diagnostics),
      model_(std::make_unique<model::Model>()),
      contents_(&model_->contents) {
  for (auto kind = static_cast<int>(TypeKind::void_); kind <= static_cast<int>(TypeKind::object); ++kind) {
    model::Type type;
    type.kind = static_cast<TypeKind>(kind);
    basics_.push_back(model_->add(std::move(type)));
  }
}

std::unique_ptr<model::Model> Parser::run() {
  while (true) {
    if (panic_) recover();
    if (at(Kind::end)) break;
    if (at(Kind::right_brace)) {
      diagnostics_.report(Id::expected, current().span, "'}' without a matching '{'");
      take();
      accept(Kind::semicolon);
    } else {
      parse_definition();
    }
  }
  finish_forwards();
  return std::move(model_);
}

void Parser::add(const model::Declaration* declaration) {
  contents_->push_back(declaration);
}

void Parser::parse_definition() {
  const Nesting nesting(*this);
  skip_annotations();
  if (at(Kind::kw_module)) return parse_module();
  if (at(Kind::kw_interface)) return parse_interface();
  if (parse_common_definition() || skip_unsupported_definition() || panic_) return;
  if (accept(Kind::semicolon)) {
    diagnostics_.report(Id::expected, {previous_end_ - 1, 1}, "stray ';'");
    return;
  }
  fail(Id::expected, "expected a definition");
}

/// What modules and interfaces may both hold. False if something else stands here.
bool Parser::parse_common_definition() {
  switch (kind()) {
    case Kind::kw_const:
      parse_constant();
      return true;
    case Kind::kw_typedef:
      parse_typedef();
      return true;
    case Kind::kw_exception:
      parse_exception();
      return true;
    case Kind::kw_struct:
      parse_struct();
      expect_semicolon("struct");
      return true;
    case Kind::kw_union:
      parse_union();
      expect_semicolon("union");
      return true;
    case Kind::kw_enum:
      parse_enum();
      expect_semicolon("enum");
      return true;
    default:
      return false;
  }
}

void Parser::parse_module() {
  take();
  const auto name = parse_new_name("a module");
  if (!name) return;
  if (at(Kind::less)) {
    report_unsupported(name->where, "template modules");
    panic_ = true;
    return;
  }
  auto* module = make<model::Module>(*name);
  Entry* entry = names_.current().find(folded(name->text));
  const bool reopened = entry != nullptr && entry->how == Entry::How::declared && entry->name == name->text &&
                        entry->declaration->kind == model::DeclarationKind::module_;
  Scope* scope = nullptr;
  if (reopened) {
    scope = entry->inner;
  } else {
    entry = names_.declare(name->text, name->where, Entry::How::declared, module);
    scope = &names_.open(Scope::Sort::module_, name->text, module);
    if (entry != nullptr) entry->inner = scope;
  }
  if (!expect(Kind::left_brace, "to open module " + quoted(name->text))) return;
  add(module);
  {
    const Inside inside(*this, *scope, &module->contents);
    const std::size_t errors = diagnostics_.errors();
    parse_body(&Parser::parse_definition, "module " + quoted(name->text));
    if (module->contents.empty() && errors == diagnostics_.errors()) {
      diagnostics_.report(Id::empty_body, name->where, "module " + quoted(name->text) + " is empty");
    }
  }
  expect_semicolon("module");
}

void Parser::parse_constant() {
  take();
  const Span where = current().span;
  const model::Type* type = parse_type(Use::result);
  if (type != nullptr) {
    const TypeKind kind = resolve(*type).kind;
    if (kind == TypeKind::void_ || (kind >= TypeKind::object && kind != TypeKind::enum_)) {
      diagnostics_.report(Id::bad_constant_type, where, "a constant cannot be of type " + quoted(spelling(*type)));
      type = nullptr;
    }
  }
  const auto name = parse_new_name("a constant");
  if (!name || !expect(Kind::equals, "and the value of constant " + quoted(name->text))) return;
  auto* constant = make<model::Constant>(*name);
  constant->type = type;
  if (type != nullptr) {
    constant->value = parse_constant_value(*type);
  } else {
    parse_expression(0);
  }
  names_.declare(name->text, name->where, Entry::How::declared, constant);
  add(constant);
  expect_semicolon("constant");
}

void Parser::parse_typedef() {
  take();
  const model::Type* type = parse_type(Use::alias);
  do {
    const auto name = parse_new_name("a typedef");
    if (!name) return;
    auto* alias = make<model::Alias>(*name);
    alias->aliased = parse_array_sizes(type);
    Entry* entry = names_.declare(name->text, name->where, Entry::How::declared, alias);
    if (alias->aliased == nullptr) {
      if (entry != nullptr) entry->how = Entry::How::unsupported;  // the reason has been reported
      continue;
    }
    types_[alias] = model_->add({TypeKind::alias, 0, nullptr, {}, alias});
    limit_depth(*alias, {alias->aliased}, name->where);
    add(alias);
  } while (accept(Kind::comma));
  expect_semicolon("typedef");
}

void Parser::parse_exception() {
  take();
  const auto name = parse_new_name("an exception");
  if (!name) return;
  auto* exception = make<model::Exception>(*name);
  exception->defined = true;
  Entry* entry = names_.declare(name->text, name->where, Entry::How::declared, exception);
  Scope& scope = names_.open(Scope::Sort::structure, name->text, exception);
  if (entry != nullptr) entry->inner = &scope;
  if (!expect(Kind::left_brace, "to open exception " + quoted(name->text))) return;
  {
    const Inside inside(*this, scope, &exception->contents);
    parse_members(*exception);
  }
  add(exception);
  expect_semicolon("exception");
}

void Parser::finish_forwards() {
  for (const auto& [declaration, pending] : pending_) {
    if (pending.used) {
      diagnostics_.report(Id::never_defined, pending.where,
                          quoted(pending.name) + " is forward declared and used but never defined");
    } else if (pending.in_main_file) {
      diagnostics_.report(Id::forward_unused, pending.where,
                          quoted(pending.name) + " is forward declared but never defined");
    }
  }
}

}  // namespace corbel::idl::front
