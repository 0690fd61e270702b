// SPDX-License-Identifier: Apache-2.0
#include "corbel/idl/front/lexer.hpp"

#include <locale.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>

namespace corbel::idl::front {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_word(char c) {
  return is_letter(c) || is_digit(c) || c == '_';
}
bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f';
}

int digit_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

/// As std::from_chars, which refuses everything below the normal values; here that is rounded, to zero at the end.
/// Infinite if the value is too large. Only for numbers that std::from_chars has understood.
long double rounded(std::string_view text) {
  static const locale_t kPlain = newlocale(LC_ALL_MASK, "C", nullptr);
  return strtold_l(std::string(text).c_str(), nullptr, kPlain);
}

}  // namespace

Span Lexer::span_from(std::size_t start) const noexcept {
  return {static_cast<std::uint32_t>(start), static_cast<std::uint32_t>(position_ - start)};
}

Token Lexer::token(Kind kind, std::size_t start) const {
  Token result;
  result.kind = kind;
  result.span = span_from(start);
  result.text = text_.substr(start, position_ - start);
  return result;
}

Token Lexer::next() {
  while (true) {
    const bool line_start = skip_blanks_and_comments();
    if (done() || diagnostics_.exhausted()) return token(Kind::end, position_);
    const char c = peek();
    if (c == '#' && line_start) return read_directive();
    if (c == 'L' && peek(1) == '\'') return read_character(true);
    if (c == 'L' && peek(1) == '"') return read_string(true);
    if (is_letter(c) || c == '_') return read_identifier();
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return read_number();
    if (c == '\'') return read_character(false);
    if (c == '"') return read_string(false);
    if (auto punctuation = read_punctuation()) return *std::move(punctuation);
  }
}

/// True if only blanks stand between the start of the line and the position reached.
bool Lexer::skip_blanks_and_comments() {
  bool line_start = position_ == 0;
  while (!done()) {
    if (peek() == '\n') line_start = true;
    if (is_blank(peek())) {
      ++position_;
    } else if (peek() == '/' && peek(1) == '/') {
      position_ = std::min(text_.find('\n', position_), text_.size());
    } else if (peek() == '/' && peek(1) == '*') {
      const std::size_t start = position_;
      const std::size_t close = text_.find("*/", position_ + 2);
      position_ = close == std::string_view::npos ? text_.size() : close + 2;
      if (close == std::string_view::npos) {
        diagnostics_.report(Id::unterminated, {static_cast<std::uint32_t>(start), 2}, "comment is never closed");
      }
    } else {
      break;
    }
  }
  return line_start || (position_ > 0 && text_[position_ - 1] == '\n');
}

Token Lexer::read_directive() {
  const std::size_t start = position_;
  position_ = std::min(text_.find('\n', position_), text_.size());
  Token result = token(Kind::directive, start);
  std::string_view rest = result.text.substr(1);
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
  if (rest.empty() || is_digit(rest[0]) || rest.starts_with("line")) {
    result.kind = Kind::marker;
  } else if (rest.starts_with("pragma") && (rest.size() == 6 || !is_word(rest[6]))) {
    result.kind = Kind::pragma;
    result.text = rest.substr(6);
  }
  return result;
}

Token Lexer::read_identifier() {
  const std::size_t start = position_;
  while (is_word(peek())) ++position_;
  Token result = token(Kind::identifier, start);
  if (result.text[0] == '_') {
    result.text.remove_prefix(1);
    result.escaped = true;
    if (result.text.empty() || !is_letter(result.text[0])) {
      diagnostics_.report(Id::bad_identifier, result.span,
                          "an identifier begins with a letter, after at most one escaping underscore");
      result.text = result.text.empty() ? text_.substr(start, 1) : result.text;
    }
    return result;
  }
  const KeywordMatch match = match_keyword(result.text);
  switch (match.how) {
    case KeywordMatch::How::exact:
      result.kind = match.kind;
      break;
    case KeywordMatch::How::other_case:
      if (match.kind == Kind::kw_true || match.kind == Kind::kw_false) {
        const bool lower = result.text == "true" || result.text == "false";
        result.reported = !lower;
        if (!quiet_) {
          diagnostics_.report(lower ? Id::lower_case_boolean : Id::keyword_case, result.span,
                              "boolean literals are written in upper case, " + quote(match.spelling));
        }
        result.kind = match.kind;
      } else if (!quiet_) {
        result.reported = true;
        diagnostics_.report(Id::keyword_case, result.span,
                            quote(result.text) + " differs from the keyword " + quote(match.spelling) +
                                " only in case; write '_" + std::string(result.text) + "' to use it as a name");
      }
      break;
    case KeywordMatch::How::younger_case:
      diagnostics_.report(Id::later_keyword, result.span,
                          quote(result.text) + " differs from " + quote(match.spelling) +
                              ", a keyword since CORBA 2.3, only in case; write '_" + std::string(result.text) + "'");
      break;
    case KeywordMatch::How::corba3:
    case KeywordMatch::How::idl4:
      result.later_keyword = match.spelling == result.text;
      result.idl4_keyword = match.how == KeywordMatch::How::idl4;
      break;
    case KeywordMatch::How::none:
      break;
  }
  return result;
}

