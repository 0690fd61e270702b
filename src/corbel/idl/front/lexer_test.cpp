// SPDX-License-Identifier: Apache-2.0
#include "corbel/idl/front/lexer.hpp"

#include <gtest/gtest.h>

namespace corbel::idl::front {
namespace {

struct Lexed {
  std::vector<Token> tokens;
  std::vector<Diagnostic> diagnostics;
  std::string text;
};

/// Tokens without the end. Their text refers into a Source that is gone: look at kinds and values only.
Lexed lex(std::string text) {
  const Source source(std::move(text), "test.idl");
  Diagnostics diagnostics(source, false, 50);
  Lexer lexer(source, diagnostics);
  Lexed result;
  for (Token token = lexer.next(); token.kind != Kind::end; token = lexer.next()) {
    result.text += std::string(token.text) + "|";
    result.tokens.push_back(std::move(token));
  }
  result.diagnostics = diagnostics.take();
  return result;
}

TEST(Lexer, CutsTextIntoTokensAndSkipsComments) {
  const Lexed lexed = lex("module /* a */ M::N { // rest\n long x[3]; }");
  EXPECT_EQ(lexed.text, "module|M|::|N|{|long|x|[|3|]|;|}|");
  EXPECT_EQ(lexed.tokens[0].kind, Kind::kw_module);
  EXPECT_EQ(lexed.tokens[2].kind, Kind::scope);
}

TEST(Lexer, DropsTheEscapingUnderscoreAndTheKeywordWithIt) {
  const Lexed lexed = lex("_struct struct");
  EXPECT_EQ(lexed.tokens[0].kind, Kind::identifier);
  EXPECT_TRUE(lexed.tokens[0].escaped);
  EXPECT_EQ(lexed.tokens[1].kind, Kind::kw_struct);
}

TEST(Lexer, ReadsNumbersInEveryBase) {
  const Lexed lexed = lex("10 010 0x1F 0 1.5 2e3 .25 3.14d");
  EXPECT_EQ(lexed.tokens[0].integer, 10U);
  EXPECT_EQ(lexed.tokens[1].integer, 8U);
  EXPECT_EQ(lexed.tokens[2].integer, 31U);
  EXPECT_EQ(lexed.tokens[3].integer, 0U);
  EXPECT_EQ(lexed.tokens[4].floating, 1.5);
  EXPECT_EQ(lexed.tokens[5].floating, 2000.0);
  EXPECT_EQ(lexed.tokens[6].floating, 0.25);
  EXPECT_EQ(lexed.tokens[7].kind, Kind::fixed);
  EXPECT_TRUE(lexed.diagnostics.empty());
}

TEST(Lexer, DecodesEscapes) {
  const Lexed lexed = lex(R"('\n' '\x41' '\101' "a\tb\"" L'\u20ac' L"\x41")");
  EXPECT_EQ(lexed.tokens[0].bytes, "\n");
  EXPECT_EQ(lexed.tokens[1].bytes, "A");
  EXPECT_EQ(lexed.tokens[2].bytes, "A");
  EXPECT_EQ(lexed.tokens[3].bytes, "a\tb\"");
  EXPECT_EQ(lexed.tokens[4].wide, U"\u20ac");
  EXPECT_EQ(lexed.tokens[5].wide, U"A");
}

TEST(Lexer, TellsPragmasFromMarkers) {
  const Lexed lexed = lex("#pragma prefix \"x\"\n# 3 \"f.idl\"\n#line 4\n#other\nx # y");
  ASSERT_GE(lexed.tokens.size(), 5U);
  EXPECT_EQ(lexed.tokens[0].kind, Kind::pragma);
  EXPECT_EQ(lexed.tokens[1].kind, Kind::marker);
  EXPECT_EQ(lexed.tokens[2].kind, Kind::marker);
  EXPECT_EQ(lexed.tokens[3].kind, Kind::directive);
  EXPECT_EQ(lexed.tokens[4].kind, Kind::identifier);
  ASSERT_EQ(lexed.diagnostics.size(), 1U);
  EXPECT_EQ(lexed.diagnostics[0].id, Id::invalid_character);
}

TEST(Lexer, SurvivesAnyOctet) {
  std::string all;
  for (int i = 0; i < 256; ++i) all += std::string("a") + static_cast<char>(i) + " ";
  lex(all);
  lex(std::string(100000, '\0'));
  lex("\"\\");
  lex("'\\");
  lex("L'");
  lex("0x");
}

}  // namespace
}  // namespace corbel::idl::front
