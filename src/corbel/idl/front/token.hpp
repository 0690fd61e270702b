// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "corbel/idl/front/source.hpp"

namespace corbel::idl::front {

enum class Kind : std::uint8_t {
  end,
  identifier,
  integer,
  floating,
  fixed,
  character,
  wide_character,
  string,
  wide_string,
  pragma,
  marker,
  directive,
  // Punctuation; `>>` is two greater tokens, so that sequence<sequence<long>> needs no blank
  left_brace,
  right_brace,
  semicolon,
  colon,
  scope,
  comma,
  equals,
  plus,
  minus,
  left_paren,
  right_paren,
  less,
  greater,
  left_bracket,
  right_bracket,
  bar,
  caret,
  ampersand,
  star,
  slash,
  percent,
  tilde,
  at,
  shift_left,
  // Keywords, in the order of the table in keywords.cpp
  kw_abstract,
  kw_any,
  kw_attribute,
  kw_boolean,
  kw_case,
  kw_char,
  kw_const,
  kw_context,
  kw_custom,
  kw_default,
  kw_double,
  kw_enum,
  kw_exception,
  kw_factory,
  kw_false,
  kw_fixed,
  kw_float,
  kw_in,
  kw_inout,
  kw_interface,
  kw_local,
  kw_long,
  kw_module,
  kw_native,
  kw_object,
  kw_octet,
  kw_oneway,
  kw_out,
  kw_private,
  kw_public,
  kw_raises,
  kw_readonly,
  kw_sequence,
  kw_short,
  kw_string,
  kw_struct,
  kw_supports,
  kw_switch,
  kw_true,
  kw_truncatable,
  kw_typedef,
  kw_unsigned,
  kw_union,
  kw_valuebase,
  kw_valuetype,
  kw_void,
  kw_wchar,
  kw_wstring,
};

/// One token. Text refers into the Source.
struct Token {
  Kind kind = Kind::end;
  Span span;
  std::string_view text;          ///< identifier: without the escaping underscore; pragma: everything after `#pragma`
  bool escaped = false;           ///< identifier written with a leading underscore
  bool later_keyword = false;     ///< identifier that CORBA 3 or IDL 4 reserve
  bool idl4_keyword = false;      ///< one that only IDL 4 reserves
  bool reported = false;          ///< already the subject of an error
  std::uint64_t integer = 0;      ///< integer literal
  double floating = 0;            ///< floating literal
  long double wide_floating = 0;  ///< the same, in more precision
  std::string bytes;              ///< character, string: decoded
  std::u32string wide;            ///< wide_character, wide_string: decoded
};

/// How a message names the kind: "';'", "'struct'", "identifier".
std::string describe(Kind kind);

struct KeywordMatch {
  enum class How : std::uint8_t { none, exact, other_case, younger_case, corba3, idl4 } how = How::none;
  Kind kind = Kind::identifier;
  std::string_view spelling;
};
/// Whether an unescaped identifier is a keyword, one in the wrong case, or a word that only CORBA 3 or IDL 4 reserves,
/// which older IDL uses freely and which is therefore a keyword only where nothing else could stand. younger_case: it
/// differs only in case from a keyword that came after CORBA 2.2, as names in the OMG's own older files do.
KeywordMatch match_keyword(std::string_view identifier);

/// Every keyword, for "did you mean".
void append_keywords(std::vector<std::string_view>& words);

/// Identifiers compare without regard to case: this is the form that maps use as key.
std::string folded(std::string_view identifier);

}  // namespace corbel::idl::front
