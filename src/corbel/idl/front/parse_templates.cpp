// SPDX-License-Identifier: Apache-2.0
// Template modules (IDL 4.2, 7.4.12): the text of one is read once when it is declared, its parameters taken for what
// passes in silence, and once more for each instance, its parameters then bound to what they were given. So the model
// has ordinary modules only.
#include <algorithm>

#include "corbel/idl/front/parser.hpp"
#include "corbel/idl/front/replay.hpp"

namespace corbel::idl::front {
namespace {

constexpr std::string_view kInside = "template module ";

}  // namespace

Parser::Replay::Replay(Parser& parser, Span text, std::uint32_t depth)
    : parser_(parser),
      position_(parser.lexer_.position()),
      current_(std::exchange(parser.current_, std::nullopt)),
      previous_end_(std::exchange(parser.previous_end_, text.offset)),
      panic_(std::exchange(parser.panic_, false)),
      file_depth_(std::exchange(parser.file_depth_, depth)),
      template_depth_(std::exchange(parser.template_depth_, 0)) {
  parser_.lexer_.go_to(text.offset);
}

Parser::Replay::~Replay() {
  parser_.lexer_.go_to(position_);
  parser_.current_ = std::move(current_);
  parser_.previous_end_ = previous_end_;
  parser_.panic_ = panic_;
  parser_.file_depth_ = file_depth_;
  parser_.template_depth_ = template_depth_;
}

/// `module M <`: parameters, or arguments.
void Parser::parse_template_or_instance(const Name& name, const std::vector<Applied>& applied) {
  take();
  const bool sequence = at(Kind::kw_sequence) && !names_.is_declared(name.text);
  if (sequence || at_formal()) return parse_template(name);
  parse_instance({false, {{name.text, name.where}}, name.where}, applied);
}

bool Parser::at_formal() {
  return at(Kind::kw_interface) || at(Kind::kw_valuetype) || at(Kind::kw_struct) || at(Kind::kw_union) ||
         at(Kind::kw_exception) || at(Kind::kw_enum) || at(Kind::kw_const) || at_word("typename") ||
         at_word("eventtype");
}

/// From behind the `<`.
void Parser::parse_template(const Name& name) {
  need_idl4(name.where, "template modules");
  if (template_ != nullptr) {
    diagnostics_.report(Id::template_place, name.where, "a template module cannot be part of another one");
    panic_ = true;
    return;
  }
  Template made;
  made.name = name.text;
  made.scope = &names_.current();
  const std::size_t errors = diagnostics_.errors();
  auto* module = make<model::Module>(name);
  Entry* entry = names_.declare(name.text, name.where, Entry::How::template_, nullptr);
  Scope& scope = names_.open(Scope::Sort::module_, name.text, module);
  auto pending = std::exchange(pending_, {});
  {
    const Inside inside(*this, scope, &module->contents);
    template_ = &made;
    if (parse_formals(made) && expect(Kind::left_brace, "to open " + std::string(kInside) + quote(name.text))) {
      made.body.offset = previous_end_;
      made.depth = source_.marker_at(previous_end_).depth;
      if (at(Kind::right_brace)) {
        diagnostics_.report(Id::empty_body, name.where, std::string(kInside) + quote(name.text) + " is empty");
      }
      parse_body(&Parser::parse_definition, std::string(kInside) + quote(name.text));
      made.body.length = previous_end_ - made.body.offset;
    }
    template_ = nullptr;
  }
  pending_ = std::move(pending);
  expect_semicolon("template module");
  made.is_correct = !panic_ && diagnostics_.errors() == errors;
  if (entry != nullptr) templates_[entry] = std::move(made);
}

/// `typename T, sequence<T> S, const long n>`.
bool Parser::parse_formals(Template& made) {
  do {
    auto formal = parse_formal(made);
    if (!formal) return false;
    names_.declare(formal->name.text, formal->name.where, Entry::How::unsupported, nullptr);
    made.formals.push_back(*std::move(formal));
  } while (accept(Kind::comma));
  return accept_template_close();
}

std::optional<Parser::Formal> Parser::parse_formal(const Template& made) {
  using Sort = Formal::Sort;
  static constexpr std::pair<Kind, Sort> kSorts[] = {
      {Kind::kw_interface, Sort::interface_}, {Kind::kw_valuetype, Sort::value},     {Kind::kw_struct, Sort::structure},
      {Kind::kw_union, Sort::union_},         {Kind::kw_exception, Sort::exception}, {Kind::kw_enum, Sort::enum_},
      {Kind::kw_sequence, Sort::sequence},    {Kind::kw_const, Sort::constant}};
  Formal formal;
  if (at_word("eventtype")) {
    report_unsupported(take().span, "event types");
    panic_ = true;
    return std::nullopt;
  }
  const auto* const sort =
      std::find_if(std::begin(kSorts), std::end(kSorts), [&](const auto& known) { return at(known.first); });
  if (sort == std::end(kSorts) && !at_word("typename")) {
    fail(Id::expected, "expected 'typename' or another sort of template parameter");
    return std::nullopt;
  }
  take();
  if (sort != std::end(kSorts)) formal.sort = sort->second;
  if (formal.sort == Sort::constant) {
    formal.type = panic_ || abandoned_ ? Span{} : current().span;
    parse_type(Use::constant);
  } else if (formal.sort == Sort::sequence && accept(Kind::less)) {
    const auto element = parse_scoped_name();
    if (!element) return std::nullopt;
    formal.element = element->parts.back().name;
    const bool known = std::any_of(made.formals.begin(), made.formals.end(),
                                   [&](const auto& other) { return other.name.text == formal.element; });
    if (!known || element->absolute || element->parts.size() > 1) {
      diagnostics_.report(Id::template_argument, element->where,
                          quote(formal.element) + " is not a parameter before this one");
    }
    if (!accept_template_close()) return std::nullopt;
  }
  const auto name = parse_new_name("a template parameter");
  if (!name) return std::nullopt;
  formal.name = *name;
  return formal;
}

/// The template module of that name. Null if there is none, or none that is correct, which has been reported.
const Parser::Template* Parser::find_template(const ScopedName& name) {
  const Entry* entry = names_.resolve(name.absolute, name.parts);
  if (entry == nullptr || entry->how == Entry::How::unsupported) return nullptr;
  if (entry->how != Entry::How::template_) {
    diagnostics_.report(Id::wrong_kind, name.where, describe(*entry) + " is not a template module")
        .note(entry->where, "declared here");
    return nullptr;
  }
  const auto found = templates_.find(entry);
  if (found == templates_.end()) {
    diagnostics_.report(Id::template_place, name.where, "a template module cannot contain an instance of itself");
    return nullptr;
  }
  return found->second.is_correct ? &found->second : nullptr;
}

/// Names what could not be made, so that uses of it pass in silence.
void Parser::give_up_instance() {
  for (int depth = 0; !at(Kind::end) && !at(Kind::semicolon) && !at(Kind::left_brace);) {
    if (at(Kind::less)) ++depth;
    if (take().kind == Kind::greater && --depth < 0) break;
  }
  if (const auto name = parse_new_name("the instance")) {
    names_.declare(name->text, name->where, Entry::How::unsupported, nullptr);
  }
  expect_semicolon("the instance");
}

/// From the `::` of the template's name, before which the first part may have been.
void Parser::parse_scoped_instance(std::vector<Names::Part> first, const std::vector<Applied>& applied) {
  const bool relative = !first.empty();
  if (relative) take();
  auto what = parse_scoped_name();
  if (!what) return;
  if (relative) {
    what->where = {first[0].where.offset, previous_end_ - first[0].where.offset};
    what->parts.insert(what->parts.begin(), first[0]);
  }
  if (expect(Kind::less, "and the arguments of the template module")) parse_instance(*what, applied);
}

/// From behind the `<` of `module Scoped::Name<arguments> Instance;`.
void Parser::parse_instance(const ScopedName& what, const std::vector<Applied>& applied) {
  need_idl4(what.where, "template modules");
  const Template* from = find_template(what);
  if (from == nullptr) return give_up_instance();
  Scope& outer = names_.current();
  names_.enter(*from->scope);
  Scope& formals = names_.open(Scope::Sort::module_, "", from->scope->owner());
  names_.enter(outer);
  const bool usable = parse_actuals(*from, what, formals);
  const auto name = parse_new_name("the instance of " + std::string(kInside) + quote(from->name));
  if (!name) return;
  expect_semicolon("the instance");
  if (usable) return instantiate(*from, *name, formals, applied);
  names_.declare(name->text, name->where, Entry::How::unsupported, nullptr);
}

/// Reads the body with the parameters bound in `formals`.
void Parser::instantiate(const Template& from, const Name& name, Scope& formals, const std::vector<Applied>& applied) {
  constexpr std::size_t kMaxReplayed = 4U << 20;
  replayed_ += from.body.length;
  if (replayed_ > kMaxReplayed && !abandoned_) {
    diagnostics_.report(Id::too_complex, name.where, "the instances of templates in this file are too much text");
    panic_ = abandoned_ = true;
  }
  if (abandoned_) return;
  auto* module = make<model::Module>(name);
  module->annotations = annotations_of(applied);
  Entry* entry = names_.declare(name.text, name.where, Entry::How::declared, module);
  Scope& outer = names_.current();
  names_.enter(formals);
  Scope& scope = names_.open(Scope::Sort::module_, name.text, module);
  if (entry != nullptr) entry->inner = &scope;
  add(module);
  diagnostics_.enter_instance(name.where,
                              "in the instance " + quote(name.text) + " of " + std::string(kInside) + quote(from.name));
  const auto outer_in_main = std::exchange(instance_in_main_file_, is_in_main_file(name.where));
  const Template* outer_template = std::exchange(template_, nullptr);
  {
    const Replay replay(*this, from.body, from.depth);
    const Inside inside(*this, scope, &module->contents);
    parse_body(&Parser::parse_definition, std::string(kInside) + quote(from.name));
  }
  template_ = outer_template;
  instance_in_main_file_ = outer_in_main;
  diagnostics_.leave_instance();
  names_.enter(outer);
  scope.set_parent(outer);  // for the parser when it opens the module again
}

/// `alias Other<T, n> Name;`: part of a template module, an instance in each of its instances.
void Parser::parse_alias() {
  std::vector<Applied> applied = take_applied(Target::module_);
  const Span where = take().span;
  if (template_ == nullptr && !instance_in_main_file_) {
    diagnostics_.report(Id::template_place, where,
                        "'alias' stands in template modules only; 'module' makes an instance");
    panic_ = true;
    return;
  }
  const auto what = parse_scoped_name();
  if (!what || !expect(Kind::less, "after " + quote(what->parts.back().name))) return;
  if (template_ == nullptr) return parse_instance(*what, applied);
  const Template* from = find_template(*what);
  std::size_t given = 0;
  do {
    const auto name = parse_scoped_name();
    if (!name) return;
    const std::string_view text = name->parts.back().name;
    const bool known = std::any_of(template_->formals.begin(), template_->formals.end(),
                                   [&](const auto& formal) { return formal.name.text == text; });
    if (!known || name->absolute || name->parts.size() > 1) {
      diagnostics_.report(Id::template_argument, name->where,
                          quote(text) + " is not a parameter of " + std::string(kInside) + quote(template_->name));
    }
    ++given;
  } while (accept(Kind::comma));
  if (!accept_template_close()) return;
  if (from != nullptr) check_count(*from, *what, given);
  if (const auto name = parse_new_name("the alias")) {
    names_.declare(name->text, name->where, Entry::How::unsupported, nullptr);
  }
  expect_semicolon("the alias");
}

bool Parser::check_count(const Template& from, const ScopedName& what, std::size_t given) {
  if (given == from.formals.size()) return true;
  diagnostics_
      .report(Id::template_argument, what.where,
              std::string(kInside) + quote(from.name) + " has " + std::to_string(from.formals.size()) +
                  (from.formals.size() == 1 ? " parameter, not " : " parameters, not ") + std::to_string(given))
      .note(from.formals.front().name.where, "the first of them");
  return false;
}

bool Parser::is_in_main_file(Span where) const {
  return instance_in_main_file_ ? *instance_in_main_file_ : source_.marker_at(where.offset).depth == 0;
}

}  // namespace corbel::idl::front
