// SPDX-License-Identifier: Apache-2.0
#include "corbel/idl/front/preprocess.hpp"

#include <gtest/gtest.h>

#include "corbel/idl/front/front.hpp"
#include "support/files.hpp"

namespace corbel::idl::front {
namespace {

class Preprocess : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& text) const { return folder_.write(name, text); }

  const corbel::test::Folder folder_;
};

TEST_F(Preprocess, HonoursDefinesUndefinesAndSearchFolders) {
  write("lib/sub/part.idl", "typedef long Part;\n");
  const auto main =
      write("main.idl", "#include <sub/part.idl>\n#ifdef LONG\ntypedef long T;\n#else\ntypedef SIZE T;\n#endif\n");
  Options options;
  options.include_dirs = {folder_ / "lib"};
  options.defines = {"SIZE=short", "LONG"};
  options.undefines = {"LONG"};
  const Result result = parse_file(main, options);
  ASSERT_NE(result.model, nullptr);
  EXPECT_EQ(model::as<model::Alias>(result.model->contents.at(1))->aliased->kind, model::TypeKind::short_);
  EXPECT_EQ(result.model->files.at(1).spelling, "sub/part.idl");
  EXPECT_EQ(result.dependencies.size(), 2U);
}

TEST_F(Preprocess, TellsDirectIncludesFromIndirectOnes) {
  write("c.idl", "#ifndef C\n#define C\ntypedef long C1;\n#endif\n");
  write("b.idl", "#include \"c.idl\"\ntypedef C1 B1;\n");
  const Result result = parse_file(write("a.idl", "#include \"b.idl\"\ntypedef B1 A1;\n"));
  ASSERT_NE(result.model, nullptr);
  ASSERT_EQ(result.model->files.size(), 3U);
  EXPECT_TRUE(result.model->files[1].direct);
  EXPECT_FALSE(result.model->files[2].direct);
  EXPECT_TRUE(result.model->contents.at(2)->in_main_file);
  EXPECT_FALSE(result.model->contents.at(1)->in_main_file);
}

TEST_F(Preprocess, DeclaresCorbaWhereThatIsWanted) {
  const auto main = write("main.idl", "\nstruct S {\n  CORBA::OctetSeq octets;\n};\n");
  Options options;
  options.shipped_dir = CORBEL_SHIPPED_IDL;
  const Result without = parse_file(main, options);
  ASSERT_EQ(without.diagnostics.size(), 1U);
  EXPECT_EQ(without.diagnostics[0].text, "'CORBA' is not declared; #include <orb.idl> declares it");

  options.knows_corba = true;
  const Result result = parse_file(main, options);
  ASSERT_NE(result.model, nullptr);
  EXPECT_EQ(result.model->files.at(1).spelling, "orb.idl");
  EXPECT_TRUE(result.model->files.at(1).direct);
  EXPECT_EQ(result.model->contents.back()->repository_id, "IDL:S:1.0");
  EXPECT_TRUE(result.model->contents.back()->in_main_file);

  EXPECT_EQ(parse_file(write("none.idl", "interface CORBA_user {};\n"), options).dependencies.size(), 1U);
  EXPECT_NE(parse_file(write("own.idl", "#include <orb.idl>\ntypedef CORBA::LongSeq L;\n"), options).model, nullptr);
  const Result wrong = parse_file(write("wrong.idl", "typedef CORBA::LongSeq L;\ntypedef Nope N;\n"), options);
  ASSERT_EQ(wrong.diagnostics.size(), 1U);
  EXPECT_EQ(wrong.diagnostics[0].place.line, 2U);
  EXPECT_EQ(wrong.diagnostics[0].place.file, folder_ / "wrong.idl");
}

