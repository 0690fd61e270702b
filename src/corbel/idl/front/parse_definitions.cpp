// SPDX-License-Identifier: Apache-2.0
// File level, modules, constants, typedefs, exceptions.
#include "corbel/idl/front/parser.hpp"

namespace corbel::idl::front {

using model::TypeKind;

Parser::Parser(const Source& source, Diagnostics& diagnostics, const Options& options)
    : source_(source),
      diagnostics_(diagnostics),
      options_(options),
      lexer_(source, diagnostics),
      names_(diagnostics),
      model_(std::make_unique<model::Model>()),
      contents_(&model_->contents) {
  for (auto kind = static_cast<int>(TypeKind::void_); kind <= static_cast<int>(TypeKind::fixed); ++kind) {
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
  finish_imports();
  finish_pragmas();
  return std::move(model_);
}

void Parser::add(const model::Declaration* declaration) {
  contents_->push_back(declaration);
}

void Parser::parse_definition() {
  const Nesting nesting(*this);
  if (parse_annotations()) return;
  if (at(Kind::kw_module)) return parse_module();
  if (parse_modified_definition() || parse_common_definition() || panic_) return;
  if (accept(Kind::semicolon)) {
    diagnostics_.report(Id::expected, {previous_end_ - 1, 1}, "stray ';'");
    return;
  }
  std::vector<std::string_view> keywords;
  append_keywords(keywords);
  const std::string_view guess = at(Kind::identifier) ? closest(current().text, keywords) : "";
  fail(Id::expected, guess.empty() ? "expected a definition" : "expected a definition, perhaps " + quote(guess));
}

/// Interfaces and values with what may stand before them. False if something else stands here.
bool Parser::parse_modified_definition() {
  Modifiers modifiers;
  if (at(Kind::kw_abstract) || at(Kind::kw_local) || at(Kind::kw_custom)) {
    const Token modifier = take();
    modifiers.where = modifier.span;
    modifiers.abstract = modifier.kind == Kind::kw_abstract;
    modifiers.local = modifier.kind == Kind::kw_local;
    modifiers.custom = modifier.kind == Kind::kw_custom;
    if (at_word("eventtype")) return skip_unsupported_definition();
    const bool value = at(Kind::kw_valuetype) && !modifiers.local;
    if (!value && !(at(Kind::kw_interface) && !modifiers.custom)) {
      fail(Id::expected, "expected " +
                             std::string(modifiers.local    ? "'interface'"
                                         : modifiers.custom ? "'valuetype'"
                                                            : "'interface' or 'valuetype'") +
                             " after " + quote(modifier.text));
      return true;
    }
  }
  if (at(Kind::kw_interface)) {
    parse_interface(modifiers);
  } else if (at(Kind::kw_valuetype)) {
    parse_value(modifiers);
  } else {
    return false;
  }
  return true;
}

/// What begins with a word that old IDL may use as a name. False if something else stands here.
bool Parser::parse_word_definition() {
  if (!at(Kind::identifier) || !current().later_keyword || names_.is_declared(current().text)) return false;
  const std::string_view word = current().text;
  if (word == "typeid") {
    parse_typeid();
  } else if (word == "typeprefix") {
    parse_typeprefix();
  } else if (word == "import") {
    parse_import();
  } else if (word == "bitset") {
    parse_bitset();
  } else if (word == "bitmask") {
    parse_bitmask();
  } else if (word == "alias") {
    parse_alias();
  } else {
    return skip_unsupported_definition();
  }
  return true;
}

/// What modules, interfaces and values may all hold. False if something else stands here.
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
    case Kind::kw_native:
      parse_native();
      return true;
    default:
      return parse_word_definition();
  }
}

void Parser::parse_module() {
  const std::vector<Applied> applied = take_applied(Target::module_);
  take();
  if (at(Kind::scope)) return parse_scoped_instance({}, applied);
  const auto name = parse_new_name("a module");
  if (!name) return;
  if (at(Kind::less)) return parse_template_or_instance(*name, applied);
  if (at(Kind::scope)) return parse_scoped_instance({{name->text, name->where}}, applied);
  auto* module = make<model::Module>(*name);
  module->annotations = annotations_of(applied);
  Entry* entry = names_.current().find(folded(name->text));
  const bool reopened = entry != nullptr && entry->how == Entry::How::declared && entry->name == name->text &&
                        entry->declaration->kind == model::DeclarationKind::module_;
  Scope* scope = nullptr;
  if (reopened) {
    scope = entry->inner;
    check_reopening(*module, *entry, name->where);
  } else {
    entry = names_.declare(name->text, name->where, Entry::How::declared, module);
    scope = &names_.open(Scope::Sort::module_, name->text, module);
    if (entry != nullptr) entry->inner = scope;
  }
  if (!expect(Kind::left_brace, "to open module " + quote(name->text))) return;
  add(module);
  {
    const Inside inside(*this, *scope, &module->contents);
    const std::size_t errors = diagnostics_.errors();
    parse_body(&Parser::parse_definition, "module " + quote(name->text));
    if (module->contents.empty() && errors == diagnostics_.errors()) {
      diagnostics_.report(Id::empty_body, name->where, "module " + quote(name->text) + " is empty");
    }
  }
  expect_semicolon("module");
}

