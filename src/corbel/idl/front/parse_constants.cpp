// SPDX-License-Identifier: Apache-2.0
// Constant expressions, evaluated as they are read.
#include <array>

#include "corbel/idl/front/fold.hpp"
#include "corbel/idl/front/parser.hpp"

namespace corbel::idl::front {
namespace {

using model::TypeKind;

constexpr std::size_t kLevels = 6;
constexpr std::int64_t kMaxBound = 0xffffffff;

Evaluated from_constant(const model::Constant& constant) {
  const TypeKind kind = constant.type == nullptr ? TypeKind::void_ : resolve(*constant.type).kind;
  return std::visit(
      [kind](const auto& value) -> Evaluated {
        using V = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<V, std::int64_t> || std::is_same_v<V, std::uint64_t>) {
          return Integer{value};
        } else if constexpr (std::is_same_v<V, char32_t>) {
          if (kind == TypeKind::wchar) return WideCharacter{value};
          return NarrowCharacter{static_cast<char>(value)};
        } else if constexpr (std::is_same_v<V, double> || std::is_same_v<V, long double>) {
          return Floating{static_cast<double>(value), static_cast<long double>(value)};
        } else {
          return value;
        }
      },
      constant.value);
}

}  // namespace

/// An expression fitted to a type; monostate if that failed and was reported.
model::Value Parser::parse_constant_value(const model::Type& type) {
  const model::Type& real = resolve(type);
  const TypeKind outer = std::exchange(target_kind_, real.kind);
  Span where = panic_ || abandoned_ ? Span{} : current().span;
  const Evaluated value = parse_expression(0);
  target_kind_ = outer;
  if (panic_) return {};
  std::optional<Problem> problem;
  model::Value fitted = fit(value, real, problem);
  where.length = std::max(previous_end_, where.offset + 1) - where.offset;
  if (problem) diagnostics_.report(problem->id, where, std::move(problem->text));
  return fitted;
}

