// SPDX-License-Identifier: Apache-2.0
#include "corbel/idl/front/front.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "corbel/idl/front/test_support.hpp"
#include "support/files.hpp"

namespace corbel::idl::front {
namespace {

namespace fs = std::filesystem;
using corbel::test::text_of_file;
using test::find;
using test::ids_of;
using test::kCases;
using test::parse_clean;
using test::render_all;

std::string replace_all(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

/// Compiles each row of a table and compares what is said.
void check_rows(const char* table_name, const Options& options, int at_least) {
  std::ifstream table(kCases / table_name);
  ASSERT_TRUE(table);
  const fs::path file = fs::temp_directory_path() / ("corbel_idl_rules_" + std::to_string(::getpid()) + ".idl");
  int rows = 0;
  for (std::string line; std::getline(table, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    const std::size_t tab = line.find('\t');
    ASSERT_NE(tab, std::string::npos) << line;
    const std::string input = replace_all(line.substr(tab + 1), "⏎", "\n");
    std::ofstream(file) << input << "\n";
    const Result result = parse_file(file.string(), options);
    EXPECT_EQ(ids_of(result), line.substr(0, tab)) << input << "\n" << render_all(result);
    ++rows;
  }
  fs::remove(file);
  EXPECT_GT(rows, at_least);
}

TEST(IdlModel, DividingByZeroIsCalledSoWhateverTheNumbers) {
  for (const std::string text : {"const long x = 5 / 0;", "const long x = 5 % 0;", "const double x = 1.0 / 0.0;"}) {
    const Result result = parse(text, "test.idl");
    ASSERT_EQ(result.diagnostics.size(), 1U) << text;
    EXPECT_EQ(result.diagnostics[0].id, Id::division_by_zero) << text;
  }
}

/// `case FIRST: case FIRST+1: ... case LAST: long a;`
std::string cases(int first, int last) {
  std::string text;
  for (int i = first; i <= last; ++i) text += "case " + std::to_string(i) + ": ";
  return text + "long a;";
}

TEST(IdlModel, UnionsKnowWhetherALabelIsLeft) {
  EXPECT_EQ(ids_of(parse("union U switch (octet) { " + cases(0, 255) + " default: short b; };", "test.idl")), "4009");
  EXPECT_EQ(ids_of(parse("union U switch (octet) { " + cases(0, 254) + " default: short b; };", "test.idl")), "ok");
  EXPECT_EQ(ids_of(parse("union U switch (short) { " + cases(-32768, 32767) + " default: short b; };", "test.idl")),
            "4009");
  const Result result = parse_clean("union U switch (short) { " + cases(0, 32767) + " default: short b; };");
  EXPECT_EQ(std::get<std::int64_t>(find<model::Union>(result.model->contents, "U")->default_label), -32768);
}

TEST(IdlRules, EachRuleIsDiagnosedWithItsIdentifiers) {
  check_rows("rules.txt", {}, 450);
}

TEST(IdlRules, OlderIdlKnowsNothingOfIdl4) {
  Options options;
  options.idl_version = 3;
  check_rows("rules_idl3.txt", options, 12);
}

TEST(IdlShipped, OurRenderingsOfOmgIdlCompileWithoutAWord) {
  int files = 0;
  for (const auto& entry : fs::directory_iterator(CORBEL_SHIPPED_IDL)) {
    if (entry.path().extension() != ".idl") continue;
    Options options;
    options.shipped_dir = CORBEL_SHIPPED_IDL;
    const Result result = parse_file(entry.path().string(), options);
    EXPECT_EQ(render_all(result), "") << entry.path();
    EXPECT_NE(result.model, nullptr) << entry.path();
    ++files;
  }
  EXPECT_GT(files, 20);
}

TEST(IdlShipped, AreFoundLastAndMarked) {
  const fs::path file = fs::temp_directory_path() / ("corbel_idl_shipped_" + std::to_string(::getpid()) + ".idl");
  std::ofstream(file) << "#include <CosNaming.idl>\ninterface I { CosNaming::Name f(); };\n";
  Options options;
  options.shipped_dir = CORBEL_SHIPPED_IDL;
  const Result result = parse_file(file.string(), options);
  fs::remove(file);
  ASSERT_NE(result.model, nullptr) << render_all(result);
  EXPECT_EQ(result.model->files.at(1).spelling, "CosNaming.idl");
  EXPECT_TRUE(result.model->files.at(1).shipped);
  EXPECT_FALSE(result.model->files.at(0).shipped);
}

// Fragments that only make sense inside others, and files that use names which CORBA no longer has.
const std::set<std::string> kNotForThemselves = {
    "corbaidl",      "poa_include",    "CosTSPortability", "NRService",          "SECIOP", "SSLIOP", "Security",
    "SecurityAdmin", "SecurityLevel1", "SecurityLevel2",   "SecurityReplaceable"};

TEST(IdlOthers, TheIdlThatOmniOrbInstallsCompiles) {
  const fs::path root = "/usr/share/idl/omniORB";
  if (!fs::is_directory(root)) GTEST_SKIP() << "package omniorb-idl is not installed";
  Options options;
  options.include_dirs = {root.string(), (root / "COS").string()};
  options.shipped_dir = CORBEL_SHIPPED_IDL;
  options.defines = {"__OMNIIDL__"};
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    const bool complete = !kNotForThemselves.contains(entry.path().stem().string());
    if (entry.path().extension() != ".idl" || !complete) continue;
    const Result result = parse_file(entry.path().string(), options);
    EXPECT_NE(result.model, nullptr) << entry.path() << "\n" << render_all(result);
  }
}

TEST(IdlGood, CompilesWithoutAWord) {
  for (const auto& entry : fs::directory_iterator(kCases / "good")) {
    if (entry.path().extension() != ".idl") continue;
    const Result result = parse_file(entry.path().string());
    EXPECT_EQ(render_all(result), "") << entry.path();
    EXPECT_NE(result.model, nullptr) << entry.path();
  }
}

TEST(IdlBad, SaysExactlyWhatIsExpected) {
  for (const auto& entry : fs::directory_iterator(kCases / "bad")) {
    if (entry.path().extension() != ".idl") continue;
    const Result result = parse_file(entry.path().string());
    EXPECT_EQ(result.model, nullptr) << entry.path();
    const std::string said = replace_all(render_all(result), entry.path().parent_path().string() + "/", "");
    fs::path expected = entry.path();
    EXPECT_EQ(said, text_of_file(expected.replace_extension(".expected"))) << entry.path();
  }
}

TEST(IdlModel, GivesRepositoryIdsByPrefixVersionAndId) {
  const Result result = parse_file((kCases / "good/everything.idl").string());
  ASSERT_NE(result.model, nullptr);
  const auto* lib = find<model::Module>(result.model->contents, "Lib");
  ASSERT_NE(lib, nullptr);
  EXPECT_FALSE(lib->in_main_file);
  EXPECT_EQ(find<model::Interface>(lib->contents, "Thing")->repository_id, "IDL:included.example/Lib/Thing:1.0");
  const auto* reopened = model::as<model::Module>(*(result.model->contents.end() - 2));
  ASSERT_NE(reopened, nullptr);
  EXPECT_EQ(reopened->repository_id, "IDL:corbel.test/Every:1.0");
  EXPECT_EQ(find<model::Alias>(reopened->contents, "Later")->repository_id, "IDL:corbel.test/Every/Later:2.3");
  EXPECT_EQ(find<model::Interface>(reopened->contents, "Later_user")->repository_id, "IDL:somewhere.else/User:4.5");
  EXPECT_EQ(find<model::Alias>(reopened->contents, "Inner")->repository_id, "IDL:inner.example/Inner:1.0");
  EXPECT_EQ(result.model->contents.back()->repository_id, "IDL:corbel.test/Outer:1.0");
}

TEST(IdlModel, KnowsWhichFilesTheMainFileIncludes) {
  const Result result = parse_file((kCases / "good/everything.idl").string());
  ASSERT_NE(result.model, nullptr);
  ASSERT_EQ(result.model->files.size(), 2U);
  EXPECT_TRUE(result.model->files[1].direct);
  EXPECT_EQ(result.model->files[1].spelling, "included.idl");
  EXPECT_EQ(result.dependencies.size(), 2U);
}

TEST(IdlModel, EvaluatesConstants) {
  const Result result = parse_clean(
      "const long a = (1 + 2 * 3) << 2 | 1; const unsigned short b = ~1; const octet c = 0x10 >> 2;"
      "const double d = 1.5 * 2.0; const char letter = '\\x41'; const wstring f = L\"\\u20ac\"; const boolean g = "
      "FALSE;"
      "enum E { p, q }; const E h = q; const string i = \"a\" \"b\"; const long j = a % 4; const long k = -7 / 2;");
  const auto value = [&](std::string_view name) { return find<model::Constant>(result.model->contents, name)->value; };
  EXPECT_EQ(value("a"), model::Value(std::int64_t{29}));
  EXPECT_EQ(value("b"), model::Value(std::uint64_t{65534}));
  EXPECT_EQ(value("c"), model::Value(std::uint64_t{4}));
  EXPECT_EQ(value("d"), model::Value(3.0));
  EXPECT_EQ(value("letter"), model::Value(U'A'));
  EXPECT_EQ(value("f"), model::Value(std::u32string(U"\u20ac")));
  EXPECT_EQ(value("g"), model::Value(false));
  EXPECT_EQ(std::get<const model::Enumerator*>(value("h"))->ordinal, 1U);
  EXPECT_EQ(value("i"), model::Value(std::string("ab")));
  EXPECT_EQ(value("j"), model::Value(std::int64_t{1}));
  EXPECT_EQ(value("k"), model::Value(std::int64_t{-3}));
}

TEST(IdlModel, EvaluatesFixedAndLongDoubleExactly) {
  const Result result = parse_clean(
      "const fixed a = 1.50d * 2d - 10d / 4d; typedef fixed<4, 2> M; const M b = -12.3456d; const fixed c = 1d / 3d;"
      "const long double d = 1.0 / 3.0; const double e = 1.0 / 3.0;");
  const auto value = [&](std::string_view name) { return find<model::Constant>(result.model->contents, name)->value; };
  EXPECT_EQ(value("a"), model::Value(model::Fixed{false, "5", 1}));
  EXPECT_EQ(value("b"), model::Value(model::Fixed{true, "1234", 2}));
  EXPECT_EQ(value("c"), model::Value(model::Fixed{false, std::string(31, '3'), 31}));
  EXPECT_EQ(value("d"), model::Value(1.0L / 3.0L));
  EXPECT_EQ(value("e"), model::Value(1.0 / 3.0));
}

TEST(IdlModel, KnowsWhatAValuetypeIsMadeOf) {
  const Result result = parse_clean(
      "abstract valuetype A { void f(); }; valuetype B : A { public long p; }; interface I { void g(); };"
      "valuetype V : truncatable B, A supports I { private string q; factory make(in long n); typedef long T; };");
  const auto* v = find<model::ValueType>(result.model->contents, "V");
  ASSERT_NE(v, nullptr);
  EXPECT_TRUE(v->is_truncatable);
  EXPECT_EQ(v->concrete_base->name, "B");
  EXPECT_EQ(v->bases.size(), 2U);
  EXPECT_EQ(v->ancestors.size(), 2U);
  EXPECT_EQ(v->supports.front()->name, "I");
  const auto state = all_state(*v);
  ASSERT_EQ(state.size(), 2U);
  EXPECT_EQ(state[0]->name, "p");
  EXPECT_FALSE(state[1]->is_public);
  EXPECT_NE(find<model::Factory>(v->contents, "make"), nullptr);
  EXPECT_TRUE(find<model::ValueType>(result.model->contents, "A")->is_abstract);
}

TEST(IdlModel, UnderstandsStandardAnnotations) {
  const Result result = parse_clean(
      "typedef sequence<octet> Bytes; @mutable struct S { @key @id(7) long a; @optional @default(3) short b; };"
      "@bit_bound(8) enum E { @value(4) p, @default_literal q }; @ami interface I { @view void f(in Bytes b, in long n,"
      " out Bytes c); @oneway void g(); };");
  const auto* s = find<model::Struct>(result.model->contents, "S");
  EXPECT_EQ(s->extensibility, model::Extensibility::mutable_);
  EXPECT_TRUE(s->members[0].key);
  EXPECT_EQ(s->members[0].id, 7U);
  EXPECT_TRUE(s->members[1].optional);
  EXPECT_EQ(s->members[1].default_value, model::Value(std::int64_t{3}));
  const auto* e = find<model::Enum>(result.model->contents, "E");
  EXPECT_EQ(e->bit_bound, 8);
  EXPECT_EQ(e->enumerators[1]->value, 5);
  EXPECT_EQ(e->default_literal, e->enumerators[1]);
  const auto* i = find<model::Interface>(result.model->contents, "I");
  const auto* f = find<model::Operation>(i->contents, "f");
  EXPECT_TRUE(f->ami);
  EXPECT_TRUE(f->parameters[0].view);
  EXPECT_FALSE(f->parameters[1].view);
  EXPECT_FALSE(f->parameters[2].view);
  EXPECT_TRUE(find<model::Operation>(i->contents, "g")->oneway);
}

TEST(IdlModel, SharesResultsAndInParameters) {
  const Result result = parse_clean(
      "struct S { long a; }; typedef sequence<S> Several; interface I { @shared S f(@shared in string a, in S t,"
      " @shared(FALSE) in S u, @shared in Several v); @view S g(@shared in string w, @shared out S x);"
      "};");
  const auto* i = find<model::Interface>(result.model->contents, "I");
  const auto* f = find<model::Operation>(i->contents, "f");
  EXPECT_TRUE(f->shared);
  EXPECT_TRUE(f->parameters[0].shared);
  EXPECT_FALSE(f->parameters[1].shared);
  EXPECT_FALSE(f->parameters[2].shared);
  EXPECT_TRUE(f->parameters[3].shared);
  const auto* g = find<model::Operation>(i->contents, "g");
  EXPECT_FALSE(g->shared);
  EXPECT_TRUE(g->parameters[0].shared);
  EXPECT_FALSE(g->parameters[0].view);
  EXPECT_TRUE(g->parameters[1].shared);
}

TEST(IdlModel, RefusesToShareWhatCannotBe) {
  for (const char* text :
       {"interface I { void f(@shared inout string s); };", "interface I { void f(@shared in long n); };",
        "interface I { void f(@shared out Object o); };", "interface I { void f(@shared @view in string s); };",
        "interface I { @shared void f(); };", "interface I { @shared long f(); };",
        "interface I { @shared attribute string s; };", "@shared interface I { void f(); };",
        "struct S { @shared string text; };"}) {
    const Result result = parse(text, "test.idl");
    ASSERT_EQ(result.diagnostics.size(), 1U) << text;
    EXPECT_EQ(result.diagnostics.front().id, Id::annotation_place) << text;
  }
}

TEST(IdlModel, KeepsAnnotationsOfTheUserWithTheirValues) {
  const Result result = parse_clean(
      "module M { @annotation note { string text; long level default 1; }; }; @M::note(text=\"x\") struct S { long a; "
      "};");
  const auto* s = find<model::Struct>(result.model->contents, "S");
  const auto* note = find(s->annotations, "M::note");
  ASSERT_NE(note, nullptr);
  EXPECT_EQ(*note->find("text"), model::Value(std::string("x")));
  EXPECT_EQ(note->find("level"), nullptr);
  EXPECT_EQ(note->declaration->members[1].default_value, model::Value(std::int64_t{1}));
}

TEST(IdlModel, TakesAnnotationsBeforeTheTypeToo) {
  const Result result = parse_clean(
      "@annotation top { long value default 1; }; module M { @annotation note { string text default \"\"; }; };"
      "@::M::note typedef @top(2) long A; typedef @::top long B; const @::M::note(\"c\") long C = 1;"
      "interface I { void f(in @top long x, @M::note inout @::top(3) long y); oneway @top void g(in @view string z);"
      " readonly attribute @M::note long h; }; valuetype V { public @key long k; };");
  const auto& all = result.model->contents;
  const auto names = [](const model::Annotations& annotations) {
    std::string text;
    for (const auto& one : annotations) text += (one.declaration == nullptr ? "?" : "@") + one.name + " ";
    return text;
  };
  EXPECT_EQ(names(find<model::Alias>(all, "A")->annotations), "@M::note @top ");
  EXPECT_EQ(*find<model::Alias>(all, "A")->annotations[1].find("value"), model::Value(std::int64_t{2}));
  EXPECT_EQ(names(find<model::Alias>(all, "B")->annotations), "@top ");
  EXPECT_EQ(names(find<model::Constant>(all, "C")->annotations), "@M::note ");
  const auto* i = find<model::Interface>(all, "I");
  const auto* f = find<model::Operation>(i->contents, "f");
  EXPECT_EQ(names(f->parameters[0].annotations), "@top ");
  EXPECT_EQ(names(f->parameters[1].annotations), "@M::note @top ");
  EXPECT_EQ(names(find<model::Operation>(i->contents, "g")->annotations), "@top ");
  EXPECT_EQ(names(find<model::Attribute>(i->contents, "h")->annotations), "@M::note ");
  EXPECT_TRUE(find<model::ValueType>(all, "V")->state[0].key);
  for (const char* text : {"@nested struct S { long a; }; typedef @key S T;", "typedef @annotation x { long a; }; T;",
                           "interface I { void f(@view in @view string s); };"}) {
    EXPECT_FALSE(parse(text, "test.idl").diagnostics.empty()) << text;
  }
}

TEST(IdlModel, TellsAnAnnotationFromTheAbsoluteNameBehindIt) {
  const Result result = parse_clean(
      "module M { struct T { long a; }; @annotation note { long level default 1; }; };"
      "struct S { @key ::M::T x; @M::note ::M::T y; @ M ::note ::M::T z; @::M::note ::M::T u; @M::note() ::M::T v; };"
      "typedef @M::note ::M::T X;");
  const auto* s = find<model::Struct>(result.model->contents, "S");
  ASSERT_EQ(s->members.size(), 5U);
  EXPECT_TRUE(s->members[0].key);
  for (std::size_t i = 1; i < 5; ++i) EXPECT_NE(find(s->members[i].annotations, "M::note"), nullptr) << i;
  EXPECT_NE(find(find<model::Alias>(result.model->contents, "X")->annotations, "M::note"), nullptr);
}

TEST(IdlModel, FindsTheEnumeratorsOfAnAnnotationWhereItIsApplied) {
  const Result result = parse_clean(
      "const long RED = 7; @annotation colour { enum Tint { GREEN, RED }; Tint value; long depth default 0; };"
      "@colour(value = RED, depth = 2) struct S { long a; }; const long c = RED;");
  const auto* colour = find(find<model::Struct>(result.model->contents, "S")->annotations, "colour");
  ASSERT_NE(colour, nullptr);
  const auto* red = std::get_if<const model::Enumerator*>(colour->find());
  ASSERT_NE(red, nullptr);
  EXPECT_EQ(model::scoped_name(**red), "colour::RED");
  EXPECT_EQ(find<model::Constant>(result.model->contents, "c")->value, model::Value(std::int64_t{7}));
}

TEST(IdlModel, LaysOutBitsetsAndBitmasks) {
  const Result result = parse_clean(
      "bitset A { bitfield<3> a; bitfield<2>; }; bitset B : A { bitfield<9> b; bitfield<1> c; };"
      "@bit_bound(16) bitmask F { x, @position(9) y, z };");
  const auto* b = find<model::Bitset>(result.model->contents, "B");
  EXPECT_EQ(b->fields[0].position, 5);
  EXPECT_EQ(b->fields[0].type->kind, model::TypeKind::ushort);
  EXPECT_EQ(b->fields[1].type->kind, model::TypeKind::boolean);
  EXPECT_EQ(b->width, 15);
  const auto* f = find<model::Bitmask>(result.model->contents, "F");
  EXPECT_EQ(f->flags[2].position, 10);
  EXPECT_EQ(f->bit_bound, 16);
}

TEST(IdlModel, FindsTheDefaultLabelOfAUnion) {
  const Result result = parse_clean(
      "enum E { p, q, r }; union A switch (E) { case p: long a_; }; union B switch (boolean) { case FALSE: long b_; };"
      "union C switch (short) { case 0: case 1: long c_; default: short d_; }; union D switch (boolean) { case TRUE:"
      " case FALSE: long e_; };");
  const auto u = [&](std::string_view name) { return find<model::Union>(result.model->contents, name); };
  EXPECT_EQ(std::get<const model::Enumerator*>(u("A")->default_label)->name, "q");
  EXPECT_EQ(u("B")->default_label, model::Value(true));
  EXPECT_EQ(u("C")->default_label, model::Value(std::int64_t{2}));
  EXPECT_TRUE(u("D")->covers_all_labels);
}

TEST(IdlModel, ListsAncestorsOnceDepthFirst) {
  const Result result = parse_clean("interface A {}; interface B : A {}; interface C : A {}; interface D : B, C {};");
  const auto* d = find<model::Interface>(result.model->contents, "D");
  std::string names;
  for (const auto* ancestor : d->ancestors) names += ancestor->name;
  EXPECT_EQ(names, "BAC");
}

TEST(IdlModel, KeepsOneModulePerOpeningAndOrderOfDeclaration) {
  const Result result = parse_clean("module M { typedef long A; }; typedef M::A B; module M { typedef B C; };");
  ASSERT_EQ(result.model->contents.size(), 3U);
  EXPECT_EQ(scoped_name(*model::as<model::Module>(result.model->contents[2])->contents[0]), "M::C");
}

TEST(IdlOptions, WarningsBecomeErrors) {
  Options options;
  options.warnings_as_errors = true;
  const Result result = parse("interface F;", "w.idl", options);
  EXPECT_EQ(result.model, nullptr);
  EXPECT_EQ(result.diagnostics.at(0).severity, Severity::error);
}

}  // namespace
}  // namespace corbel::idl::front
