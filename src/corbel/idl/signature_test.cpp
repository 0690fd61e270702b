// SPDX-License-Identifier: Apache-2.0
#include "corbel/idl/back/cpp11/signature.hpp"

#include <gtest/gtest.h>

#include "corbel/idl/back/cpp11/generate.hpp"
#include "corbel/idl/front/front.hpp"

namespace corbel::idl::back::cpp11 {
namespace {

/// The signature constants of a file, in the order of the generated stubs.
std::vector<std::string> signatures(const std::string& text, const char* file = "test.cpp") {
  front::Result result = front::parse(text, "test.idl");
  EXPECT_NE(result.model, nullptr) << text;
  std::vector<std::string> found;
  if (result.model == nullptr) return found;
  for (const auto& generated : back::generate(kBackEnd, std::move(result.model), {.version = "0"})) {
    if (generated.name != file) continue;
    for (std::size_t at = 0; (at = generated.text.find("signature(0x", at)) != std::string::npos; ++at) {
      found.push_back(generated.text.substr(at, 29));
    }
  }
  return found;
}

std::string of(const std::string& declarations, const std::string& operation) {
  const auto all = signatures(declarations + " interface I { " + operation + " };");
  return all.empty() ? "none" : all.back();
}

TEST(Signature, IsTheSameForStubAndSkeletonAndForWhoInheritsTheOperation) {
  const std::string idl =
      "struct S { long a; sequence<S> kids; }; exception E { S t; };"
      "interface A { S f(in S x, out string<4> t) raises (E); attribute long level; };"
      "interface B : A { void g(); };";
  const auto stubs = signatures(idl);
  const auto skeletons = signatures(idl, "test_server.cpp");
  ASSERT_EQ(stubs.size(), 4U);  // f, the attribute twice, g
  ASSERT_EQ(skeletons.size(), 7U);
  EXPECT_EQ(std::vector(skeletons.begin(), skeletons.begin() + 3), std::vector(stubs.begin(), stubs.begin() + 3));
  EXPECT_EQ(skeletons[3], stubs[3]);
  EXPECT_EQ(std::vector(skeletons.begin() + 4, skeletons.end()), std::vector(stubs.begin(), stubs.begin() + 3));
}

TEST(Signature, DoesNotDependOnWhatTheOperationDoesNotUse) {
  EXPECT_EQ(of("struct S { long a; };", "void f(in S x);"),
            of("struct T { string b; }; struct S { long a; };", "void g(); void f(in S x);"));
  EXPECT_EQ(of("typedef long A;", "void f(in A x);"), of("typedef long B; typedef B C;", "void f(in C y);"))
      << "a typedef is no type of its own, and names of parameters are nobody's business";
}

struct Pair {
  const char* what;
  const char* first_types;
  const char* first;
  const char* second_types;
  const char* second;
};

class Different : public ::testing::TestWithParam<Pair> {};

TEST_P(Different, SignaturesForDifferentTypes) {
  const Pair& pair = GetParam();
  EXPECT_NE(of(pair.first_types, pair.first), of(pair.second_types, pair.second)) << pair.what;
}

INSTANTIATE_TEST_SUITE_P(
    Signature, Different,
    ::testing::Values(
        Pair{"result", "", "long f();", "", "string f();"}, Pair{"no result", "", "void f();", "", "long f();"},
        Pair{"name", "", "void f();", "", "void g();"},
        Pair{"direction", "", "void f(in long a);", "", "void f(out long a);"},
        Pair{"direction", "", "void f(inout long a);", "", "void f(out long a);"},
        Pair{"order", "", "void f(in long a, in string b);", "", "void f(in string a, in long b);"},
        Pair{"number", "", "void f(in long a);", "", "void f(in long a, in long b);"},
        Pair{"oneway", "", "void f(in long a);", "", "oneway void f(in long a);"},
        Pair{"context", "", "void f(in long a);", "", "void f(in long a) context (\"x\");"},
        Pair{"view", "", "void f(in string a);", "", "void f(@view in string a);"},
        Pair{"signedness", "", "void f(in long a);", "", "void f(in unsigned long a);"},
        Pair{"int8", "", "void f(in octet a);", "", "void f(in int8 a);"},
        Pair{"bound of a string", "", "void f(in string<3> a);", "", "void f(in string<4> a);"},
        Pair{"string", "", "void f(in string a);", "", "void f(in wstring a);"},
        Pair{"bound of a sequence", "typedef sequence<long, 3> S;", "void f(in S x);", "typedef sequence<long> S;",
             "void f(in S x);"},
        Pair{"element of a sequence", "typedef sequence<long> S;", "void f(in S x);", "typedef sequence<short> S;",
             "void f(in S x);"},
        Pair{"element of an element", "typedef sequence<sequence<long>> S;", "void f(in S x);",
             "typedef sequence<sequence<short>> S;", "void f(in S x);"},
        Pair{"dimensions", "typedef long S[2][3];", "void f(in S x);", "typedef long S[3][2];", "void f(in S x);"},
        Pair{"digits", "typedef fixed<5, 2> S;", "void f(in S x);", "typedef fixed<7, 2> S;", "void f(in S x);"},
        Pair{"scale", "typedef fixed<5, 2> S;", "void f(in S x);", "typedef fixed<5, 3> S;", "void f(in S x);"},
        Pair{"key of a map", "typedef map<long, long> S;", "void f(in S x);", "typedef map<short, long> S;",
             "void f(in S x);"},
        Pair{"type of a member", "struct S { long a; };", "void f(in S x);", "struct S { short a; };",
             "void f(in S x);"},
        Pair{"number of members", "struct S { long a; };", "void f(in S x);", "struct S { long a; long b; };",
             "void f(in S x);"},
        Pair{"optional member", "struct S { long a; };", "void f(in S x);", "struct S { @optional long a; };",
             "void f(in S x);"},
        Pair{"external member", "struct S { long a; };", "void f(in S x);", "struct S { @external long a; };",
             "void f(in S x);"},
        Pair{"module", "module A { struct S { long a; }; };", "void f(in A::S x);",
             "module B { struct S { long a; }; };", "void f(in B::S x);"},
        Pair{"module, under one repository id", "module A { struct S { long a; };\n#pragma ID S \"IDL:S:1.0\"\n };",
             "void f(in A::S x);", "module B { struct S { long a; };\n#pragma ID S \"IDL:S:1.0\"\n };",
             "void f(in B::S x);"},
        Pair{"repository id", "struct S { long a; };", "void f(in S x);",
             "struct S { long a; };\n#pragma ID S \"IDL:T:1.0\"\n", "void f(in S x);"},
        Pair{"base", "struct Base { long m; }; struct S { long a; };", "void f(in S x);",
             "struct Base { long m; }; struct S : Base { long a; };", "void f(in S x);"},
        Pair{"member of a base", "struct Base { long m; }; struct S : Base { long a; };", "void f(in S x);",
             "struct Base { short m; }; struct S : Base { long a; };", "void f(in S x);"},
        Pair{"member of a member in a sequence", "struct T { long m; }; struct S { sequence<T> a; };",
             "void f(in S x);", "struct T { short m; }; struct S { sequence<T> a; };", "void f(in S x);"},
        Pair{"recursion", "struct S; typedef sequence<S> L; struct S { L kids; };", "void f(in S x);",
             "struct S; typedef sequence<S> L; struct S { L kids; long a; };", "void f(in S x);"},
        Pair{"enumerators", "enum S { a, b };", "void f(in S x);", "enum S { a, b, c };", "void f(in S x);"},
        Pair{"values of enumerators", "enum S { a, b };", "void f(in S x);", "enum S { a, @value(7) b };",
             "void f(in S x);"},
        Pair{"width of an enum", "enum S { a, b };", "void f(in S x);", "@bit_bound(8) enum S { a, b };",
             "void f(in S x);"},
        Pair{"discriminator", "union S switch (long) { case 1: long a; };", "void f(in S x);",
             "union S switch (short) { case 1: long a; };", "void f(in S x);"},
        Pair{"labels", "union S switch (long) { case 1: long a; };", "void f(in S x);",
             "union S switch (long) { case 2: long a; };", "void f(in S x);"},
        Pair{"default", "union S switch (long) { case 1: long a; };", "void f(in S x);",
             "union S switch (long) { case 1: default: long a; };", "void f(in S x);"},
        Pair{"members of a union", "union S switch (long) { case 1: long a; };", "void f(in S x);",
             "union S switch (long) { case 1: string a; };", "void f(in S x);"},
        Pair{"bitmask", "bitmask S { a, b };", "void f(in S x);", "bitmask S { a, @position(3) b };",
             "void f(in S x);"},
        Pair{"bitset", "bitset S { bitfield<3> a; };", "void f(in S x);", "bitset S { bitfield<4> a; };",
             "void f(in S x);"},
        Pair{"interface", "interface A {};", "void f(in A x);", "interface B {};", "void f(in B x);"},
        Pair{"abstract", "interface A {};", "void f(in A x);", "abstract interface A {};", "void f(in A x);"},
        Pair{"value", "valuetype V { public long a; };", "void f(in V x);", "valuetype V { public short a; };",
             "void f(in V x);"},
        Pair{"box", "valuetype V long;", "void f(in V x);", "valuetype V short;", "void f(in V x);"},
        Pair{"raises", "exception E { long a; };", "void f();", "exception E { long a; };", "void f() raises (E);"},
        Pair{"members of an exception", "exception E { long a; };", "void f() raises (E);",
             "exception E { string a; };", "void f() raises (E);"},
        Pair{"attribute", "", "attribute long a;", "", "attribute short a;"},
        Pair{"attribute's exception", "exception E {};", "readonly attribute long a;", "exception E {};",
             "readonly attribute long a raises (E);"}));

}  // namespace
}  // namespace corbel::idl::back::cpp11
