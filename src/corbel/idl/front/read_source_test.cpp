// SPDX-License-Identifier: Apache-2.0
#include "corbel/idl/front/read_source.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "corbel/idl/front/front.hpp"
#include "support/files.hpp"

namespace corbel::idl::front {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;

class ReadSource : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) const { return folder_.write(name, text); }

  /// What is said of a file that has the text, as `name:line:column: id`, one in a line.
  std::string said_of(const std::string& text) {
    Options options;
    options.warnings_as_errors = true;
    std::string all;
    for (const auto& found : parse_file(write("main.idl", text), options).diagnostics) {
      all += fs::path(found.place.file).filename().string() + ":" + std::to_string(found.place.line) + ":" +
             std::to_string(found.place.column) + ": " + std::to_string(static_cast<int>(found.id)) + "\n";
    }
    return all;
  }

  const corbel::test::Folder folder_;
};

TEST_F(ReadSource, ANulOctetIsAnErrorWhereItStands) {
  EXPECT_EQ(said_of("typedef long A;\ntypedef long B;\0 typedef Nothing C;\n\0"s), "main.idl:2:16: 1001\n");
  EXPECT_EQ(said_of("\0"s), "main.idl:1:1: 1001\n");
  EXPECT_EQ(said_of("t\0y\0p\0"s), "main.idl:1:2: 1001\n");
  EXPECT_EQ(said_of("/* \0 */ typedef long A;"s), "main.idl:1:4: 1001\n");
  EXPECT_EQ(said_of("#if 0\n\0\n#endif\ntypedef long A;"s), "main.idl:2:1: 1001\n");
}

TEST_F(ReadSource, WhatAnIncludedFileHasIsSaidOnce) {
  write("part.idl", "typedef long A;\n// \0\n// \0\n"s);
  EXPECT_EQ(said_of("#include \"part.idl\"\n#include \"part.idl\"\n"), "part.idl:2:4: 1001\n");
}

TEST_F(ReadSource, LinesMayEndWithCarriageReturns) {
  write("part.idl", "#pragma once\r\ntypedef long Part;\r\n");
  EXPECT_EQ(said_of("#include \"part.idl\"\r\n#pragma prefix \"a.b\"\r\n#define TWO(x) typedef x T1; \\\r\ntypedef x "
                    "T2;\r\nTWO(Part)\r\n/* over\r\n * lines */\r\n// behind \\\r\ntypedef comment\r\n"
                    "const string s = \"a\\\r\nb\"\r\n  \"c\";\r\n#if 0\r\n#else\r\n#endif\r\n"),
            "");
  EXPECT_EQ(said_of("typedef long A;\r\n\r\ntypedef B C;\r\n"), "main.idl:3:9: 3004\n");
  EXPECT_EQ(make_readable("a\r\n\r\nb\r\n").text, "a\n\nb\n");
}

TEST_F(ReadSource, ACarriageReturnAloneIsAnErrorWhereItStands) {
  EXPECT_EQ(said_of("typedef long A;\r// to the end\rtypedef long B;\r"), "main.idl:1:16: 1001\n");
  EXPECT_EQ(said_of("typedef long A;\r\ntypedef long B;\r\r\n"), "main.idl:2:16: 1001\n");
  EXPECT_EQ(said_of("typedef long A;\ntypedef long B;\r"), "main.idl:2:16: 1001\n");
}

TEST_F(ReadSource, FilesMayLackTheLastLineEndOrBeginWithAByteOrderMark) {
  write("part.idl", "\xef\xbb\xbf#pragma once\ntypedef long Part; //");
  EXPECT_EQ(said_of("\xef\xbb\xbf#include \"part.idl\"\ntypedef Part Whole; //"), "");
  EXPECT_EQ(said_of("typedef long\xef\xbb\xbf A;\n"), "main.idl:1:13: 1001\n");
}