TEST_F(Preprocess, NamesFilesByPathsThatCanBeOpened) {
  write("lib/deep/d.idl", "#include \"d2.idl\"\n");
  write("a/sub/s.idl", "#include \"t.idl\"\n#include \"../other/o.idl\"\n");
  write("a/other/t.idl", "typedef long OtherT;\n");
  for (const char* name : {"lib/deep/d2.idl", "a/sub/t.idl", "a/other/o.idl"}) write(name, "");
  const std::string main =
      write("a/main.idl", "#include \"sub/s.idl\"\n#include \"other/t.idl\"\n#include <deep/d.idl>\n");
  Options options;
  options.include_dirs = {folder_ / "lib"};
  const Result result = parse_file(main, options);
  ASSERT_NE(result.model, nullptr);
  std::vector<std::string> expected;
  for (const char* name : {"a/main.idl", "a/sub/s.idl", "a/sub/t.idl", "a/other/o.idl", "a/other/t.idl",
                           "lib/deep/d.idl", "lib/deep/d2.idl"}) {
    expected.push_back(folder_ / name);
  }
  EXPECT_EQ(result.dependencies, expected);
  EXPECT_EQ(result.model->files[1].spelling, "sub/s.idl");
  EXPECT_EQ(result.model->files[5].spelling, "deep/d.idl");
}

TEST_F(Preprocess, TwoIncludedFilesOfOneNameAreTwo) {
  write("x/types.idl", "typedef long X;\n");
  write("y/types.idl", "typedef short Y;\n");
  write("x/x.idl", "#include \"types.idl\"\n");
  write("y/y.idl", "#include \"types.idl\"\ntypedef Missing Z;\n");
  const Result result = parse_file(write("main.idl", "#include \"x/x.idl\"\n#include \"y/y.idl\"\n"));
  EXPECT_EQ(result.dependencies.size(), 5U);
  ASSERT_EQ(result.diagnostics.size(), 1U);
  EXPECT_EQ(result.diagnostics[0].place.file, folder_ / "y/y.idl");
  EXPECT_EQ(result.diagnostics[0].place.line, 2U);
}

TEST_F(Preprocess, LineDirectivesMayNameAnything) {
  for (const std::string& name : {std::string("/dev/zero"), std::string(50000, '/')}) {
    for (const char* mistake : {"typedef Missing M;\n", "#error stop\n"}) {
      const Result result = parse_file(write("main.idl", "#line 7 \"" + name + "\"\n" + mistake));
      EXPECT_EQ(result.diagnostics.size(), 1U);
      EXPECT_EQ(result.model, nullptr);
    }
  }
}

TEST_F(Preprocess, IncluderAndIncludedKeepTheirPrefixes) {
  write("inner.idl", "interface Before {};\n#pragma prefix \"in\"\ninterface Within {};\n");
  const Result result =
      parse_file(write("outer.idl", "#pragma prefix \"out\"\n#include \"inner.idl\"\ninterface After {};\n"));
  ASSERT_NE(result.model, nullptr);
  EXPECT_EQ(result.model->contents.at(0)->repository_id, "IDL:Before:1.0");
  EXPECT_EQ(result.model->contents.at(1)->repository_id, "IDL:in/Within:1.0");
  EXPECT_EQ(result.model->contents.at(2)->repository_id, "IDL:out/After:1.0");
}

TEST_F(Preprocess, AFileThatIsNotThereIsAnError) {
  const Result result = parse_file(folder_ / "absent.idl");
  ASSERT_EQ(result.diagnostics.size(), 1U);
  EXPECT_EQ(result.diagnostics[0].id, Id::cannot_read);
}

TEST_F(Preprocess, IncludesThatMultiplyAreCutOff) {
  std::string name = write("bomb0.idl", std::string(1000, ' ') + "typedef long A;\n");
  for (int i = 1; i < 40; ++i) {
    const std::string line = "#include \"bomb" + std::to_string(i - 1) + ".idl\"\n";
    name = write("bomb" + std::to_string(i) + ".idl", line + line);
  }
  const Result result = parse_file(name);
  ASSERT_EQ(result.diagnostics.size(), 1U);
  EXPECT_EQ(result.diagnostics[0].id, Id::too_large);
}