/// A module opened again keeps its repository id. The standard wants a word on another prefix (CORBA 3.3, part
/// 1, 14.7.8), not more: other compilers take such files, which come of company modules in files with and without a
/// prefix.
void Parser::check_reopening(model::Module& module, const Entry& first, Span where) {
  const std::string& id = first.declaration->repository_id;
  if (module.repository_id != id && !type_prefixes_.contains(first.declaration) &&
      ids_.fixed_at(*first.declaration) == nullptr) {
    diagnostics_
        .report(Id::module_prefix_differs, where,
                "the prefix in force here gives " + quote(module.repository_id) + ", but module " + quote(module.name) +
                    " was opened as " + quote(id) + " and stays that")
        .note(first.where, "first opened here");
  }
  module.repository_id = id;
}

bool Parser::may_be_constant(TypeKind kind) noexcept {
  return (kind > TypeKind::void_ && kind <= TypeKind::wstring) || kind == TypeKind::fixed || kind == TypeKind::enum_;
}

void Parser::parse_constant() {
  take();
  parse_type_annotations();
  const std::vector<Applied> applied = take_applied(Target::other);
  const Span where = panic_ || abandoned_ ? Span{} : current().span;
  const model::Type* type = parse_type(Use::constant);
  if (type != nullptr && !may_be_constant(resolve(*type).kind)) {
    diagnostics_.report(Id::bad_constant_type, where, "a constant cannot be of type " + quote(spelling(*type)));
    type = nullptr;
  }
  const auto name = parse_new_name("a constant");
  if (!name || !expect(Kind::equals, "and the value of constant " + quote(name->text))) return;
  auto* constant = make<model::Constant>(*name);
  constant->annotations = annotations_of(applied);
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
  parse_type_annotations();
  const std::vector<Applied> applied = take_applied(Target::alias);
  const model::Type* type = parse_type(Use::alias);
  do {
    const auto name = parse_new_name("a typedef");
    if (!name) return;
    auto* alias = make<model::Alias>(*name);
    alias->annotations = annotations_of(applied);
    alias->aliased = parse_array_sizes(type);
    Entry* entry = names_.declare(name->text, name->where, Entry::How::declared, alias);
    if (alias->aliased == nullptr) {
      if (entry != nullptr) entry->how = Entry::How::unsupported;  // the reason has been reported
      continue;
    }
    alias->default_value = checked_default(applied, *alias->aliased);
    const auto* other = as<model::Alias>(alias->aliased->declaration);
    if (other != nullptr && find(applied, "default") == nullptr) alias->default_value = other->default_value;
    types_[alias] = model_->add({TypeKind::alias, 0, nullptr, {}, alias});
    limit_depth(*alias, {alias->aliased}, name->where);
    add(alias);
  } while (accept(Kind::comma));
  expect_semicolon("typedef");
}

void Parser::parse_exception() {
  const std::vector<Applied> applied = take_applied(Target::exception);
  take();
  const auto name = parse_new_name("an exception");
  if (!name) return;
  auto* exception = make<model::Exception>(*name);
  exception->defined = true;
  apply(*exception, applied);
  Entry* entry = names_.declare(name->text, name->where, Entry::How::declared, exception);
  Scope& scope = names_.open(Scope::Sort::structure, name->text, exception);
  if (entry != nullptr) entry->inner = &scope;
  if (!expect(Kind::left_brace, "to open exception " + quote(name->text))) return;
  {
    const Inside inside(*this, scope, &exception->contents);
    parse_members(*exception);
  }
  add(exception);
  expect_semicolon("exception");
}

void Parser::note_use(const model::Declaration* declaration, Span where) {
  const auto pending = pending_.find(declaration);
  if (pending != pending_.end() && !pending->second.used) pending->second.used = where;
}

/// A file that uses names which neither it nor its includes define cannot be compiled by itself, and its C++ would be
/// missing in the C++ of this one.
void Parser::check_file_of(const Pending& pending, const Name& definition) {
  if (!pending.used) return;
  const Marker& use = source_.marker_at(pending.used->offset);
  const Marker& here = source_.marker_at(definition.where.offset);
  if (use.file == here.file || use.depth < here.depth) return;
  diagnostics_
      .report(Id::never_defined, definition.where,
              quote(pending.name) + " is defined here, but " + quote(source_.files()[use.file]) +
                  " uses it; define it there, or in a file that is included there")
      .note(pending.where, "forward declared here")
      .note(*pending.used, "first used here");
}

/// An interface that is not defined here may be in the file that includes this one: its references can be passed on.
/// For values and abstract interfaces the definition must be known: how they travel depends on it.
void Parser::finish_forwards() {
  std::map<std::uint32_t, const model::Declaration*> by_place;  // the instances of a template module have one text
  for (const auto& [declaration, pending] : pending_) by_place.try_emplace(pending.where.offset, declaration);
  for (const auto& [place, declaration] : by_place) {
    const Pending& pending = pending_[declaration];
    const auto* interface = model::as<model::Interface>(declaration);
    const bool by_reference = interface != nullptr && (!interface->is_abstract || !pending.in_main_file);
    if (pending.used && !by_reference) {
      const bool compound = model::as<model::ValueType>(declaration) == nullptr && interface == nullptr;
      diagnostics_
          .report(Id::never_defined, pending.where,
                  quote(pending.name) + " is forward declared and used but never defined" +
                      (compound ? "; define it in this file, or include the file that does"
                                : "; how it is sent depends on its definition, so include that"))
          .note(*pending.used, "first used here");
    } else if (pending.in_main_file) {
      diagnostics_.report(Id::forward_unused, pending.where,
                          quote(pending.name) + " is forward declared but never defined" +
                              (pending.used ? "; its references can be passed on, but not called" : ""));
    }
  }
}

}  // namespace corbel::idl::front
