// SPDX-License-Identifier: Apache-2.0
#include "corbel/idl/front/fold.hpp"

#include <cmath>
#include <limits>

#include "corbel/idl/front/decimal.hpp"

namespace corbel::idl::front {
namespace {

using model::TypeKind;
using model::Value;

constexpr Integer kLowest = std::numeric_limits<std::int64_t>::min();
constexpr Integer kHighest = std::numeric_limits<std::uint64_t>::max();

Evaluated refuse(std::optional<Problem>& problem, Id id, std::string text) {
  problem = Problem{id, std::move(text)};
  return {};
}

Evaluated checked(Integer value, std::optional<Problem>& problem) {
  if (value >= kLowest && value <= kHighest) return value;
  return refuse(problem, Id::overflow, "the result " + to_string(value) + " does not fit in 64 bits");
}

Evaluated fold_integers(Kind operation, Integer left, Integer right, std::optional<Problem>& problem) {
  const bool shift = operation == Kind::shift_left || operation == Kind::greater;
  if (shift && (right < 0 || right > 63)) {
    return refuse(problem, Id::bad_shift, "the shift count " + to_string(right) + " is not between 0 and 63");
  }
  if ((operation == Kind::slash || operation == Kind::percent) && right == 0) {
    return refuse(problem, Id::division_by_zero, "division by zero");
  }
  switch (operation) {
    case Kind::bar:
      return left | right;
    case Kind::caret:
      return left ^ right;
    case Kind::ampersand:
      return left & right;
    case Kind::shift_left: {
      const Integer shifted = left * (Integer{1} << static_cast<int>(right));
      return checked(shifted, problem);
    }
    case Kind::greater:
      return left >> static_cast<int>(right);
    case Kind::plus:
      return checked(left + right, problem);
    case Kind::minus:
      return checked(left - right, problem);
    case Kind::star: {
      Integer product = 0;
      if (__builtin_mul_overflow(left, right, &product)) {
        return refuse(problem, Id::overflow, "the product does not fit in 64 bits");
      }
      return checked(product, problem);
    }
    case Kind::slash:
      return checked(left / right, problem);
    default:
      return left % right;
  }
}

template <class T>
T apply(Kind operation, T left, T right) {
  switch (operation) {
    case Kind::plus:
      return left + right;
    case Kind::minus:
      return left - right;
    case Kind::star:
      return left * right;
    default:
      return left / right;
  }
}

bool is_arithmetic(Kind operation) {
  return operation == Kind::plus || operation == Kind::minus || operation == Kind::star || operation == Kind::slash;
}

Evaluated fold_floating(Kind operation, Floating left, Floating right, std::optional<Problem>& problem) {
  if (operation == Kind::slash && right.wide == 0) return refuse(problem, Id::division_by_zero, "division by zero");
  const Floating result{apply(operation, left.narrow, right.narrow), apply(operation, left.wide, right.wide)};
  if (std::isfinite(result.wide)) return result;
  return refuse(problem, Id::overflow, "the result is outside the range of long double");
}

Evaluated fold_fixed(Kind operation, const model::Fixed& left, const model::Fixed& right,
                     std::optional<Problem>& problem) {
  if (operation == Kind::slash && is_zero(right)) return refuse(problem, Id::division_by_zero, "division by zero");
  const auto result = operation == Kind::plus    ? add(left, right)
                      : operation == Kind::minus ? add(left, negate(right))
                      : operation == Kind::star  ? multiply(left, right)
                                                 : divide(left, right);
  if (result) return *result;
  return refuse(problem, Id::overflow, "the result needs more than 31 digits before the point");
}

bool is_wide(TypeKind kind) {
  return kind == TypeKind::wchar || kind == TypeKind::wstring;
}

template <class Text>
Value fit_text(const Text& text, const model::Type& type, std::optional<Problem>& problem) {
  if (type.bound == 0 || text.size() <= type.bound) return text;
  problem = Problem{Id::too_long,
                    "a text of length " + std::to_string(text.size()) + " does not fit in " + quote(spelling(type))};
  return {};
}

bool is_surrogate(char32_t c) {
  return c >= 0xd800 && c < 0xe000;
}

Value refuse_surrogate(std::optional<Problem>& problem) {
  problem = Problem{Id::out_of_range, "half a surrogate pair is no character, and nothing could send it"};
  return {};
}

/// Pairs as the characters that they stand for; nothing if there is half of one.
std::optional<std::u32string> join_surrogates(const std::u32string& text) {
  std::u32string whole;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char32_t c = text[i];
    if (!is_surrogate(c)) {
      whole += c;
      continue;
    }
    if (c >= 0xdc00 || i + 1 == text.size() || text[i + 1] < 0xdc00 || text[i + 1] >= 0xe000) return std::nullopt;
    whole += static_cast<char32_t>(0x10000 + ((c - 0xd800) << 10) + (text[++i] - 0xdc00));
  }
  return whole;
}

Value fit_integer(Integer value, const model::Type& type, std::optional<Problem>& problem) {
  const IntegerRange range = integer_range(type.kind);
  if (value < range.lowest || value > range.highest) {
    problem = Problem{Id::out_of_range, to_string(value) + " is outside the range of " + quote(spelling(type)) + ", " +
                                            to_string(range.lowest) + " to " + to_string(range.highest)};
    return {};
  }
  if (range.lowest < 0) return static_cast<std::int64_t>(value);
  return static_cast<std::uint64_t>(value);
}

Value fit_floating(Floating value, const model::Type& type, std::optional<Problem>& problem) {
  if (type.kind == TypeKind::long_double) return value.wide;
  // What rounds to a finite value is one: FLT_MAX is written with fewer digits than it has.
  const bool fits =
      type.kind == TypeKind::float_ ? std::isfinite(static_cast<float>(value.narrow)) : std::isfinite(value.narrow);
  if (!fits) {
    problem = Problem{Id::out_of_range, "the value is outside the range of " + quote(spelling(type))};
    return {};
  }
  return value.narrow;
}

Value fit_fixed(const model::Fixed& value, const model::Type& type, std::optional<Problem>& problem) {
  if (type.digits == 0) return value;
  if (auto fitted = cut(value, type.digits, type.scale)) return *std::move(fitted);
  problem = Problem{Id::out_of_range, "the value does not fit in " + quote(spelling(type))};
  return {};
}

bool is_floating(TypeKind kind) {
  return kind == TypeKind::float_ || kind == TypeKind::double_ || kind == TypeKind::long_double;
}

template <class T>
const T* both(const Evaluated& left, const Evaluated& right) {
  return std::holds_alternative<T>(right) ? std::get_if<T>(&left) : nullptr;
}

bool is_number(const Evaluated& value) {
  return std::holds_alternative<Integer>(value) || std::holds_alternative<Floating>(value) ||
         std::holds_alternative<model::Fixed>(value);
}

}  // namespace

