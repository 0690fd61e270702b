// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

/// Types as they are used, and values of constants.
namespace corbel::idl::model {

/// A place in a source file; line and column count from 1, columns in octets.
struct Location {
  std::uint32_t file = 0;  ///< index into Model::files
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

/// The order is part of the interface: void_ to double_ are passed by value everywhere, void_ to value_base need
/// nothing but the kind (string and wstring: a bound of 0).
enum class TypeKind : std::uint8_t {
  void_,
  boolean,
  char_,
  wchar,
  octet,
  int8,   ///< int16, int32 and int64 are short_, long_ and longlong
  uint8,  ///< uint16, uint32 and uint64 are ushort, ulong and ulonglong
  short_,
  ushort,
  long_,
  ulong,
  longlong,
  ulonglong,
  float_,
  double_,
  long_double,
  string,
  wstring,
  any,
  type_code,   ///< CORBA::TypeCode
  object,      ///< Object
  value_base,  ///< ValueBase
  fixed,
  sequence,
  map,
  array,
  alias,
  enum_,
  struct_,
  union_,
  interface_,  ///< abstract and local ones too: the Interface tells
  value,
  value_box,
  native,
  bitset,
  bitmask,
};

struct Declaration;
struct Enumerator;

/// A type as it is used. Which fields count depends on `kind`.
struct Type {
  TypeKind kind;
  std::uint64_t bound = 0;                   ///< string, wstring, sequence, map: 0 is unbounded
  const Type* element = nullptr;             ///< sequence, array; map: the type of the values
  std::vector<std::uint64_t> dimensions;     ///< array: at least one, outermost first
  const Declaration* declaration = nullptr;  ///< alias and everything after it
  const Type* key = nullptr;                 ///< map
  std::uint16_t digits = 0;                  ///< fixed: 1 to 31; 0 only for the bare `fixed` of a constant
  std::uint16_t scale = 0;                   ///< fixed: 0 to digits
};

/// A fixed-point number: `digits` without the point, most significant first, of which `scale` are decimals; no
/// superfluous zeros, "0" for zero.
struct Fixed {
  bool negative = false;
  std::string digits = "0";  ///< 1 to 31
  std::uint16_t scale = 0;   ///< at most the number of digits
  auto operator<=>(const Fixed&) const = default;
};

/// A constant's value. Signed integer types hold int64; unsigned ones, octet and uint8 uint64; char and wchar char32_t;
/// float and double double; wstring one char32_t per wide character.
using Value = std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, long double, char32_t,
                           std::string, std::u32string, const Enumerator*, Fixed>;

}  // namespace corbel::idl::model