TEST_F(Preprocess, LinesMayBe64KiBLongAndNotMore) {
  const auto enumeration = [](std::size_t length) {
    std::string line = "enum E { a";
    for (int i = 0; line.size() < length - 20; ++i) line += ", e" + std::to_string(i);
    return line + std::string(length - 3 - line.size(), ' ') + " };";
  };
  const auto members = [](const Result& result) {
    return model::as<model::Enum>(result.model->contents.at(0))->enumerators.size();
  };
  const Result longest = parse_file(write("main.idl", enumeration(65533) + "\nconst long X = 5;\n"));
  ASSERT_NE(longest.model, nullptr);
  EXPECT_EQ(longest.model->contents.size(), 2U);
  EXPECT_GT(members(longest), 9000U);
  for (const std::size_t length : {65535U, 65536U, 70000U, 300000U}) {
    for (const char* end : {"\n", "\r\n", ""}) {
      const Result result = parse_file(write("main.idl", "// first\n" + enumeration(length) + end));
      ASSERT_EQ(result.diagnostics.size(), 1U) << length;
      EXPECT_EQ(result.model, nullptr);
      EXPECT_EQ(result.diagnostics[0].id, Id::too_large);
      EXPECT_EQ(result.diagnostics[0].place.line, 2U);
      EXPECT_EQ(result.diagnostics[0].text, "this line is longer than 65,533 octets: break it into several");
    }
  }
}

TEST_F(Preprocess, WhatIsJoinedToALongLineIsAnErrorThatSaysSo) {
  std::string joined = "const string s =";
  std::string comment = "/*";
  for (int i = 0; i < 8000; ++i) {
    joined += " \\\n\"0123456789\"";
    comment += " 0123456789\n";
  }
  const std::string name(1024, 'x');
  for (const auto& [text, word] :
       {std::pair(joined + ";\n", "joined"), std::pair(comment + "*/ typedef long U;\n", "comment"),
        std::pair("typedef long " + name + ";\n", "identifier")}) {
    const Result result = parse_file(write("main.idl", text + "typedef long T;\n"));
    ASSERT_EQ(result.diagnostics.size(), 1U) << word;
    EXPECT_EQ(result.model, nullptr);
    EXPECT_EQ(result.diagnostics[0].id, Id::too_large);
    EXPECT_EQ(result.diagnostics[0].severity, Severity::error);
    EXPECT_NE(result.diagnostics[0].text.find(word), std::string::npos) << result.diagnostics[0].text;
  }
  EXPECT_NE(parse_file(write("main.idl", comment + "*/\ntypedef long T;\n")).model, nullptr);
  // No line is long in the text itself.
  const Result result = parse_file(write(
      "main.idl", "#define TEN \"0123456789\"\nconst string s =" + [] {
        std::string all;
        for (int i = 0; i < 9000; ++i) all += " TEN";
        return all;
      }() + ";\nconst long X = 5;\n"));
  ASSERT_NE(result.model, nullptr);
  EXPECT_EQ(std::get<std::string>(model::as<model::Constant>(result.model->contents.at(0))->value).size(), 90000U);
}

TEST_F(Preprocess, LatinAndUtf8TextPassesInLiteralsAndComments) {
  const Result result = parse_file(
      write("text.idl", "// gr\xfc\xdf\nconst string a = \"caf\xe9\"; const wstring b = L\"caf\xc3\xa9\";\n"));
  ASSERT_NE(result.model, nullptr);
  EXPECT_TRUE(result.diagnostics.empty());
  EXPECT_EQ(model::as<model::Constant>(result.model->contents.at(0))->value, model::Value(std::string("caf\xe9")));
  EXPECT_EQ(model::as<model::Constant>(result.model->contents.at(1))->value,
            model::Value(std::u32string(U"caf\u00e9")));
}

}  // namespace
}  // namespace corbel::idl::front
