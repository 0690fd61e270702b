// SPDX-License-Identifier: Apache-2.0
// What instances of template modules are in the model, and what is said of mistakes. The rules are in
// tests/idl/rules.txt.
#include <gtest/gtest.h>

#include <set>

#include "corbel/idl/front/front.hpp"

namespace corbel::idl::front {
namespace {

/// "kind scoped::name repository-id" of all declarations that are or are not of the main file, in order.
std::vector<std::string> listed(const Result& result, bool of_main_file = true) {
  std::vector<std::string> all;
  if (result.model == nullptr) return {"no model"};
  model::for_all(result.model->contents, [&](const model::Declaration& d) {
    if (d.in_main_file != of_main_file) return;
    all.push_back(std::string(kind_name(d)) + " " + scoped_name(d) + " " + d.repository_id);
  });
  return all;
}

using Lines = std::vector<std::string>;

TEST(Templates, AreNotInTheModelAndTheirInstancesAreModules) {
  const auto result =
      parse("module M<typename T> { struct S { T t_; }; };\nmodule M<long> A; module M<string> B;", "x");
  EXPECT_EQ(listed(result),
            (Lines{"module A IDL:A:1.0", "struct A::S IDL:A/S:1.0", "module B IDL:B:1.0", "struct B::S IDL:B/S:1.0"}));
  std::vector<std::string> types;
  model::for_all(result.model->contents, [&](const model::Declaration& d) {
    if (const auto* s = model::as<model::Struct>(&d)) types.push_back(spelling(*s->members.at(0).type));
  });
  EXPECT_EQ(types, (Lines{"long", "string"}));
}

TEST(Templates, RepositoryIdsHaveThePrefixInForceWhereTheInstanceIs) {
  const auto result = parse(
      "#pragma prefix \"one\"\nmodule M<typename T> { interface I {}; };\n#pragma prefix \"two\"\n"
      "module O { module M<long> A; };\n",
      "x");
  EXPECT_EQ(listed(result),
            (Lines{"module O IDL:two/O:1.0", "module O::A IDL:two/O/A:1.0", "interface O::A::I IDL:two/O/A/I:1.0"}));
}

TEST(Templates, PragmasInThemHoldInEachInstance) {
  const auto result = parse(
      "module M<typename T> { interface I {};\n#pragma version I 2.3\n#pragma prefix \"in\"\ninterface J {}; };\n"
      "module M<long> A; module M<short> B; interface K {};\n",
      "x");
  EXPECT_EQ(listed(result), (Lines{"module A IDL:A:1.0", "interface A::I IDL:A/I:2.3", "interface A::J IDL:in/A/J:1.0",
                                   "module B IDL:B:1.0", "interface B::I IDL:B/I:2.3", "interface B::J IDL:in/B/J:1.0",
                                   "interface K IDL:K:1.0"}));
}

TEST(Templates, OfIncludedFilesMakeInstancesThatBelongToTheFileWithTheInstance) {
  const std::string included =
      "# 1 \"lib.idl\"\nmodule M<typename T> { interface F; interface F { attribute T t_; };\n"
      "typedef T U; };\nmodule M<char> C;\n";
  const auto result = parse("# 1 \"x\"\n" + included + "# 2 \"x\"\nmodule M<long> A;\n", "x");
  EXPECT_EQ(listed(result).front(), "module A IDL:A:1.0");
  EXPECT_EQ(listed(result).back(), "typedef A::U IDL:A/U:1.0");
  EXPECT_EQ(listed(result).size(), listed(result, false).size());
  EXPECT_EQ(listed(result, false).front(), "module C IDL:C:1.0");
}

TEST(Templates, MistakesNameTheInstanceOnceForEach) {
  const auto result =
      parse("module M<const long n> { typedef long A[n]; };\nmodule M<0> Z; module M<2> Two; module M<-1> N;", "x");
  ASSERT_EQ(result.diagnostics.size(), 2U);
  EXPECT_EQ(result.diagnostics[0].place.line, 1U);
  ASSERT_EQ(result.diagnostics[0].notes.size(), 1U);
  EXPECT_EQ(result.diagnostics[0].notes[0].text, "in the instance 'Z' of template module 'M'");
  EXPECT_EQ(result.diagnostics[1].notes[0].text, "in the instance 'N' of template module 'M'");
  EXPECT_EQ(result.diagnostics[1].notes[0].place.line, 2U);
}

TEST(Templates, ThatMakeEachOtherWithoutMeasureAreStopped) {
  std::string text = "module M0<typename T> { typedef T U; };\n";
  for (int i = 1; i < 40; ++i) {
    const std::string level = std::to_string(i);
    const std::string below = "module M" + std::to_string(i - 1) + "<long> ";
    text += "module M" + level + "<typename T> { " + below + "A" + level + "; " + below + "B" + level + "; };\n";
  }
  const auto result = parse(text + "module M39<long> All;", "x");
  ASSERT_FALSE(result.diagnostics.empty());
  EXPECT_EQ(result.diagnostics.back().id, Id::too_complex);
}

TEST(Templates, CutOffAnywhereAreDiagnosedAndNoMore) {
  const std::string text =
      "struct V { long a; }; interface I {}; module O<typename T, const short n, sequence<T> S, interface J> { struct "
      "X { T "
      "t_; S s_; long m[n]; }; interface K : J { void f(in X x_); }; }; module P<typename A, const short k, "
      "sequence<A> B, "
      "interface C> { alias O<A, k, B, C> Q; typedef Q::X Y; }; module W { module P<V, 3, sequence<V>, I> R; };";
  ASSERT_TRUE(parse(text, "x").diagnostics.empty());
  for (std::size_t length = 0; length < text.size(); ++length) {
    parse(text.substr(0, length), "x");
    parse(text.substr(0, length) + text.substr(std::min(length + 3, text.size())), "x");
    std::string changed = text;
    for (const char c : {'<', '>', ';', '{', ',', ':'}) {
      changed[length] = c;
      parse(changed, "x");
    }
  }
}

}  // namespace
}  // namespace corbel::idl::front
