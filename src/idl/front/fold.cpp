// SPDX-License-Identifier: Apache-2.0
#include "idl/front/fold.hpp"

#include <cmath>
#include <limits>

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

Evaluated fold_doubles(Kind operation, double left, double right, std::optional<Problem>& problem) {
  double result = 0;
  switch (operation) {
    case Kind::plus:
      result = left + right;
      break;
    case Kind::minus:
      result = left - right;
      break;
    case Kind::star:
      result = left * right;
      break;
    case Kind::slash:
      if (right == 0) return refuse(problem, Id::division_by_zero, "division by zero");
      result = left / right;
      break;
    default:
      return refuse(problem, Id::type_mismatch, "this operator needs integers, not floating-point values");
  }
  if (std::isfinite(result)) return result;
  return refuse(problem, Id::overflow, "the result is outside the range of double");
}

bool is_wide(TypeKind kind) {
  return kind == TypeKind::wchar || kind == TypeKind::wstring;
}

template <class Text>
Value fit_text(const Text& text, const model::Type& type, std::optional<Problem>& problem) {
  if (type.bound == 0 || text.size() <= type.bound) return text;
  problem = Problem{Id::too_long,
                    "a text of length " + std::to_string(text.size()) + " does not fit in " + quoted(spelling(type))};
  return {};
}

Value fit_integer(Integer value, const model::Type& type, std::optional<Problem>& problem) {
  const IntegerRange range = integer_range(type.kind);
  if (value < range.lowest || value > range.highest) {
    problem = Problem{Id::out_of_range, to_string(value) + " is outside the range of " + quoted(spelling(type)) + ", " +
                                            to_string(range.lowest) + " to " + to_string(range.highest)};
    return {};
  }
  if (range.lowest < 0) return static_cast<std::int64_t>(value);
  return static_cast<std::uint64_t>(value);
}

Value fit_double(double value, const model::Type& type, std::optional<Problem>& problem) {
  if (type.kind == TypeKind::float_ && std::fabs(value) > static_cast<double>(std::numeric_limits<float>::max())) {
    problem = Problem{Id::out_of_range, "the value is outside the range of 'float'"};
    return {};
  }
  return value;
}

}  // namespace

Evaluated fold_binary(Kind operation, const Evaluated& left, const Evaluated& right, std::optional<Problem>& problem) {
  if (is_unknown(left) || is_unknown(right)) return {};
  const auto* left_integer = std::get_if<Integer>(&left);
  const auto* right_integer = std::get_if<Integer>(&right);
  if (left_integer != nullptr && right_integer != nullptr) {
    return fold_integers(operation, *left_integer, *right_integer, problem);
  }
  const auto* left_double = std::get_if<double>(&left);
  const auto* right_double = std::get_if<double>(&right);
  if (left_double != nullptr && right_double != nullptr) {
    return fold_doubles(operation, *left_double, *right_double, problem);
  }
  if ((left_integer != nullptr && right_double != nullptr) || (left_double != nullptr && right_integer != nullptr)) {
    return refuse(problem, Id::mixed_operands, "integer and floating-point operands cannot be mixed");
  }
  const bool left_is_number = left_integer != nullptr || left_double != nullptr;
  return refuse(problem, Id::type_mismatch,
                "operators need numbers, not " + std::string(describe(left_is_number ? right : left)));
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
  const auto* floating = std::get_if<double>(&operand);
  if (floating != nullptr && operation != Kind::tilde) return operation == Kind::minus ? -*floating : *floating;
  return refuse(problem, Id::type_mismatch, "this operator does not apply to " + std::string(describe(operand)));
}

Value fit(const Evaluated& value, const model::Type& type, std::optional<Problem>& problem) {
  if (is_unknown(value)) return {};
  const TypeKind kind = type.kind;
  if (const auto* integer = std::get_if<Integer>(&value); integer != nullptr && integer_range(kind).highest > 0) {
    return fit_integer(*integer, type, problem);
  }
  if (const auto* number = std::get_if<double>(&value);
      number != nullptr && (kind == TypeKind::float_ || kind == TypeKind::double_)) {
    return fit_double(*number, type, problem);
  }
  if (const auto* boolean = std::get_if<bool>(&value); boolean != nullptr && kind == TypeKind::boolean) return *boolean;
  if (const auto* c = std::get_if<NarrowCharacter>(&value); c != nullptr && kind == TypeKind::char_) {
    return static_cast<char32_t>(static_cast<unsigned char>(c->value));
  }
  if (const auto* c = std::get_if<WideCharacter>(&value); c != nullptr && kind == TypeKind::wchar) return c->value;
  if (const auto* s = std::get_if<std::string>(&value); s != nullptr && kind == TypeKind::string) {
    return fit_text(*s, type, problem);
  }
  if (const auto* s = std::get_if<std::u32string>(&value); s != nullptr && kind == TypeKind::wstring) {
    return fit_text(*s, type, problem);
  }
  if (const auto* e = std::get_if<const model::Enumerator*>(&value); e != nullptr && kind == TypeKind::enum_) {
    if ((*e)->owner == type.declaration) return *e;
    problem = Problem{Id::type_mismatch, quoted((*e)->name) + " belongs to enum " + quoted(scoped_name(*(*e)->owner)) +
                                             ", not to " + quoted(spelling(type))};
    return {};
  }
  std::string text = std::string(describe(value)) + " cannot be a value of type " + quoted(spelling(type));
  if (is_wide(kind)) text += "; wide literals begin with L";
  if (std::holds_alternative<Integer>(value) && (kind == TypeKind::float_ || kind == TypeKind::double_)) {
    text += "; write it with a decimal point";
  }
  problem = Problem{Id::type_mismatch, std::move(text)};
  return {};
}

}  // namespace corbel::idl::front
