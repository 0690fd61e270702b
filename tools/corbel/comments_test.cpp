// SPDX-License-Identifier: Apache-2.0
#include "comments.hpp"

#include <gtest/gtest.h>

namespace corbel::tool {
namespace {

using Lines = std::vector<std::string>;

std::string on(const Lines& lines, std::string_view name, bool listed = false) {
  return comment_on(lines, lines.size(), name, listed);
}

TEST(CommentsTest, StandDirectlyAboveOrBehind) {
  EXPECT_EQ(on({"// A point.", "struct S {"}, "S"), "A point.");
  EXPECT_EQ(on({"  /// Two", "  //! lines.", "  long x;"}, "x"), "Two\nlines.");
  EXPECT_EQ(on({"long x;  // across"}, "x"), "across");
  EXPECT_EQ(on({"// up", "long x;  ///< across"}, "x"), "up\nacross");
  EXPECT_EQ(on({"struct S {  /* A point. */"}, "S"), "A point.");
  EXPECT_EQ(on({"// for later", "", "long x;"}, "x"), "");
  EXPECT_EQ(on({"long w;  // of w", "long x;"}, "x"), "");
  EXPECT_EQ(on({"// The right to.", "@bit_bound(12)", "bitmask M {"}, "M"), "The right to.");
  EXPECT_EQ(on({"// An escaped one", "long _enum;"}, "enum"), "An escaped one");
}

TEST(CommentsTest, BlocksLoseTheirStars) {
  EXPECT_EQ(on({"/**", " * A point.", " *", " * In a plane.", " **/", "struct S {"}, "S"), "A point.\n\nIn a plane.");
  EXPECT_EQ(on({"/* one */", "long x;"}, "x"), "one");
  EXPECT_EQ(on({"/************/", "/* A title */", "/************/", "long x;"}, "x"), "A title");
  EXPECT_EQ(on({"long w; /* of w", "   and more */", "long x;"}, "x"), "");
  EXPECT_EQ(on({"/* a */ long w; /* b */", "long x;"}, "x"), "");
  EXPECT_EQ(on({"no beginning */", "long x;"}, "x"), "");
}

TEST(CommentsTest, AreTheFirstOnesOfALine) {
  EXPECT_EQ(on({"// of the struct", "struct S { long x; };  // and this"}, "S"), "of the struct\nand this");
  EXPECT_EQ(on({"// of the struct", "struct S { long x; };  // and this"}, "x"), "");
  EXPECT_EQ(on({"  red,  // the first"}, "red", true), "the first");
  EXPECT_EQ(on({"  red, green,  // the first"}, "green", true), "");
  EXPECT_EQ(on({"typedef map<string, long> M;  // both"}, "M"), "both");
}

TEST(CommentsTest, OfPartsAreNotOfTheWhole) {
  EXPECT_EQ(on({"void f(in long a,  // an angle"}, "f"), "");
  EXPECT_EQ(on({"void f(in long a /* an angle */, in long b);  // moves"}, "f"), "moves");
  EXPECT_EQ(on({"const string kUrl = \"http://x\";"}, "kUrl"), "");
  EXPECT_EQ(on({"const string kUrl = \"a\\\"// b\";  // where"}, "kUrl"), "where");
}

TEST(CommentsTest, DoNothingToTerminals) {
  EXPECT_EQ(on({"// a\x1b[2Jb", "long x;"}, "x").find('\x1b'), std::string::npos);
  EXPECT_EQ(on({"// SPDX-License-Identifier: MIT", "// A point.", "struct S {"}, "S"), "A point.");
  EXPECT_EQ(comment_on({"long x;"}, 7, "x", false), "");
  EXPECT_EQ(comment_on({}, 0, "x", false), "");
  EXPECT_LT(on({"// " + std::string(100000, 'a'), "long x;"}, "x").size(), 1000U);
  Lines many(10000, "// again");
  many.emplace_back("long x;");
  EXPECT_LT(on(many, "x").size(), 5000U);
}

}  // namespace
}  // namespace corbel::tool
