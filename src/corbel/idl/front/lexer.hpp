// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "corbel/idl/front/diagnostics.hpp"
#include "corbel/idl/front/token.hpp"

namespace corbel::idl::front {

/// Turns preprocessed text into tokens, one at a time. Reports malformed tokens and carries on with a sensible value.
class Lexer {
 public:
  Lexer(const Source& source, Diagnostics& diagnostics) : text_(source.text()), diagnostics_(diagnostics) {}

  /// The next token; Kind::end forever once the text is used up.
  Token next();
  /// Goes on at an offset of the text, where a token may begin.
  void go_to(std::size_t position) noexcept { position_ = position; }
  std::size_t position() const noexcept { return position_; }
  /// Whether words are not to be judged: those in annotations that mean nothing here.
  void set_quiet(bool quiet) noexcept { quiet_ = quiet; }

 private:
  bool done() const noexcept { return position_ >= text_.size(); }
  char peek(std::size_t ahead = 0) const noexcept {
    return position_ + ahead < text_.size() ? text_[position_ + ahead] : '\0';
  }
  Span span_from(std::size_t start) const noexcept;
  Token token(Kind kind, std::size_t start) const;

  bool skip_blanks_and_comments();
  Token read_directive();
  Token read_identifier();
  Token read_number();
  Token read_integer(std::size_t start);
  Token read_character(bool wide);
  Token read_string(bool wide);
  std::optional<Token> read_punctuation();
  /// One character of a literal, escapes decoded.
  char32_t read_literal_character(bool wide);
  char32_t read_escape(bool wide);
  char32_t read_coded(unsigned base, std::size_t max_digits);
  std::optional<char32_t> read_utf8();
  bool read_literal_body(char quote, bool wide, Token& token);

  std::string_view text_;
  Diagnostics& diagnostics_;
  bool quiet_ = false;
  std::size_t position_ = 0;
};

}  // namespace corbel::idl::front
