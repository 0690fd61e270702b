// SPDX-License-Identifier: Apache-2.0
// What template modules are given, and whether it is what they ask for.
#include <algorithm>

#include "corbel/idl/front/parser.hpp"
#include "corbel/idl/front/replay.hpp"

namespace corbel::idl::front {
namespace {

using model::TypeKind;

/// Whether the two are one type to the wire and to every language.
bool same_type(const model::Type& one, const model::Type& other) {
  const model::Type& a = resolve(one);
  const model::Type& b = resolve(other);
  if (a.kind != b.kind || a.bound != b.bound || a.declaration != b.declaration || a.dimensions != b.dimensions ||
      a.digits != b.digits || a.scale != b.scale) {
    return false;
  }
  const auto same_part = [](const model::Type* x, const model::Type* y) {
    return x == nullptr || y == nullptr ? x == y : same_type(*x, *y);
  };
  return same_part(a.element, b.element) && same_part(a.key, b.key);
}

}  // namespace

/// Binds each argument to its parameter in `formals`. False if that cannot be done, or not in sense.
bool Parser::parse_actuals(const Template& from, const ScopedName& what, Scope& formals) {
  bool usable = true;
  std::size_t given = 0;
  ++template_depth_;
  do {
    const std::size_t index = given++;
    if (index >= from.formals.size()) {
      // Too many: whether type or value is all the same.
      while (!at(Kind::comma) && !at(Kind::greater) && !at(Kind::semicolon) && !at(Kind::end)) take();
      continue;
    }
    const Formal& formal = from.formals[index];
    auto actual = parse_actual(from, formal, formals);
    usable = usable && actual.has_value();
    const auto how = actual ? Entry::How::declared : Entry::How::unsupported;
    const Bound bound = actual.value_or(Bound{});
    formals.add(folded(formal.name.text),
                {std::string(formal.name.text), how, bound.declaration, formal.name.where, bound.inner, nullptr, true});
  } while (accept(Kind::comma));
  --template_depth_;
  if (!accept_template_close()) return false;
  return check_count(from, what, given) && usable;
}

std::optional<Parser::Bound> Parser::parse_actual(const Template& from, const Formal& formal, Scope& formals) {
  switch (formal.sort) {
    case Formal::Sort::type:
    case Formal::Sort::sequence:
      return parse_actual_type(formal, formals);
    case Formal::Sort::constant:
      return parse_actual_constant(from, formal, formals);
    default:
      return parse_actual_declaration(formal);
  }
}

std::nullopt_t Parser::refuse_actual(const Formal& formal, Span where, std::string_view wanted,
                                     const std::string& given) {
  diagnostics_
      .report(Id::template_argument, where,
              "parameter " + quote(formal.name.text) + " asks for " + std::string(wanted) + ", not " + given)
      .note(formal.name.where, "the parameter");
  return std::nullopt;
}

/// Any type, or any sequence, or one of what another parameter was given.
std::optional<Parser::Bound> Parser::parse_actual_type(const Formal& formal, Scope& formals) {
  Span where = panic_ || abandoned_ ? Span{} : current().span;
  const Entry* entry = nullptr;
  const model::Type* type = nullptr;
  if (at(Kind::scope) || at(Kind::identifier)) {
    if (const auto word = parse_word_type(Use::element)) {
      type = *word;
    } else {
      const auto name = parse_scoped_name();
      if (!name) return std::nullopt;
      type = type_code_named(*name);
      if (type == nullptr) entry = names_.resolve(name->absolute, name->parts);
      if (entry != nullptr) type = type_of(*entry, *name, Use::element);
    }
  } else {
    type = parse_type(Use::element);
  }
  if (type == nullptr) return std::nullopt;
  where.length = previous_end_ - where.offset;
  if (formal.sort == Formal::Sort::sequence) {
    const model::Type& real = resolve(*type);
    if (real.kind != TypeKind::sequence) return refuse_actual(formal, where, "a sequence", quote(spelling(*type)));
    const Entry* element = formal.element.empty() ? nullptr : formals.find(folded(formal.element));
    const auto wanted = element == nullptr ? types_.end() : types_.find(element->declaration);
    if (wanted != types_.end() && !same_type(*real.element, *wanted->second)) {
      return refuse_actual(formal, where, "a sequence of " + quote(spelling(*wanted->second)), quote(spelling(*type)));
    }
  }
  if (entry != nullptr) return Bound{entry->declaration, entry->inner};
  auto* nameless = model_->make<model::Alias>();
  nameless->name = formal.name.text;
  nameless->aliased = type;
  types_[nameless] = type;
  return Bound{nameless, nullptr};
}

/// An interface, struct and so on, perhaps by a typedef.
std::optional<Parser::Bound> Parser::parse_actual_declaration(const Formal& formal) {
  using Kinds = model::DeclarationKind;
  struct Wanted {
    Formal::Sort sort;
    Kinds kind;
    std::string_view text;
  };
  static constexpr Wanted kWanted[] = {
      {Formal::Sort::interface_, Kinds::interface_, "an interface"}, {Formal::Sort::value, Kinds::value, "a valuetype"},
      {Formal::Sort::structure, Kinds::struct_, "a struct"},         {Formal::Sort::union_, Kinds::union_, "a union"},
      {Formal::Sort::exception, Kinds::exception, "an exception"},   {Formal::Sort::enum_, Kinds::enum_, "an enum"}};
  const auto& wanted =
      *std::find_if(std::begin(kWanted), std::end(kWanted), [&](const auto& one) { return one.sort == formal.sort; });
  const Span where = panic_ || abandoned_ ? Span{} : current().span;
  if (!at(Kind::identifier) && !at(Kind::scope)) {
    const model::Type* type = parse_type(Use::element);
    if (type == nullptr) return std::nullopt;
    return refuse_actual(formal, where, wanted.text, quote(spelling(*type)));
  }
  const auto name = parse_scoped_name();
  if (!name) return std::nullopt;
  const Entry* entry = names_.resolve(name->absolute, name->parts);
  if (entry == nullptr || entry->how == Entry::How::unsupported) return std::nullopt;
  Bound bound{entry->declaration, entry->inner};
  const auto type = types_.find(entry->declaration);
  if (type != types_.end() && type->second->kind == TypeKind::alias && resolve(*type->second).declaration != nullptr) {
    bound.declaration = resolve(*type->second).declaration;
    bound.inner = names_.scope_of(*bound.declaration);
  }
  const bool box = wanted.kind == Kinds::value && model::as<model::ValueBox>(bound.declaration) != nullptr;
  if (bound.declaration == nullptr || (bound.declaration->kind != wanted.kind && !box)) {
    return refuse_actual(formal, name->where, wanted.text, describe(*entry));
  }
  note_use(bound.declaration, name->where);
  return bound;
}

/// A value of the parameter's type, which may be that of another parameter: it is read again, in their scope.
std::optional<Parser::Bound> Parser::parse_actual_constant(const Template& from, const Formal& formal, Scope& formals) {
  const Span where = panic_ || abandoned_ ? Span{} : current().span;
  const model::Type* type = nullptr;
  Scope& outer = names_.current();
  names_.enter(formals);
  {
    const Replay replay(*this, formal.type, from.depth);
    type = parse_type(Use::constant);
  }
  names_.enter(outer);
  if (type != nullptr && !may_be_constant(resolve(*type).kind)) {
    diagnostics_.report(Id::bad_constant_type, where, "a constant cannot be of type " + quote(spelling(*type)))
        .note(formal.name.where, "the parameter");
    type = nullptr;
  }
  if (type == nullptr) {
    parse_expression(0);
    return std::nullopt;
  }
  auto* constant = model_->make<model::Constant>();
  constant->name = formal.name.text;
  constant->type = type;
  constant->value = parse_constant_value(*type);
  if (std::holds_alternative<std::monostate>(constant->value)) return std::nullopt;
  return Bound{constant, nullptr};
}

}  // namespace corbel::idl::front