/// A bound or array size: 1 to 2^32 - 1.
std::optional<std::uint64_t> Parser::parse_positive(std::string_view what) {
  const TypeKind outer = std::exchange(target_kind_, TypeKind::ulong);
  Span where = panic_ || abandoned_ ? Span{} : current().span;
  const Evaluated value = parse_expression(0);
  target_kind_ = outer;
  if (panic_ || is_unknown(value)) return std::nullopt;
  where.length = std::max(previous_end_, where.offset + 1) - where.offset;
  const auto* integer = std::get_if<Integer>(&value);
  if (integer == nullptr) {
    diagnostics_.report(Id::type_mismatch, where,
                        "the " + std::string(what) + " must be an integer, not " + std::string(describe(value)));
    return std::nullopt;
  }
  if (*integer <= 0 || *integer > kMaxBound) {
    diagnostics_.report(*integer <= 0 ? Id::not_positive : Id::out_of_range, where,
                        "the " + std::string(what) + " must be at least 1 and below 2^32, not " + to_string(*integer));
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(*integer);
}

/// Takes an operator of the given precedence level, 0 binding loosest. `>>` is reported as Kind::greater.
std::optional<Kind> Parser::accept_operator(std::size_t level) {
  static constexpr std::array<std::array<Kind, 3>, kLevels> kOperators = {
      {{Kind::bar, Kind::bar, Kind::bar},
       {Kind::caret, Kind::caret, Kind::caret},
       {Kind::ampersand, Kind::ampersand, Kind::ampersand},
       {Kind::shift_left, Kind::shift_left, Kind::greater},
       {Kind::plus, Kind::minus, Kind::minus},
       {Kind::star, Kind::slash, Kind::percent}}};
  for (const Kind candidate : kOperators[level]) {
    if (!at(candidate)) continue;
    if (candidate != Kind::greater) {
      take();
      return candidate;
    }
    if (template_depth_ > 0) return std::nullopt;
    take();
    if (at(Kind::greater) && current().span.offset == previous_end_) {
      take();
      return candidate;
    }
    fail(Id::expected, "expected '>>'");
    return std::nullopt;
  }
  return std::nullopt;
}

Evaluated Parser::parse_expression(std::size_t level) {
  if (level == kLevels) return parse_unary();
  Span where = panic_ || abandoned_ ? Span{} : current().span;
  Evaluated left = parse_expression(level + 1);
  while (const auto operation = accept_operator(level)) {
    const Evaluated right = parse_expression(level + 1);
    std::optional<Problem> problem;
    left = fold_binary(*operation, left, right, problem);
    where.length = previous_end_ - where.offset;
    if (problem && !panic_) diagnostics_.report(problem->id, where, std::move(problem->text));
  }
  return left;
}

Evaluated Parser::parse_unary() {
  if (!at(Kind::plus) && !at(Kind::minus) && !at(Kind::tilde)) return parse_primary();
  const Nesting nesting(*this);
  if (abandoned_) return {};
  Span where = current().span;
  const Kind operation = take().kind;
  const Evaluated operand = parse_unary();
  std::optional<Problem> problem;
  Evaluated result = fold_unary(operation, operand, target_kind_, problem);
  where.length = previous_end_ - where.offset;
  if (problem) diagnostics_.report(problem->id, where, std::move(problem->text));
  return result;
}

Evaluated Parser::parse_primary() {
  if (at(Kind::identifier) || at(Kind::scope)) return parse_named_constant();
  if (at(Kind::left_paren)) {
    const Nesting nesting(*this);
    if (!accept(Kind::left_paren)) return {};
    const unsigned outer_templates = std::exchange(template_depth_, 0);
    Evaluated value = parse_expression(0);
    template_depth_ = outer_templates;
    expect(Kind::right_paren, "to close the expression");
    return value;
  }
  return parse_literal();
}

Evaluated Parser::parse_literal() {
  switch (kind()) {
    case Kind::integer:
      return Integer{take().integer};
    case Kind::floating: {
      const Token token = take();
      return Floating{token.floating, token.wide_floating};
    }
    case Kind::character:
      return NarrowCharacter{take().bytes[0]};
    case Kind::wide_character:
      return WideCharacter{take().wide[0]};
    case Kind::kw_true:
      take();
      return true;
    case Kind::kw_false:
      take();
      return false;
    case Kind::fixed: {
      const Token token = take();
      if (auto value = parse_fixed(token.text)) return *std::move(value);
      diagnostics_.report(Id::bad_number, token.span, "a fixed-point literal has at most 31 digits before the point");
      return {};
    }
    case Kind::string:
    case Kind::wide_string:
      break;
    default:
      fail(Id::expected, "expected a constant value");
      return {};
  }
  Token text = take();
  while (at(Kind::string) || at(Kind::wide_string)) {
    const Token more = take();
    if (more.kind != text.kind) {
      diagnostics_.report(Id::mixed_literals, more.span, "narrow and wide string literals cannot be joined");
    }
    text.bytes += more.bytes;
    text.wide += more.wide;
  }
  if (text.kind == Kind::string) return std::move(text.bytes);
  return std::move(text.wide);
}

Evaluated Parser::parse_named_constant() {
  const auto name = parse_scoped_name();
  if (!name) return {};
  const Entry* entry = names_.resolve(name->absolute, name->parts);
  if (entry == nullptr || entry->how == Entry::How::unsupported) return {};
  if (const auto* constant = model::as<model::Constant>(entry->declaration)) return from_constant(*constant);
  if (const auto* enumerator = model::as<model::Enumerator>(entry->declaration)) return enumerator;
  diagnostics_.report(Id::wrong_kind, name->where, describe(*entry) + " is not a constant")
      .note(entry->where, "declared here");
  return {};
}

}  // namespace corbel::idl::front