Token Lexer::read_number() {
  const std::size_t start = position_;
  if (peek() == '0' && (peek(1) == 'x' || peek(1) == 'X')) {
    position_ += 2;
    while (is_word(peek())) ++position_;
    return read_integer(start);
  }
  while (is_digit(peek())) ++position_;
  Kind kind = Kind::integer;
  if (peek() == '.') {
    kind = Kind::floating;
    ++position_;
    while (is_digit(peek())) ++position_;
  }
  if (peek() == 'e' || peek() == 'E') {
    kind = Kind::floating;
    ++position_;
    if (peek() == '+' || peek() == '-') ++position_;
    while (is_digit(peek())) ++position_;
  }
  if (peek() == 'd' || peek() == 'D') {
    kind = Kind::fixed;
    ++position_;
  }
  while (is_word(peek())) ++position_;
  if (kind == Kind::integer) return read_integer(start);
  Token result = token(kind, start);
  if (kind == Kind::fixed) {
    if (result.text.find_first_of("dD") + 1 != result.text.size() ||
        result.text.find_first_of("eE") < result.text.size()) {
      diagnostics_.report(Id::bad_number, result.span, "malformed fixed-point literal " + quote(result.text));
    }
    return result;
  }
  const char* const last = result.text.data() + result.text.size();
  const auto [stop, error] = std::from_chars(result.text.data(), last, result.wide_floating);
  if (error == std::errc::result_out_of_range) result.wide_floating = rounded(result.text);
  // A value outside the range of double may still be a long double: fitting it to its type will tell.
  if (std::from_chars(result.text.data(), last, result.floating).ec == std::errc::result_out_of_range) {
    result.floating = static_cast<double>(result.wide_floating);
  }
  if (std::isinf(result.wide_floating)) {
    diagnostics_.report(Id::bad_number, result.span, "floating-point literal is outside the range of long double");
  } else if (stop != last) {
    diagnostics_.report(Id::bad_number, result.span, "malformed floating-point literal " + quote(result.text));
  }
  return result;
}

Token Lexer::read_integer(std::size_t start) {
  Token result = token(Kind::integer, start);
  std::string_view digits = result.text;
  int base = 10;
  if (digits.starts_with("0x") || digits.starts_with("0X")) {
    base = 16;
    digits.remove_prefix(2);
  } else if (digits.size() > 1 && digits[0] == '0') {
    base = 8;
  }
  const char* const last = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), last, result.integer, base);
  if (error == std::errc::result_out_of_range) {
    diagnostics_.report(Id::bad_number, result.span, "integer literal does not fit in 64 bits");
  } else if (stop != last || error != std::errc()) {
    const char* const what = base == 8 ? "octal" : base == 16 ? "hexadecimal" : "integer";
    diagnostics_.report(Id::bad_number, result.span,
                        std::string("malformed ") + what + " literal " + quote(result.text));
  }
  return result;
}

char32_t Lexer::read_coded(unsigned base, std::size_t max_digits) {
  const std::size_t start = position_;
  char32_t value = 0;
  for (std::size_t n = 0; n < max_digits && static_cast<unsigned>(digit_value(peek())) < base; ++n) {
    value = value * base + static_cast<char32_t>(digit_value(text_[position_++]));
  }
  if (position_ == start) {
    diagnostics_.report(Id::bad_character_literal, {static_cast<std::uint32_t>(start - 2), 2},
                        "escape sequence has no digits");
  }
  return value;
}

