// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <variant>

#include "corbel/idl/front/source.hpp"
#include "corbel/idl/model/model.hpp"

namespace corbel::idl::front {

/// Wide enough that an operation on two 64-bit values can be checked for overflow afterwards.
__extension__ using Integer = __int128;

struct NarrowCharacter {
  char value;
};
struct WideCharacter {
  char32_t value;
};

/// A floating-point value in both precisions: rounding a long double to double would round twice.
struct Floating {
  double narrow;
  long double wide;
};

/// What a constant expression has come to, before it is fitted to a type. monostate: an error was already reported.
using Evaluated = std::variant<std::monostate, bool, Integer, Floating, NarrowCharacter, WideCharacter, std::string,
                               std::u32string, const model::Enumerator*, model::Fixed>;

inline bool is_unknown(const Evaluated& value) noexcept {
  return std::holds_alternative<std::monostate>(value);
}

/// "an integer", "a string": for messages.
std::string_view describe(const Evaluated& value) noexcept;
/// Decimal digits.
std::string to_string(Integer value);

struct IntegerRange {
  Integer lowest;
  Integer highest;
};
/// The values of an integer type or octet; {0, -1} for any other kind.
IntegerRange integer_range(model::TypeKind kind) noexcept;

}  // namespace corbel::idl::front
