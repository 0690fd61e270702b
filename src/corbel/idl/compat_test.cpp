// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <set>

#include "corbel/idl/compat/compare.hpp"
#include "corbel/idl/front/front.hpp"
#include "support/documents.hpp"

namespace corbel::idl::compat {
namespace {

namespace fs = std::filesystem;

struct Case {
  const char* before;
  const char* after;
  const char* rules;  ///< in the order of the report
};

// Each rule at least once, and what breaks nothing.
const Case kCases[] = {
    {"typedef long T; const long c = 1;", "const long c = 1;", "DECLARATION_REMOVED"},
    {"interface I { void f(); void g(); };", "interface I { void g(); };", "DECLARATION_REMOVED"},
    {"interface I { void f(); };", "", "DECLARATION_REMOVED"},
    {"struct T { long a; };", "union T switch (long) { case 1: long a; };", "KIND_CHANGED"},
    {"interface I {};", "#pragma prefix \"x\"\ninterface I {};", "REPOSITORY_ID_CHANGED"},
    {"interface I {};", "local interface I {};", "MODIFIERS_CHANGED"},
    {"valuetype V {};", "custom valuetype V {};", "MODIFIERS_CHANGED"},
    {"interface A {}; interface I : A {};", "interface A {}; interface I {};", "BASE_REMOVED"},
    {"interface A {}; interface I {};", "interface A {}; interface I : A {};", "BASE_ADDED"},
    {"interface A {}; valuetype V supports A {};", "interface A {}; valuetype V {};", "BASE_REMOVED"},
    {"struct A { long p; }; struct S : A { long q; };", "struct A { long p; }; struct S { long q; };", "BASE_REMOVED"},
    {"interface I { void f(); };", "interface I { void f(); void g(); };", "OPERATION_ADDED"},
    {"interface I { void f(); };", "interface I { void f(); attribute long a; };", "ATTRIBUTE_ADDED"},
    {"interface I { void f(); };", "interface I { oneway void f(); };", "ONEWAY_CHANGED"},
    {"interface I { long f(); };", "interface I { short f(); };", "RESULT_CHANGED"},
    {"interface I { void f(in long a); };", "interface I { void f(in long a, in long b); };", "PARAMETER_ADDED"},
    {"interface I { void f(in long a, in long b); };", "interface I { void f(in long a); };", "PARAMETER_REMOVED"},
    {"interface I { void f(in long a); };", "interface I { void f(inout long a); };", "PARAMETER_DIRECTION_CHANGED"},
    {"interface I { void f(in long a); };", "interface I { void f(in string a); };", "PARAMETER_TYPE_CHANGED"},
    {"interface I { void f(in long a); };", "interface I { void f(in long renamed); };", ""},
    {"exception E {}; interface I { void f(); };", "exception E {}; interface I { void f() raises (E); };",
     "RAISES_ADDED"},
    {"exception E {}; interface I { void f() raises (E); };", "exception E {}; interface I { void f(); };",
     "RAISES_REMOVED"},
    {"interface I { void f(); };", "interface I { void f() context (\"a\"); };", "CONTEXT_CHANGED"},
    {"interface I { attribute long a; };", "interface I { attribute short a; };", "ATTRIBUTE_TYPE_CHANGED"},
    {"interface I { attribute long a; };", "interface I { readonly attribute long a; };", "ATTRIBUTE_MODE_CHANGED"},
    {"struct S { long a; };", "struct S { long a; long b; };", "MEMBER_ADDED"},
    {"struct S { long a; short b; };", "struct S { long a; };", "MEMBER_REMOVED"},
    {"struct S { long a; short b; };", "struct S { short b; long a; };", "MEMBER_MOVED MEMBER_MOVED"},
    {"struct S { long a; };", "struct S { long b; };", "MEMBER_RENAMED"},
    {"exception S { long a; };", "exception S { long long a; };", "MEMBER_TYPE_CHANGED"},
    {"struct S { sequence<long> a; };", "struct S { sequence<long, 3> a; };", "MEMBER_TYPE_CHANGED"},
    {"struct S { long a[2][3]; };", "struct S { long a[2][4]; };", "MEMBER_TYPE_CHANGED"},
    {"struct S { map<long, long> a; };", "struct S { map<short, long> a; };", "MEMBER_TYPE_CHANGED"},
    {"struct S { string a; long b[3]; };", "typedef string Text; typedef long Three[3]; struct S { Text a; Three b; };",
     ""},
    {"valuetype V { public long a; };", "valuetype V { private long a; };", "MEMBER_VISIBILITY_CHANGED"},
    {"@final struct S { long a; };", "@mutable struct S { long a; };", "EXTENSIBILITY_CHANGED"},
    {"enum E { a, b };", "enum E { a, b, c };", "ENUMERATOR_ADDED"},
    {"enum E { a, b };", "enum E { a };", "ENUMERATOR_REMOVED"},
    {"enum E { a, b };", "enum E { b, a };", "ENUMERATOR_MOVED ENUMERATOR_MOVED"},
    {"enum E { @value(1) a };", "enum E { @value(2) a };", "ENUMERATOR_VALUE_CHANGED"},
    {"union U switch (long) { case 1: long a; };", "union U switch (short) { case 1: long a; };",
     "DISCRIMINATOR_CHANGED"},
    {"union U switch (long) { case 1: long a; };", "union U switch (long) { case 1: long a; case 2: long b; };",
     "CASE_ADDED"},
    {"union U switch (long) { case 1: case 2: long a; };", "union U switch (long) { case 1: long a; };",
     "CASE_REMOVED"},
    {"union U switch (long) { case 1: long a; };", "union U switch (long) { case 1: long b; };", "CASE_RENAMED"},
    {"union U switch (char) { default: long a; };", "union U switch (char) { default: short a; };",
     "CASE_TYPE_CHANGED"},
    {"typedef long T;", "typedef short T;", "TYPEDEF_CHANGED"},
    {"valuetype B long;", "valuetype B short;", "TYPEDEF_CHANGED"},
    {"const fixed c = 1.5d;", "const fixed c = 1.6d;", "CONSTANT_CHANGED"},
    {"const string c = \"a\";", "const wstring c = L\"a\";", "CONSTANT_CHANGED"},
    {"valuetype V { factory f(); };", "valuetype V { factory f(in long a); };", "FACTORY_CHANGED"},
    {"valuetype V { factory f(); };", "valuetype V {};", "FACTORY_CHANGED"},
    {"bitset B { bitfield<3> a; };", "bitset B { bitfield<4> a; };", "BITS_CHANGED"},
    {"bitset B { bitfield<3> a; };", "bitset B { bitfield<3, short> a; };", "BITS_CHANGED"},
    {"bitset B { bitfield<3> a; };", "bitset B { bitfield<3, unsigned short> a; };", ""},
    {"bitmask B { a, b };", "bitmask B { @position(3) a, b };", "BITS_CHANGED BITS_CHANGED"},
    {"typedef octet T;", "typedef uint8 T; struct New { long a; }; interface Other { void f(); };", ""},
    {"module M { struct S { long a; }; };", "module M { struct S; typedef sequence<S> Ss; struct S { long a; }; };",
     ""},
};

std::vector<Change> compare_texts(const std::string& before, const std::string& after) {
  const front::Result old_result = front::parse(before, "old.idl");
  const front::Result new_result = front::parse(after, "new.idl");
  EXPECT_NE(old_result.model, nullptr) << before;
  EXPECT_NE(new_result.model, nullptr) << after;
  if (old_result.model == nullptr || new_result.model == nullptr) return {};
  return compare(*old_result.model, *new_result.model);
}

TEST(Compat, EachRuleSeesItsChange) {
  std::set<std::string> seen;
  for (const Case& one : kCases) {
    std::string said;
    for (const Change& change : compare_texts(one.before, one.after)) {
      said += (said.empty() ? "" : " ") + std::string(info(change.rule).name);
      seen.insert(std::string(info(change.rule).name));
    }
    EXPECT_EQ(said, one.rules) << one.before << "\n" << one.after;
  }
  for (const auto& rule : rules()) EXPECT_TRUE(seen.contains(std::string(rule.name))) << rule.name << " has no case";
}

TEST(Compat, WhatIsGoneIsShownInTheOldFileAndComesFirst) {
  const auto changes = compare_texts("struct S {\n  long a;\n  short b; };", "\n\nstruct S {\n  short a; };");
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_TRUE(changes[0].in_old);
  EXPECT_EQ(changes[0].where.line, 3U);
  EXPECT_EQ(changes[0].text, "'b' of struct 'S' is gone");
  EXPECT_FALSE(changes[1].in_old);
  EXPECT_EQ(changes[1].where.line, 4U);
  EXPECT_EQ(changes[1].text, "'a' of struct 'S' was of type 'long' and is of 'short'");
}

TEST(Compat, RulesAreInTheOrderOfTheirNumbers) {
  for (std::size_t i = 0; i < rules().size(); ++i) EXPECT_EQ(static_cast<std::size_t>(rules()[i].rule), i);
}

TEST(Compat, TheDocumentIsCurrent) {
  test::expect_document(fs::path(CORBEL_DOCS) / "idl-compatibility.md", rules_document());
}

}  // namespace
}  // namespace corbel::idl::compat