char32_t Lexer::read_escape(bool wide) {
  const std::size_t start = position_ - 1;
  const char c = peek();
  if (c >= '0' && c <= '7') {
    const char32_t value = read_coded(8, 3);
    if (value <= 0xff) return value;
    diagnostics_.report(Id::bad_character_literal, span_from(start), "octal escape is larger than one octet");
    return U'?';
  }
  ++position_;
  switch (c) {
    case 'n':
      return U'\n';
    case 't':
      return U'\t';
    case 'v':
      return U'\v';
    case 'b':
      return U'\b';
    case 'r':
      return U'\r';
    case 'f':
      return U'\f';
    case 'a':
      return U'\a';
    case '\\':
    case '?':
    case '\'':
    case '"':
      return static_cast<char32_t>(c);
    case 'x':
      return read_coded(16, 2);
    case 'u': {
      const char32_t value = read_coded(16, 4);
      if (wide) return value;
      diagnostics_.report(Id::bad_character_literal, span_from(start), "'\\u' is for wide literals only");
      return U'?';
    }
    default:
      diagnostics_.report(Id::unknown_escape, span_from(start),
                          "unknown escape sequence; taken as the character itself");
      return static_cast<unsigned char>(c);
  }
}

/// A multi-octet UTF-8 character at the position, for wide literals; nothing (and no step) if it is not well formed.
std::optional<char32_t> Lexer::read_utf8() {
  const auto lead = static_cast<unsigned char>(peek());
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 0;
  if (length == 0 || lead > 0xf4) return std::nullopt;
  char32_t value = lead & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    const auto octet = static_cast<unsigned char>(peek(i));
    if ((octet & 0xc0) != 0x80) return std::nullopt;
    value = (value << 6) | (octet & 0x3fU);
  }
  position_ += length;
  return value;
}

char32_t Lexer::read_literal_character(bool wide) {
  if (wide) {
    if (const auto decoded = read_utf8()) return *decoded;
  }
  const char c = text_[position_++];
  return c == '\\' && !done() ? read_escape(wide) : static_cast<unsigned char>(c);
}

bool Lexer::read_literal_body(char quote, bool wide, Token& token) {
  const std::size_t start = position_;
  position_ += wide ? 2 : 1;
  while (!done() && peek() != quote && peek() != '\n') {
    const char32_t c = read_literal_character(wide);
    if (wide) {
      token.wide.push_back(c);
    } else {
      token.bytes.push_back(static_cast<char>(c));
    }
  }
  const bool closed = !done() && peek() == quote;
  if (closed) ++position_;
  token.span = span_from(start);
  token.text = text_.substr(start, position_ - start);
  if (!closed) {
    diagnostics_.report(Id::unterminated, {token.span.offset, 1},
                        quote == '"' ? "string literal is never closed" : "character literal is never closed");
  }
  return closed;
}

Token Lexer::read_character(bool wide) {
  Token result;
  result.kind = wide ? Kind::wide_character : Kind::character;
  if (!read_literal_body('\'', wide, result)) {
    result.bytes = "?";
    result.wide = U"?";
  } else if ((wide ? result.wide.size() : result.bytes.size()) != 1) {
    diagnostics_.report(Id::bad_character_literal, result.span, "a character literal holds exactly one character");
    result.bytes = "?";
    result.wide = U"?";
  }
  return result;
}

Token Lexer::read_string(bool wide) {
  Token result;
  result.kind = wide ? Kind::wide_string : Kind::string;
  read_literal_body('"', wide, result);
  if (result.bytes.find('\0') != std::string::npos || result.wide.find(U'\0') != std::u32string::npos) {
    diagnostics_.report(Id::nul_in_string, result.span, "a string cannot contain the NUL character");
  }
  return result;
}

/// Nothing if what stands here was reported and skipped.
std::optional<Token> Lexer::read_punctuation() {
  const std::size_t start = position_++;
  const char c = text_[start];
  if (c == ':' && peek() == ':') {
    ++position_;
    return token(Kind::scope, start);
  }
  if (c == '<' && peek() == '<') {
    ++position_;
    return token(Kind::shift_left, start);
  }
  // In the order of Kind; '?' keeps the place of the two-character `::`.
  const std::size_t index = std::string_view("{};:?,=+-()<>[]|^&*/%~@").find(c);
  if (c != '?' && index != std::string_view::npos) {
    return token(static_cast<Kind>(static_cast<std::size_t>(Kind::left_brace) + index), start);
  }
  const bool foreign = static_cast<unsigned char>(c) >= 0x80;
  while (foreign && static_cast<unsigned char>(peek()) >= 0x80) ++position_;
  diagnostics_.report(Id::invalid_character, span_from(start),
                      foreign ? "only ASCII characters may be used outside comments and literals"
                              : "this character has no meaning in IDL");
  return std::nullopt;
}

}  // namespace corbel::idl::front
