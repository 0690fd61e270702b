// SPDX-License-Identifier: Apache-2.0
// The part of the parser that knows about tokens: looking, taking, expecting and getting back on its feet.
#include "corbel/idl/front/parser.hpp"

namespace corbel::idl::front {
namespace {

constexpr unsigned kMaxNesting = 200;

}  // namespace

Parser::Nesting::Nesting(Parser& parser) : parser_(parser) {
  if (++parser_.depth_ > kMaxNesting && !parser_.abandoned_) {
    parser_.fail(Id::too_deep,
                 "nested more than " + std::to_string(kMaxNesting) + " levels deep; giving up on this file");
    parser_.abandoned_ = true;
  }
}

Parser::Inside::Inside(Parser& inside_of, Scope& scope, model::Contents* contents)
    : parser(inside_of),
      owner(scope.owner()),
      outer(std::exchange(parser.inside_, this)),
      outer_contents(std::exchange(parser.contents_, contents)),
      outer_prefix(parser.ids_.prefix()) {
  parser.names_.enter(scope);
  const auto prefix = parser.type_prefixes_.find(owner);
  if (prefix != parser.type_prefixes_.end()) parser.ids_.set_prefix({prefix->second.text});
}

Parser::Inside::~Inside() {
  parser.names_.leave();
  parser.inside_ = outer;
  parser.contents_ = outer_contents;
  parser.ids_.set_prefix(std::move(outer_prefix));
}

/// Fetched only when looked at, so that a pragma or line marker acts in the scope where it stands.
const Token& Parser::current() {
  while (!current_) {
    Token token = lexer_.next();
    if (token.kind == Kind::marker) {
      follow_marker(token);
    } else if (token.kind == Kind::pragma) {
      parse_pragma(token);
    } else if (token.kind == Kind::directive) {
      diagnostics_.report(Id::stray_directive, token.span, "preprocessor directive in preprocessed text");
    } else {
      current_ = std::move(token);
    }
  }
  return *current_;
}

Kind Parser::kind() {
  return panic_ || abandoned_ ? Kind::end : current().kind;
}

bool Parser::at_word(std::string_view later_keyword) {
  return at(Kind::identifier) && current().later_keyword && current().text == later_keyword;
}

Token Parser::take() {
  current();
  Token token = std::move(*current_);
  previous_end_ = token.span.offset + token.span.length;
  current_.reset();
  return token;
}

bool Parser::accept(Kind k) {
  if (!at(k)) return false;
  take();
  return true;
}

bool Parser::expect(Kind k, std::string_view context) {
  if (accept(k)) return true;
  fail(Id::expected, "expected " + describe(k) + " " + std::string(context));
  return false;
}

void Parser::expect_semicolon(std::string_view after) {
  if (accept(Kind::semicolon) || panic_ || abandoned_) return;
  diagnostics_.report(Id::expected_semicolon, {previous_end_, 0}, "expected ';' after " + std::string(after));
  // What follows on another line is most likely the next declaration and deserves to be read.
  const std::uint32_t last = previous_end_ > 0 ? previous_end_ - 1 : 0;
  panic_ = source_.position(last).line == source_.position(current().span.offset).line && !at(Kind::right_brace);
}

void Parser::fail(Id id, std::string text) {
  if (panic_ || abandoned_) return;
  const Token& found = current();
  if (id == Id::expected || id == Id::bad_type) {
    text += found.kind == Kind::identifier || found.kind == Kind::integer ? ", found " + quote(found.text)
                                                                          : ", found " + describe(found.kind);
  }
  if (!found.reported) diagnostics_.report(id, found.span, std::move(text));
  panic_ = true;
}

/// Leaves panic behind the next `;` of this level, or before its `}`.
void Parser::recover() {
  panic_ = false;
  for (int depth = 0; !at(Kind::end);) {
    if (at(Kind::right_brace) && depth == 0) return;
    const Kind skipped = take().kind;
    if (skipped == Kind::semicolon && depth == 0) return;
    if (skipped == Kind::left_brace) ++depth;
    if (skipped == Kind::right_brace) --depth;
  }
}

/// Skips a bracketed group, if one starts here.
void Parser::skip_balanced(Kind open, Kind close) {
  if (!at(open)) return;
  for (int depth = 0; !at(Kind::end);) {
    const Kind skipped = take().kind;
    if (skipped == open) ++depth;
    if (skipped == close && --depth == 0) return;
  }
}

std::optional<Parser::Name> Parser::parse_new_name(std::string_view what) {
  if (!at(Kind::identifier)) {
    if (!panic_ && !abandoned_ && current().kind >= Kind::kw_abstract) {
      fail(Id::expected, "expected the name of " + std::string(what) + "; write '_" + std::string(current().text) +
                             "' to use a keyword as a name");
    } else {
      fail(Id::expected, "expected the name of " + std::string(what));
    }
    return std::nullopt;
  }
  const Token token = take();
  if (token.later_keyword && !(token.idl4_keyword && options_.idl_version < 4)) {
    diagnostics_.report(
        Id::later_keyword, token.span,
        quote(token.text) + " is a keyword of later IDL versions; write '_" + std::string(token.text) + "'");
  }
  return Name{token.text, token.span};
}

std::optional<Parser::ScopedName> Parser::parse_scoped_name() {
  ScopedName name;
  name.where = current().span;
  name.absolute = accept(Kind::scope);
  do {
    if (!at(Kind::identifier)) {
      fail(Id::expected, "expected a name");
      return std::nullopt;
    }
    const Token token = take();
    name.parts.push_back({token.text, token.span});
  } while (accept(Kind::scope));
  name.where.length = previous_end_ - name.where.offset;
  return name;
}

/// Statements up to and including the closing brace.
void Parser::parse_body(void (Parser::*statement)(), std::string_view what) {
  while (true) {
    if (panic_) recover();
    if (at(Kind::right_brace) || at(Kind::end)) break;
    (this->*statement)();
  }
  expect(Kind::right_brace, "at the end of " + std::string(what));
}

void Parser::follow_marker(const Token& marker) {
  const std::size_t depth = source_.marker_at(marker.span.offset + marker.span.length + 1).depth;
  for (; file_depth_ < depth; ++file_depth_) ids_.enter_file(prefix_scope());
  for (; file_depth_ > depth; --file_depth_) ids_.leave_file();
}

}  // namespace corbel::idl::front
