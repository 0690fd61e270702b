// SPDX-License-Identifier: Apache-2.0
// Attributes, operations, parameters.
#include <algorithm>

#include "corbel/idl/front/parser.hpp"

namespace corbel::idl::front {
namespace {

using model::TypeKind;

/// Whether a servant can read a value of this type where it lies in the message.
bool may_be_viewed(const model::Type& type) {
  const model::Type& real = resolve(type);
  if (real.kind == TypeKind::string) return true;
  if (real.kind != TypeKind::sequence) return false;
  const TypeKind element = resolve(*real.element).kind;
  return (element > TypeKind::boolean && element <= TypeKind::double_ && element != TypeKind::wchar) ||
         element == TypeKind::struct_;
}

/// Whether a servant can share a value of this type: what is passed by value or by reference anyway is not.
bool may_be_shared(const model::Type& type) {
  switch (resolve(type).kind) {
    case TypeKind::string:
    case TypeKind::wstring:
    case TypeKind::sequence:
    case TypeKind::map:
    case TypeKind::struct_:
    case TypeKind::union_:
      return true;
    default:
      return false;
  }
}

/// Letters, digits, '.', '_', beginning with a letter; '*' at the end matches the rest.
bool is_context(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (text.ends_with('*')) text.remove_suffix(1);
  return !text.empty() && letter(text[0]) && std::all_of(text.begin(), text.end(), [&](char c) {
    return letter(c) || (c >= '0' && c <= '9') || c == '.' || c == '_';
  });
}

}  // namespace

void Parser::parse_attribute() {
  const bool readonly = accept(Kind::kw_readonly);
  if (!expect(Kind::kw_attribute, readonly ? "after 'readonly'" : "here")) return;
  parse_type_annotations();
  const std::vector<Applied> applied = take_applied(Target::attribute);
  const model::Type* type = parse_type(Use::attribute);
  std::vector<model::Attribute*> attributes;
  Span second_name;
  do {
    const auto name = parse_new_name("an attribute");
    if (!name) return;
    if (at(Kind::left_bracket))
      return fail(Id::anonymous_type, "an attribute cannot be an anonymous array; use a typedef");
    auto* attribute = make<model::Attribute>(*name);
    attribute->annotations = annotations_of(applied);
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
                          attribute.readonly ? "a readonly attribute takes 'raises', not " + quote(clause.text)
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
  const Span keyword = at(Kind::kw_oneway) ? take().span : Span{};
  if (keyword.length != 0) parse_type_annotations();
  const std::vector<Applied> applied = take_applied(Target::operation);
  const Applied* annotated = find(applied, "oneway");
  const bool oneway = keyword.length != 0 || is_on(applied, "oneway");
  const Span oneway_span = keyword.length != 0 || annotated == nullptr ? keyword : annotated->where;
  const model::Type* result = parse_type(Use::result);
  const auto name = parse_new_name("an operation");
  if (!name) return;
  if (at(Kind::left_bracket)) return fail(Id::anonymous_type, "a result cannot be an anonymous array; use a typedef");
  auto* operation = make<model::Operation>(*name);
  operation->annotations = annotations_of(applied);
  operation->oneway = oneway;
  operation->ami = ami_ || is_on(applied, "ami");
  operation->result = result;
  if (is_on(applied, "shared") && result != nullptr) {
    operation->shared = may_be_shared(*result);
    if (!operation->shared) {
      diagnostics_.report(Id::annotation_place, find(applied, "shared")->where,
                          "'@shared' is for results that are strings, sequences, maps, structs or unions");
    }
  }
  if (oneway && result != nullptr && result->kind != TypeKind::void_) {
    diagnostics_.report(Id::oneway_result, name->where, "a oneway operation returns void, as nobody waits for a result")
        .note(oneway_span, "declared oneway here");
  }
  names_.declare(name->text, name->where, Entry::How::declared, operation);
  add(operation);
  if (!expect(Kind::left_paren, "after the name of the operation")) return;
  {
    const Inside inside(*this, names_.open(Scope::Sort::operation, name->text, operation), contents_);
    operation->parameters =
        parse_parameters(oneway ? ParameterRules::oneway : ParameterRules::operation, view_ || is_on(applied, "view"));
  }
  parse_operation_clauses(*operation);
  expect_semicolon("operation");
}

void Parser::parse_operation_clauses(model::Operation& operation) {
  if (at(Kind::kw_raises)) {
    const Span raises = take().span;
    operation.raises = parse_raises();
    if (operation.oneway) diagnostics_.report(Id::oneway_raises, raises, "a oneway operation cannot raise exceptions");
  }
  if (accept(Kind::kw_context)) operation.contexts = parse_contexts();
}

/// The parameters up to and including the closing parenthesis.
std::vector<model::Parameter> Parser::parse_parameters(ParameterRules rules, bool view) {
  std::vector<model::Parameter> parameters;
  if (accept(Kind::right_paren)) return parameters;
  do {
    parse_applied_annotations();
    if (at(Kind::right_paren)) {
      take_applied(Target::parameter);
      fail(Id::expected, "expected a parameter");
      return parameters;
    }
    model::Parameter parameter;
    parameter.direction = parse_direction(rules);
    parse_type_annotations();
    const std::vector<Applied> applied = take_applied(Target::parameter);
    parameter.type = parse_type(Use::parameter);
    const auto name = parse_new_name("a parameter");
    if (!name) return parameters;
    if (at(Kind::left_bracket)) {
      fail(Id::anonymous_type, "a parameter cannot be an anonymous array; use a typedef");
      return parameters;
    }
    parameter.name = name->text;
    const auto position = source_.position(name->where.offset);
    parameter.where = {position.file, position.line, position.column};
    parameter.annotations = annotations_of(applied);
    set_view(parameter, applied, view);
    set_shared(parameter, applied);
    names_.declare(name->text, name->where, Entry::How::member, nullptr);
    parameters.push_back(std::move(parameter));
  } while (accept(Kind::comma));
  expect(Kind::right_paren, "at the end of the parameters");
  return parameters;
}

model::Direction Parser::parse_direction(ParameterRules rules) {
  if (!at(Kind::kw_in) && !at(Kind::kw_out) && !at(Kind::kw_inout)) {
    if (!panic_ && !abandoned_) {
      diagnostics_.report(Id::missing_direction, current().span, "a parameter begins with 'in', 'out' or 'inout'");
    }
    return model::Direction::in;
  }
  const Token direction = take();
  if (direction.kind == Kind::kw_in) return model::Direction::in;
  if (rules == ParameterRules::oneway) {
    diagnostics_.report(Id::oneway_parameter, direction.span, "a oneway operation has 'in' parameters only");
  }
  if (rules == ParameterRules::factory) {
    diagnostics_.report(Id::factory_parameter, direction.span, "a factory has 'in' parameters only");
  }
  return direction.kind == Kind::kw_out ? model::Direction::out : model::Direction::inout;
}

/// @view on the parameter itself must make sense; on its operation or interface it means those that can be viewed.
void Parser::set_view(model::Parameter& parameter, const std::vector<Applied>& applied, bool view) {
  const Applied* own = find(applied, "view");
  if (own != nullptr) view = is_on(applied, "view");
  if (own == nullptr && is_on(applied, "shared")) return;
  if (!view || parameter.type == nullptr) return;
  parameter.view = parameter.direction == model::Direction::in && may_be_viewed(*parameter.type);
  if (parameter.view || own == nullptr) return;
  diagnostics_.report(Id::annotation_place, own->where,
                      "'@view' is for 'in' parameters that are strings or sequences of numbers, chars or structs");
}

void Parser::set_shared(model::Parameter& parameter, const std::vector<Applied>& applied) {
  if (!is_on(applied, "shared") || parameter.type == nullptr) return;
  const bool both_ways = parameter.direction == model::Direction::inout;
  parameter.shared = !both_ways && may_be_shared(*parameter.type) && !parameter.view;
  if (parameter.shared) return;
  diagnostics_.report(Id::annotation_place, find(applied, "shared")->where,
                      "'@shared' is for 'in' and 'out' parameters without '@view' that are strings, sequences, maps, "
                      "structs or unions");
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
      diagnostics_.report(Id::duplicate_raises, name->where, quote(exception->name) + " is already listed");
    } else {
      raises.push_back(exception);
    }
  } while (accept(Kind::comma));
  expect(Kind::right_paren, "after the exceptions");
  return raises;
}

std::vector<std::string> Parser::parse_contexts() {
  std::vector<std::string> contexts;
  if (!expect(Kind::left_paren, "before the names of the context")) return contexts;
  do {
    if (!at(Kind::string)) {
      fail(Id::expected, "expected a string");
      return contexts;
    }
    Span where = current().span;
    std::string text = std::get<std::string>(parse_literal());
    where.length = previous_end_ - where.offset;
    if (!is_context(text)) {
      diagnostics_.report(Id::bad_context, where,
                          "a context name begins with a letter, goes on with letters, digits, '.' and '_', and may end "
                          "in '*'");
    }
    contexts.push_back(std::move(text));
  } while (accept(Kind::comma));
  expect(Kind::right_paren, "after the names of the context");
  return contexts;
}

}  // namespace corbel::idl::front
