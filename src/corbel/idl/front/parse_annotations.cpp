// SPDX-License-Identifier: Apache-2.0
// Annotations: where they stand, what they are given, what the standard ones mean.
#include <algorithm>

#include "corbel/idl/front/parser.hpp"
#include "corbel/idl/model/member_ids.hpp"

namespace corbel::idl::front {
namespace {

using model::TypeKind;

constexpr std::size_t kMaxAnnotated = 200'000;  // annotations of a file, copies for further names included
constexpr std::size_t kAnnotationSize = 100;    // octets of text that count as one more

/// A value as the model keeps it when no type says more.
model::Value plain(const Evaluated& value) {
  if (const auto* b = std::get_if<bool>(&value)) return *b;
  if (const auto* i = std::get_if<Integer>(&value)) {
    if (*i > INT64_MAX) return static_cast<std::uint64_t>(*i);
    return static_cast<std::int64_t>(*i);
  }
  if (const auto* f = std::get_if<Floating>(&value)) return f->narrow;
  if (const auto* c = std::get_if<NarrowCharacter>(&value)) return char32_t{static_cast<unsigned char>(c->value)};
  if (const auto* c = std::get_if<WideCharacter>(&value)) return c->value;
  if (const auto* s = std::get_if<std::string>(&value)) return *s;
  if (const auto* s = std::get_if<std::u32string>(&value)) return *s;
  if (const auto* e = std::get_if<const model::Enumerator*>(&value)) return *e;
  if (const auto* f = std::get_if<model::Fixed>(&value)) return *f;
  return {};
}

bool is_of(AnnotationParameter::Type type, const Evaluated& value) {
  using Type = AnnotationParameter::Type;
  const auto* integer = std::get_if<Integer>(&value);
  switch (type) {
    case Type::number:
      return integer != nullptr && *integer >= 0 && *integer <= UINT32_MAX;
    case Type::boolean:
      return std::holds_alternative<bool>(value);
    case Type::text:
      return std::holds_alternative<std::string>(value);
    case Type::any:
      return true;
    case Type::word:
      return false;
  }
  return false;
}

std::string_view wanted(AnnotationParameter::Type type) {
  return type == AnnotationParameter::Type::number    ? "an integer from 0 to 2^32 - 1"
         : type == AnnotationParameter::Type::boolean ? "TRUE or FALSE"
                                                      : "a string";
}

bool has_word(std::string_view words, std::string_view word) {
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    if (words.substr(0, end) == word) return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

}  // namespace

/// Collects the annotations that stand here. True if it was an annotation's definition instead.
bool Parser::parse_annotations() {
  applied_.clear();
  while (at(Kind::at)) {
    const Span sign = take().span;
    need_idl4(sign, "annotations");
    if (at(Kind::identifier) && current().text == "annotation" && !current().escaped) {
      take();
      parse_annotation_type();
      return true;
    }
    parse_annotation(sign);
  }
  return false;
}

/// Where annotations may be applied but not defined.
void Parser::parse_applied_annotations() {
  const Span where = panic_ || abandoned_ ? Span{} : current().span;
  if (parse_annotations()) diagnostics_.report(Id::annotation_place, where, "an annotation cannot be defined here");
}

void Parser::parse_annotation(Span sign) {
  auto name = parse_annotation_name();
  if (!name) return;
  Applied one;
  one.where = {sign.offset, previous_end_ - sign.offset};
  const auto position = source_.position(sign.offset);
  one.annotation.where = {position.file, position.line, position.column};
  for (const auto& part : name->parts)
    one.annotation.name += (one.annotation.name.empty() ? "" : "::") + std::string(part.name);
  if (name->parts.size() == 1 && !name->absolute) one.standard = find_standard_annotation(name->parts[0].name);
  if (one.standard == nullptr) one.annotation.declaration = find_annotation_type(*name);
  if (one.standard == nullptr && one.annotation.declaration == nullptr) {
    if (at(Kind::left_paren)) {
      // An annotation that means nothing here is not judged, whatever words it uses.
      lexer_.set_quiet(true);
      skip_balanced(Kind::left_paren, Kind::right_paren);
      lexer_.set_quiet(false);
    }
  } else {
    const bool outer = names_.set_introducing(false);
    // IDL 4.2, 7.4.15: its own enumerators and constants need no qualification (and nothing could name its scope).
    if (one.standard == nullptr) names_.set_first(names_.scope_of(*one.annotation.declaration));
    if (accept(Kind::left_paren)) parse_annotation_arguments(one);
    names_.set_first(nullptr);
    names_.set_introducing(outer);
    check_annotation_arguments(one);
  }
  applied_.push_back(std::move(one));
}

/// Like a scoped name, but `default` and other keywords may be names of annotations.
std::optional<Parser::ScopedName> Parser::parse_annotation_name() {
  ScopedName name;
  name.where = panic_ || abandoned_ ? Span{} : current().span;
  name.absolute = accept(Kind::scope);
  do {
    if (!at(Kind::identifier) && (panic_ || abandoned_ || current().kind < Kind::kw_abstract)) {
      fail(Id::expected, "expected the name of an annotation");
      return std::nullopt;
    }
    const Token token = take();
    name.parts.push_back({token.text, token.span});
  } while (!is_before_type(name) && accept(Kind::scope));
  return name;
}

const model::AnnotationType* Parser::find_annotation_type(const ScopedName& name) {
  const Entry* entry = names_.find_annotation(name.absolute, name.parts);
  if (entry != nullptr) return model::as<model::AnnotationType>(entry->declaration);
  std::vector<std::string_view> candidates;
  append_standard_annotations(candidates);
  const std::string_view guess = closest(name.parts.back().name, candidates);
  const Names::Part& last = name.parts.back();
  std::string text = "unknown annotation " + quote("@" + std::string(last.name)) + " is ignored";
  if (!guess.empty()) text += "; did you mean " + quote("@" + std::string(guess)) + "?";
  diagnostics_.report(Id::unknown_annotation, last.where, std::move(text));
  return nullptr;
}

/// True if the identifier here is followed by `=`.
bool Parser::at_named_argument() {
  if (!at(Kind::identifier) && (panic_ || abandoned_ || current().kind < Kind::kw_abstract)) return false;
  std::string_view rest = source_.text().substr(current().span.offset + current().span.length);
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r\n"), rest.size()));
  return rest.starts_with('=');
}

void Parser::parse_annotation_arguments(Applied& one) {
  if (accept(Kind::right_paren)) return;
  do {
    std::string name = "value";
    const Span where = panic_ || abandoned_ ? Span{} : current().span;
    if (at_named_argument()) {
      name = take().text;
      expect(Kind::equals, "after the name of the parameter");
    }
    const bool repeated = one.annotation.find(name) != nullptr;
    if (repeated) diagnostics_.report(Id::annotation_argument, where, quote(name) + " is given twice");
    parse_annotation_argument(one, std::move(name), where);
  } while (accept(Kind::comma));
  expect(Kind::right_paren, "after the parameters of the annotation");
}

void Parser::parse_annotation_argument(Applied& one, std::string name, Span where) {
  const AnnotationParameter* parameter = nullptr;
  const model::Member* member = nullptr;
  if (one.standard != nullptr) {
    const auto& list = one.standard->parameters;
    const auto found = std::find_if(list.begin(), list.end(), [&](const auto& p) { return p.name == name; });
    if (found != list.end()) parameter = &*found;
    if (parameter == nullptr && list.size() == 1 && name == "value") parameter = &list.front();
  } else {
    const auto& list = one.annotation.declaration->members;
    const auto found = std::find_if(list.begin(), list.end(), [&](const auto& m) { return m.name == name; });
    if (found != list.end()) member = &*found;
    if (member == nullptr && list.size() == 1 && name == "value") member = &list.front();
  }
  if (parameter == nullptr && member == nullptr) {
    diagnostics_.report(Id::annotation_argument, where,
                        quote("@" + one.annotation.name) + " has no parameter " + quote(name));
    parse_expression(0);
    return;
  }
  if (member != nullptr) name = member->name;
  if (parameter != nullptr) name = parameter->name;
  model::Value value;
  Evaluated evaluated;
  Span span = panic_ || abandoned_ ? Span{} : current().span;
  if (parameter != nullptr && parameter->type == AnnotationParameter::Type::word) {
    value = parse_annotation_word(*parameter);
  } else if (member != nullptr && member->type != nullptr && resolve(*member->type).kind != TypeKind::any) {
    value = parse_constant_value(*member->type);
  } else {
    evaluated = parse_expression(0);
    value = plain(evaluated);
    span.length = std::max(previous_end_, span.offset + 1) - span.offset;
    if (parameter != nullptr && !is_unknown(evaluated) && !is_of(parameter->type, evaluated)) {
      diagnostics_.report(
          Id::annotation_argument, span,
          quote(name) + " of " + quote("@" + one.annotation.name) + " must be " + std::string(wanted(parameter->type)));
      value = {};
    }
  }
  one.annotation.arguments.push_back({std::move(name), std::move(value)});
  one.values.push_back(std::move(evaluated));
  one.value_spans.push_back(span);
}

model::Value Parser::parse_annotation_word(const AnnotationParameter& parameter) {
  if (at(Kind::identifier) && has_word(parameter.words, current().text)) return std::string(take().text);
  std::string words(parameter.words);
  for (std::size_t at = 0; (at = words.find(' ', at)) != std::string::npos; at += 2) words.replace(at, 1, ", ");
  fail(Id::annotation_argument, "expected one of " + words);
  return {};
}

void Parser::check_annotation_arguments(const Applied& one) {
  if (panic_) return;
  const auto missing = [&](std::string_view name) {
    if (one.annotation.find(name) != nullptr) return;
    diagnostics_.report(Id::annotation_argument, one.where,
                        quote("@" + one.annotation.name) + " needs a " + quote(name));
  };
  if (one.standard != nullptr) {
    for (const auto& parameter : one.standard->parameters) {
      if (parameter.required) missing(parameter.name);
    }
    return;
  }
  for (const auto& member : one.annotation.declaration->members) {
    if (std::holds_alternative<std::monostate>(member.default_value)) missing(member.name);
  }
}

/// What was collected, checked for the place where it stands.
std::vector<Applied> Parser::take_applied(Target target) {
  std::vector<Applied> list = std::exchange(applied_, {});
  std::map<const StandardAnnotation*, Span> seen;
  for (const Applied& one : list) {
    if (one.standard != nullptr && !one.standard->may_stand_before(target)) {
      diagnostics_.report(Id::annotation_place, one.where,
                          quote("@" + one.annotation.name) + " cannot stand before " + std::string(describe(target)));
    }
    if (one.standard == nullptr || one.standard->name == "verbatim") continue;
    const auto [earlier, added] = seen.try_emplace(one.standard, one.where);
    if (added) continue;
    diagnostics_.report(Id::annotation_conflict, one.where, quote("@" + one.annotation.name) + " is applied twice")
        .note(earlier->second, "first applied here");
  }
  return list;
}

/// For the model. `@a long x, y;` copies them for each name, which must have an end.
model::Annotations Parser::annotations_of(const std::vector<Applied>& applied) {
  model::Annotations annotations;
  if (abandoned_) return annotations;
  for (const Applied& one : applied) {
    ++annotated_;
    for (const auto& argument : one.annotation.arguments) {
      if (const auto* text = std::get_if<std::string>(&argument.value)) annotated_ += text->size() / kAnnotationSize;
    }
    if (annotated_ > kMaxAnnotated) {
      diagnostics_.report(Id::too_complex, one.where, "too many annotations in this file");
      panic_ = abandoned_ = true;
      break;
    }
    annotations.push_back(one.annotation);
  }
  return annotations;
}

/// A number given to a standard annotation such as @bit_bound(n), within a range; nothing if there is none.
std::optional<std::uint32_t> Parser::annotated_number(const std::vector<Applied>& applied, std::string_view name,
                                                      std::uint32_t lowest, std::uint32_t highest) {
  const Applied* one = find(applied, name);
  if (one == nullptr || one->values.empty()) return std::nullopt;
  const auto* integer = std::get_if<Integer>(&one->values[0]);
  if (integer == nullptr) return std::nullopt;
  if (*integer >= lowest && *integer <= highest) return static_cast<std::uint32_t>(*integer);
  if (*integer >= 0 && *integer <= UINT32_MAX) {
    diagnostics_.report(Id::annotation_argument, one->value_spans[0],
                        quote("@" + std::string(name)) + " must be from " + std::to_string(lowest) + " to " +
                            std::to_string(highest) + ", not " + to_string(*integer));
  }
  return std::nullopt;
}

/// What @default says; @min, @max and @range are checked against the type, too.
model::Value Parser::checked_default(const std::vector<Applied>& applied, const model::Type& type) {
  model::Value given;
  for (const std::string_view name : {"default", "min", "max", "range"}) {
    const Applied* one = find(applied, name);
    if (one == nullptr) continue;
    for (std::size_t i = 0; i < one->values.size(); ++i) {
      std::optional<Problem> problem;
      model::Value value = fit(one->values[i], resolve(type), problem);
      if (problem) diagnostics_.report(problem->id, one->value_spans[i], std::move(problem->text));
      if (name == "default") given = std::move(value);
    }
  }
  return given;
}

/// `@annotation name { type member [default value]; ... };`, the first two words already taken.
void Parser::parse_annotation_type() {
  const auto name = parse_new_name("an annotation");
  if (!name) return;
  auto* annotation = make<model::AnnotationType>(*name);
  annotation->repository_id.clear();
  Entry* entry = names_.declare("@" + std::string(name->text), name->where, Entry::How::declared, annotation);
  Scope& scope = names_.open(Scope::Sort::structure, "@" + std::string(name->text), annotation);
  if (entry != nullptr) entry->inner = &scope;
  if (find_standard_annotation(name->text) != nullptr) {
    diagnostics_.report(Id::redefinition, name->where,
                        quote("@" + std::string(name->text)) + " is an annotation of the standard");
  }
  if (!expect(Kind::left_brace, "to open annotation " + quote(name->text))) return;
  {
    const Inside inside(*this, scope, &annotation->contents);
    auto* outer = std::exchange(annotation_, annotation);
    parse_body(&Parser::parse_annotation_member, "annotation " + quote(name->text));
    annotation_ = outer;
  }
  add(annotation);
  expect_semicolon("annotation");
}

void Parser::parse_annotation_member() {
  const Nesting nesting(*this);
  if (at(Kind::kw_const) || at(Kind::kw_typedef) || at(Kind::kw_enum)) {
    parse_common_definition();
    return;
  }
  model::AnnotationType& annotation = *annotation_;
  const Span where = panic_ || abandoned_ ? Span{} : current().span;
  const model::Type* type = parse_type(Use::element);
  if (type != nullptr && resolve(*type).kind != TypeKind::any && !may_be_constant(resolve(*type).kind)) {
    diagnostics_.report(Id::bad_constant_type, where,
                        "a parameter of an annotation cannot be of type " + quote(spelling(*type)));
    type = nullptr;
  }
  const auto name = parse_new_name("a parameter");
  if (!name) return;
  names_.declare(name->text, name->where, Entry::How::member, nullptr);
  model::Member member = make_member(*name, type);
  if (accept(Kind::kw_default)) {
    if (type == nullptr || resolve(*type).kind == TypeKind::any) {
      member.default_value = plain(parse_expression(0));
    } else {
      member.default_value = parse_constant_value(*type);
    }
  }
  annotation.members.push_back(std::move(member));
  expect_semicolon("parameter");
}

}  // namespace corbel::idl::front