Evaluated fold_binary(Kind operation, const Evaluated& left, const Evaluated& right, std::optional<Problem>& problem) {
  if (is_unknown(left) || is_unknown(right)) return {};
  if (const auto* integer = both<Integer>(left, right)) {
    return fold_integers(operation, *integer, std::get<Integer>(right), problem);
  }
  if (!is_number(left) || !is_number(right)) {
    return refuse(problem, Id::type_mismatch,
                  "operators need numbers, not " + std::string(describe(is_number(left) ? right : left)));
  }
  if (left.index() != right.index()) {
    return refuse(problem, Id::mixed_operands, "integer, floating-point and fixed-point operands cannot be mixed");
  }
  if (!is_arithmetic(operation)) {
    return refuse(problem, Id::type_mismatch, "this operator needs integers, not " + std::string(describe(left)) + "s");
  }
  if (const auto* floating = both<Floating>(left, right)) {
    return fold_floating(operation, *floating, std::get<Floating>(right), problem);
  }
  return fold_fixed(operation, std::get<model::Fixed>(left), std::get<model::Fixed>(right), problem);
}

Evaluated fold_unary(Kind operation, const Evaluated& operand, TypeKind target, std::optional<Problem>& problem) {
  if (is_unknown(operand)) return {};
  if (const auto* integer = std::get_if<Integer>(&operand)) {
    if (operation == Kind::plus) return *integer;
    if (operation == Kind::minus) return checked(-*integer, problem);
    const IntegerRange range = integer_range(target);
    const bool is_unsigned = range.lowest == 0 && range.highest > 0;
    return checked(is_unsigned ? range.highest - *integer : -*integer - 1, problem);
  }
  if (operation != Kind::tilde && is_number(operand)) {
    if (operation == Kind::plus) return operand;
    if (const auto* fixed = std::get_if<model::Fixed>(&operand)) return negate(*fixed);
    const auto& floating = std::get<Floating>(operand);
    return Floating{-floating.narrow, -floating.wide};
  }
  return refuse(problem, Id::type_mismatch, "this operator does not apply to " + std::string(describe(operand)));
}

Value fit(const Evaluated& value, const model::Type& type, std::optional<Problem>& problem) {
  if (is_unknown(value)) return {};
  const TypeKind kind = type.kind;
  if (const auto* integer = std::get_if<Integer>(&value); integer != nullptr && integer_range(kind).highest > 0) {
    return fit_integer(*integer, type, problem);
  }
  if (const auto* number = std::get_if<Floating>(&value); number != nullptr && is_floating(kind)) {
    return fit_floating(*number, type, problem);
  }
  if (const auto* number = std::get_if<model::Fixed>(&value); number != nullptr && kind == TypeKind::fixed) {
    return fit_fixed(*number, type, problem);
  }
  if (const auto* boolean = std::get_if<bool>(&value); boolean != nullptr && kind == TypeKind::boolean) return *boolean;
  if (const auto* c = std::get_if<NarrowCharacter>(&value); c != nullptr && kind == TypeKind::char_) {
    return static_cast<char32_t>(static_cast<unsigned char>(c->value));
  }
  if (const auto* c = std::get_if<WideCharacter>(&value); c != nullptr && kind == TypeKind::wchar) {
    if (is_surrogate(c->value)) return refuse_surrogate(problem);
    return c->value;
  }
  if (const auto* s = std::get_if<std::string>(&value); s != nullptr && kind == TypeKind::string) {
    return fit_text(*s, type, problem);
  }
  if (const auto* s = std::get_if<std::u32string>(&value); s != nullptr && kind == TypeKind::wstring) {
    const auto whole = join_surrogates(*s);
    return whole ? fit_text(*whole, type, problem) : refuse_surrogate(problem);
  }
  if (const auto* e = std::get_if<const model::Enumerator*>(&value); e != nullptr && kind == TypeKind::enum_) {
    if ((*e)->owner == type.declaration) return *e;
    problem = Problem{Id::type_mismatch, quote((*e)->name) + " belongs to enum " + quote(scoped_name(*(*e)->owner)) +
                                             ", not to " + quote(spelling(type))};
    return {};
  }
  std::string text = std::string(describe(value)) + " cannot be a value of type " + quote(spelling(type));
  if (is_wide(kind)) text += "; wide literals begin with L";
  if (std::holds_alternative<Integer>(value) && is_floating(kind)) text += "; write it with a decimal point";
  if (is_number(value) && kind == TypeKind::fixed) text += "; write it with the suffix 'd'";
  problem = Problem{Id::type_mismatch, std::move(text)};
  return {};
}

}  // namespace corbel::idl::front
