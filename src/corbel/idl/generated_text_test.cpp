// SPDX-License-Identifier: Apache-2.0
// What the C++ that is generated says of the layout of types and of the values of constants.
#include <gtest/gtest.h>

#include "corbel/idl/back/cpp11/generate.hpp"
#include "corbel/idl/front/front.hpp"

namespace corbel::idl::back::cpp11 {
namespace {

std::string header_of(const std::string& text) {
  front::Result result = front::parse(text, "test.idl");
  EXPECT_NE(result.model, nullptr) << text;
  if (result.model == nullptr) return {};
  for (const auto& generated : back::generate(kBackEnd, std::move(result.model), {.version = "0"})) {
    if (generated.name == "test.hpp") return generated.text;
  }
  return {};
}

/// What follows `before`, to the end of its line, behind the first place of `behind`; "none" if there is none.
std::string what_follows(const std::string& text, const std::string& behind, const std::string& before) {
  const std::size_t at = text.find(behind);
  const std::size_t begin = at == std::string::npos ? at : text.find(before, at);
  if (begin == std::string::npos) return "none";
  return text.substr(begin + before.size(), text.find('\n', begin) - begin - before.size());
}

std::string least_size(const std::string& type, const std::string& text) {
  return what_follows(header_of(text), "Codec<::" + type + "> {", "kMinSize = ");
}

TEST(GeneratedConstants, OfFixedKeepTheirSign) {
  const std::string text = header_of("const fixed below = -12.5d; const fixed above = 12.5d;");
  EXPECT_EQ(what_follows(text, " below = ", "std::string"), "(\"-12.5\"));");
  EXPECT_EQ(what_follows(text, " above = ", "std::string"), "(\"12.5\"));");
}

TEST(GeneratedConstants, HaveNoTrigraphs) {
  const std::string text = header_of(R"(const string marks = "a??=b??c?d";)");
  EXPECT_EQ(what_follows(text, " marks ", "= "), R"("a?\?=b?\?c?d";)");
}

TEST(LeastSize, OfAUnionIsThatOfItsDiscriminatorIfSomeValueSelectsNothing) {
  EXPECT_EQ(least_size("U", "union U switch (long) { case 1: double a; case 2: long long b; };"), "4;");
  EXPECT_EQ(least_size("U", "union U switch (long) { case 1: double a; default: long b; };"), "8;");
  EXPECT_EQ(least_size("U", "union U switch (boolean) { case TRUE: double a; case FALSE: short b; };"), "3;");
}

TEST(CopiedAtOnce, StructsKnowThePaddingInside) {
  const auto padding = [](const std::string& text, const std::string& type) {
    return what_follows(header_of(text), "BulkLayout<::" + type + "> {", "has_padding = ");
  };
  EXPECT_EQ(padding("struct S { octet a; long b; };", "S"), "true;");
  EXPECT_EQ(padding("struct S { long a; long b; };", "S"), "false;");
  EXPECT_EQ(padding("struct T { octet a; long b; }; struct S { T gaps[2]; long c; };", "S"), "true;")
      << "further inside";
}

TEST(CopiedAtOnce, AreNoStructsWithPaddingBehindTheirLastMember) {
  const auto is_copied = [](const std::string& text) {
    return header_of(text).find("BulkLayout<::S> {") != std::string::npos;
  };
  EXPECT_FALSE(is_copied("struct S { long a; octet b; };"));
  EXPECT_TRUE(is_copied("struct S { long a; octet b[4]; };"));
}

}  // namespace
}  // namespace corbel::idl::back::cpp11