TEST_F(ReadSource, LineMarkersMayHaveAnyNumber) {
  for (const auto& [marker, where] : {
           std::pair("#line 100000 \"f\"", "f:100002:9: 3004\n"),
           std::pair("# 40000 \"f\"", "f:40002:9: 3004\n"),
           std::pair(" #  7\t\"f\" 2 4", "f:9:9: 3004\n"),
           std::pair("#line 1 \"f\"", "f:3:9: 3004\n"),
           std::pair("# 1 \"f\" 1", "f:3:9: 3004\n"),
           std::pair("#line 1", "main.idl:3:9: 3004\n"),
           std::pair("#line 1999999999", "main.idl:2000000001:9: 3004\n"),
           std::pair("#line 2147483646 \"f\"", "f:2147483648:9: 3004\n"),
           std::pair("# 1 \"<built-in>\"", "main.idl:5:9: 3004\n"),
           std::pair("# 1 \"/usr/include/f\" 1 3", "main.idl:5:9: 3004\n"),
           std::pair("#line 2147483647 \"f\"", "main.idl:2:1: 9001\n"),
           std::pair("# 4294967297 \"f\"", "main.idl:2:1: 9001\n"),
           std::pair("#line 99999999999999999999999 \"f\"", "main.idl:2:1: 9001\n"),
           std::pair("#line 0 \"f\"", "main.idl:2:1: 9001\n"),
           std::pair("# 7", "main.idl:2:3: 9001\n"),
       }) {
    EXPECT_EQ(said_of("typedef long A;\n" + std::string(marker) + "\n\n\ntypedef B C;\n"), where) << marker;
  }
}

TEST_F(ReadSource, TextThatACompilerPreprocessedBelongsToItsFiles) {
  const Result result =
      parse_file(write("done.idl",
                       "# 0 \"whole.idl\"\n# 0 \"<built-in>\"\n# 0 \"<command-line>\"\n"
                       "# 1 \"/usr/include/stdc-predef.h\" 1 3 4\n# 0 \"<command-line>\" 2\n# 1 \"whole.idl\"\n"
                       "# 1 \"part.idl\" 1\ntypedef long Part;\n# 2 \"whole.idl\" 2\ntypedef Part Whole;\n"));
  ASSERT_NE(result.model, nullptr);
  ASSERT_EQ(result.model->contents.size(), 2U);
  EXPECT_FALSE(result.model->contents[0]->in_main_file);
  EXPECT_TRUE(result.model->contents[1]->in_main_file);
  std::vector<std::string> direct;
  for (const auto& file : result.model->files) {
    if (file.direct) direct.push_back(file.spelling);
  }
  EXPECT_EQ(direct, std::vector<std::string>{"part.idl"});
}

TEST_F(ReadSource, ALineThatGoesOnIsNoMarker) {
  EXPECT_EQ(make_readable("#define X \\\n# 5 \"f\"\n# 5 \"f\"").text, "#define X \\\n# 5 \"f\"\n#line 5 \"f\"\n");
}

// A marker of line 1 becomes two lines, which must not shift those behind it where it is none.
TEST_F(ReadSource, MarkersInCommentsAndInWhatIsLeftOutMoveNothing) {
  for (const std::string before : {
           "/*\n#line 1 \"f\"\n*/\n",
           "/* \"\n# 1 \"f\" 1\n*/\n",
           "#if 0\n#line 1 \"f\"\n#endif\n",
           "# if 0 // never\n#line 1\n# endif\n",
           "#if 0\n#if 1\n#endif\n#line 1 \"f\"\n#else\n#endif\n",
           "const string s = \"/*\"; // /*\n\n\n",
           "// /* \\\n/*\n\n",
       }) {
    const auto lines = std::count(before.begin(), before.end(), '\n');
    EXPECT_EQ(said_of(before + "typedef B C;\n"), "main.idl:" + std::to_string(lines + 1) + ":9: 3004\n") << before;
  }
  for (const std::string before : {"#if 0\n#else\n", "#if 1\n", "#if 0\n#if 1\n#else\n#endif\n#elif 1\n",
                                   "const string s = \"/*\";\n#if 1 /*\n*/\n", "#if 00 + 1 // /*\n"}) {
    EXPECT_EQ(said_of(before + "#line 1 \"f\"\n#endif\ntypedef B C;\n"), "f:2:9: 3004\n") << before;
  }
}

TEST_F(ReadSource, AFileMayHave16MiBOfText) {
  const std::string line = std::string(1023, ' ') + "\n";
  std::string text = "typedef long A;\n";
  while (text.size() < kMaxFileText) text += line;
  write("part.idl", text);
  EXPECT_EQ(said_of("#include \"part.idl\"\n"), "part.idl:1:1: 9004\n");
}

}  // namespace
}  // namespace corbel::idl::front
