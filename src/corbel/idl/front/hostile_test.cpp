// SPDX-License-Identifier: Apache-2.0
// Texts made to exhaust the compiler: nesting, chains, sizes.
#include <gtest/gtest.h>

#include "corbel/idl/front/test_support.hpp"
#include "support/files.hpp"

namespace corbel::idl::front {
namespace {

using corbel::test::text_of_file;
using test::ids_of;
using test::kCases;
using test::parse_clean;

TEST(IdlHostile, DeepNestingIsOneError) {
  for (const char* piece : {"module M { ", "const long x = ((((((((((", "typedef sequence<sequence<sequence<",
                            "- - - - - - - -", "struct S { struct T { ", "interface I { struct U { ",
                            "typedef map<long, map<long, ", "@a(@a(@a(", "valuetype V { struct T { ", "@value(((((("}) {
    std::string text = std::string(piece).starts_with("-") ? "const long x = " : "";
    for (int i = 0; i < 5000; ++i) text += piece;
    const Result result = parse(text, "deep.idl");
    EXPECT_EQ(result.model, nullptr);
    EXPECT_LE(result.diagnostics.size(), 51U);
  }
}

TEST(IdlHostile, ManyDiamondsTakeLinearTime) {
  std::string text = "interface A0 { void f(); };";
  for (int i = 1; i < 60; ++i) {
    const std::string n = std::to_string(i);
    const std::string below = std::to_string(i - 1);
    text += "interface L" + n + " : A" + below + " {}; interface R" + n + " : A" + below + " {}; interface A" + n +
            " : L" + n + ", R" + n + " {};";
  }
  parse_clean(text);
}

TEST(IdlHostile, AnEndlessChainOfBasesIsRefused) {
  std::string text = "interface I0 {};";
  for (int i = 1; i < 500; ++i) text += "interface I" + std::to_string(i) + " : I" + std::to_string(i - 1) + " {};";
  EXPECT_EQ(ids_of(parse(text, "chain.idl")), "3016");
}

TEST(IdlHostile, EndlessChainsOfOtherBasesAreRefusedToo) {
  for (const std::string kind : {"valuetype", "struct", "bitset"}) {
    std::string text = kind + " B0 {};";
    for (int i = 1; i < 500; ++i) text += kind + " B" + std::to_string(i) + " : B" + std::to_string(i - 1) + " {};";
    const std::string ids = ids_of(parse(text, "chain.idl"));
    EXPECT_EQ(ids.substr(ids.size() - 4), "3016") << kind;
  }
}

TEST(IdlHostile, ArraysHaveAtMost64Dimensions) {
  const auto array = [](int dimensions) {
    std::string text = "typedef long A";
    for (int i = 0; i < dimensions; ++i) text += "[1]";
    return text + "; typedef A B;";
  };
  parse_clean(array(64));
  EXPECT_EQ(ids_of(parse(array(65), "array.idl")), "9005");
  const Result result = parse(array(2000), "array.idl");
  EXPECT_EQ(ids_of(result), "9005");
  EXPECT_EQ(result.diagnostics.at(0).text, "an array of more than 64 dimensions");
}

TEST(IdlHostile, TypesMadeOfTypesHaveAnEnd) {
  std::string text = "typedef long T0;";
  for (int i = 1; i < 1000; ++i) {
    text += "typedef map<long, T" + std::to_string(i - 1) + "> T" + std::to_string(i) + ";";
  }
  EXPECT_EQ(ids_of(parse(text, "types.idl")), "2003");
}

TEST(IdlHostile, AnnotationsCountForEachNameTheyStandBefore) {
  std::string text = "struct S { ";
  for (int i = 0; i < 1000; ++i) text += "@verbatim(text=\"x\") ";
  text += "long m";
  for (int i = 0; i < 1000; ++i) text += ", m" + std::to_string(i);
  EXPECT_EQ(ids_of(parse(text + "; };", "annotations.idl")), "9005");
  const std::string long_text(100'000, 'x');
  text = "@annotation note { string text; }; struct S { @note(text=\"" + long_text + "\") long m";
  for (int i = 0; i < 1000; ++i) text += ", m" + std::to_string(i);
  EXPECT_EQ(ids_of(parse(text + "; };", "annotations.idl")), "9005");
}

TEST(IdlHostile, MuchThatIsInheritedIsRefused) {
  std::string text = "interface B { ";
  for (int i = 0; i < 2000; ++i) text += "typedef long T" + std::to_string(i) + ";";
  text += "};";
  for (int i = 0; i < 1000; ++i) text += "interface I" + std::to_string(i) + " : B {};";
  EXPECT_EQ(ids_of(parse(text, "inherited.idl")), "9005");
}

TEST(IdlHostile, LongArithmeticTakesLinearTime) {
  std::string text = "const fixed f = 1.5d";
  for (int i = 0; i < 20'000; ++i) text += i % 2 == 0 ? " / 3.7d" : " * 1.1d";
  parse_clean(text + ";");
  EXPECT_EQ(ids_of(parse("const fixed f = " + std::string(1'000'000, '9') + "d;", "digits.idl")), "1006");
}

TEST(IdlHostile, ManyPrefixesTakeLinearTime) {
  std::string text;
  for (int i = 0; i < 5000; ++i) {
    const std::string n = "M" + std::to_string(i);
    text += "module " + n + " { typedef long T; }; typeprefix " + n + " \"x\"; module " + n + " { typedef long U; };";
  }
  const Result result = parse_clean(text);
  const auto* module = model::as<model::Module>(result.model->contents.back());
  EXPECT_EQ(module->contents.front()->repository_id, "IDL:x/M4999/U:1.0");
  EXPECT_EQ(module->repository_id, "IDL:x/M4999:1.0");
}

TEST(IdlHostile, StopsAfterTooManyErrors) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "typedef Missing T" + std::to_string(i) + ";\n";
  const Result result = parse(text, "errors.idl");
  ASSERT_EQ(result.diagnostics.size(), 51U);
  EXPECT_EQ(result.diagnostics.back().id, Id::too_many_errors);
}

TEST(IdlHostile, AFileCutAnywhereIsHandled) {
  const std::string text = text_of_file(kCases / "good/everything.idl");
  for (std::size_t length = 0; length < text.size(); length += 7) parse(text.substr(0, length), "cut.idl");
}

TEST(IdlHostile, RefusesMoreTextThanItsLimit) {
  EXPECT_EQ(ids_of(parse(std::string((16U << 20) + 1, ' '), "large.idl")), "9004");
}

}  // namespace
}  // namespace corbel::idl::front
