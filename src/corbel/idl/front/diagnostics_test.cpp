// SPDX-License-Identifier: Apache-2.0
#include "corbel/idl/front/diagnostics.hpp"

#include <gtest/gtest.h>

namespace corbel::idl::front {
namespace {

TEST(Diagnostics, RendersLikeACompiler) {
  const Source source("typedef long\tfoo;\n", "a.idl");
  Diagnostics diagnostics(source, false, 50);
  diagnostics.report(Id::redefinition, {13, 3}, "redefinition of 'foo'").note({0, 7}, "first declared here");
  EXPECT_EQ(render(diagnostics.take().at(0)),
            "a.idl:1:14: error: redefinition of 'foo' [IDL-3001]\n"
            "    typedef long\tfoo;\n"
            "                \t^~~\n"
            "a.idl:1:1: note: first declared here\n"
            "    typedef long\tfoo;\n"
            "    ^~~~~~~\n");
}

TEST(Diagnostics, ShowsNoControlCharacters) {
  const Source source(
      "foo\x1b[31m \xc2\x9b"
      "31m\n",
      "\x1b[2J.idl");
  Diagnostics diagnostics(source, false, 50);
  diagnostics.report(Id::redefinition, {0, 3}, "'\x1b]0;x\x07\x7f'").note({0, 3}, "\n\xc2\x80 \xc3\xa9\tx");
  EXPECT_EQ(render(diagnostics.take().at(0)),
            " [2J.idl:1:1: error: ' ]0;x  ' [IDL-3001]\n"
            "    foo [31m   31m\n"
            "    ^~~\n"
            " [2J.idl:1:1: note:     \xc3\xa9\tx\n"
            "    foo [31m   31m\n"
            "    ^~~\n");
}

TEST(Diagnostics, CountsErrorsAndNotWarnings) {
  const Source source("x", "a.idl");
  Diagnostics diagnostics(source, false, 2);
  diagnostics.report(Id::unknown_escape, {}, "w");
  EXPECT_EQ(diagnostics.errors(), 0U);
  diagnostics.report(Id::undeclared, {}, "e");
  EXPECT_FALSE(diagnostics.exhausted());
  diagnostics.report(Id::undeclared, {}, "e");
  EXPECT_TRUE(diagnostics.exhausted());
}

TEST(Diagnostics, GuessesTheNameThatWasMeant) {
  const std::vector<std::string_view> names = {"Temperature", "Time", "x"};
  EXPECT_EQ(closest("Temprature", names), "Temperature");
  EXPECT_EQ(closest("Tme", names), "Time");
  EXPECT_EQ(closest("y", names), "");
  EXPECT_EQ(closest("Entirely", names), "");
}

}  // namespace
}  // namespace corbel::idl::front
