// SPDX-License-Identifier: Apache-2.0
// Repository ids by #pragma prefix, typeid and typeprefix, wherever these stand. The rules are in tests/idl/rules.txt.
#include "corbel/idl/front/test_support.hpp"

namespace corbel::idl::front {
namespace {

using test::find;
using test::parse_clean;

/// The ids of all declarations that are no modules, in order.
std::string ids_in(const Result& result) {
  std::string ids;
  model::for_all(result.model->contents, [&](const model::Declaration& found) {
    if (model::as<model::Module>(&found) == nullptr) ids += (ids.empty() ? "" : " ") + found.repository_id;
  });
  return ids;
}

TEST(IdlIdentities, APrefixStandsForTheNamesOfTheScopesAroundItUntilTheInnermostEnds_14_7_5_2) {
  EXPECT_EQ(ids_in(parse_clean("#pragma prefix \"top\"\n"
                               "module M { typedef long A;\n"
                               "#pragma prefix \"in\"\n"
                               "typedef long B; module N { typedef long C;\n"
                               "#pragma prefix \"\"\n"
                               "typedef long D; module O { typedef long E; }; };"
                               "interface I { typedef long F;\n"
                               "#pragma prefix \"deep\"\n"
                               "typedef long G; }; typedef long H; };"
                               "module M { typedef long J; }; typedef long K;")),
            "IDL:top/M/A:1.0 IDL:in/B:1.0 IDL:in/N/C:1.0 IDL:D:1.0 IDL:O/E:1.0 IDL:in/I:1.0 IDL:in/I/F:1.0 "
            "IDL:deep/G:1.0 IDL:in/H:1.0 IDL:top/M/J:1.0 IDL:top/K:1.0");
}

TEST(IdlIdentities, AnIncludedFileBeginsWithoutPrefixAndWithoutTheNamesAroundTheInclude) {
  const std::string text =
      "# 1 \"x\"\n#pragma prefix \"top\"\nmodule M { typedef long A;\n# 1 \"y\" 1\n"
      "typedef long B; module N { typedef long C; };\n"
      "#pragma prefix \"y\"\n"
      "typedef long D; module O { typedef long E; };\n# 3 \"x\" 2\ntypedef long F; };";
  EXPECT_EQ(ids_in(parse(text, "x")),
            "IDL:top/M/A:1.0 IDL:B:1.0 IDL:N/C:1.0 IDL:y/D:1.0 IDL:y/O/E:1.0 IDL:top/M/F:1.0");
}

TEST(IdlIdentities, AModuleOpenedAgainUnderAnotherPrefixKeepsItsIdAndGivesTheOthersThePrefixInForce) {
  const Result result = parse(
      "module M { typedef long A; module N { typedef long B; }; };\n#pragma prefix \"p\"\n"
      "module M { typedef A C; module N { typedef long D; }; };\n#pragma prefix \"\"\nmodule M { typedef C E; };",
      "x");
  EXPECT_EQ(test::ids_of(result), "7006 7006");
  ASSERT_NE(result.model, nullptr);
  EXPECT_EQ(ids_in(result), "IDL:M/A:1.0 IDL:M/N/B:1.0 IDL:p/M/C:1.0 IDL:p/M/N/D:1.0 IDL:M/E:1.0");
  for (const auto* module : result.model->contents) EXPECT_EQ(module->repository_id, "IDL:M:1.0");
}

TEST(IdlIdentities, ATypeprefixKeepsTheNamesOfAllScopesWhateverPragmaIsInForce) {
  EXPECT_EQ(ids_in(parse_clean("module M {\n"
                               "#pragma prefix \"in\"\n"
                               "module N { typedef long A; typeprefix N \"t\"; typedef long B;\n"
                               "#pragma prefix \"deep\"\n"
                               "typedef long C; }; typedef long D; };")),
            "IDL:t/M/N/A:1.0 IDL:t/M/N/B:1.0 IDL:deep/C:1.0 IDL:in/D:1.0");
}

TEST(IdlIdentities, AreSetByTypeidAndTypeprefix) {
  const Result result = parse_clean(
      "module M { interface I { typedef long T; }; typeid I \"IDL:other/I:3.1\"; typedef long U; };"
      "typeprefix M \"a.b\"; module M { typedef long W; };");
  const auto* first = find<model::Module>(result.model->contents, "M");
  EXPECT_EQ(first->repository_id, "IDL:a.b/M:1.0");
  EXPECT_EQ(first->contents[0]->repository_id, "IDL:other/I:3.1");
  EXPECT_EQ(model::as<model::Interface>(first->contents[0])->contents[0]->repository_id, "IDL:a.b/M/I/T:1.0");
  EXPECT_EQ(first->contents[1]->repository_id, "IDL:a.b/M/U:1.0");
  const auto* second = model::as<model::Module>(result.model->contents.back());
  EXPECT_EQ(second->contents[0]->repository_id, "IDL:a.b/M/W:1.0");
}

TEST(IdlIdentities, AreSetFromOtherScopes) {
  const Result result = parse_clean(
      "module M { module N { interface I {}; }; module O { typedef long T; }; };"
      "module P { typeid M::N::I \"IDL:i:1.0\"; typeprefix M::O \"o\"; typedef long T; };"
      "typeprefix M \"m\"; module M { module O { typedef long U; }; module N { typedef long U; }; };");
  const auto* m = find<model::Module>(result.model->contents, "M");
  const auto* n = find<model::Module>(m->contents, "N");
  const auto* o = find<model::Module>(m->contents, "O");
  EXPECT_EQ(n->repository_id, "IDL:m/M/N:1.0");
  EXPECT_EQ(n->contents[0]->repository_id, "IDL:i:1.0");
  EXPECT_EQ(o->repository_id, "IDL:o/M/O:1.0");
  EXPECT_EQ(o->contents[0]->repository_id, "IDL:o/M/O/T:1.0");
  EXPECT_EQ(find<model::Module>(result.model->contents, "P")->contents[0]->repository_id, "IDL:P/T:1.0");
  const auto* again = model::as<model::Module>(result.model->contents.back());
  EXPECT_EQ(model::as<model::Module>(again->contents[0])->contents[0]->repository_id, "IDL:o/M/O/U:1.0");
  EXPECT_EQ(model::as<model::Module>(again->contents[1])->contents[0]->repository_id, "IDL:m/M/N/U:1.0");
}

TEST(IdlIdentities, OfScopesAroundAreSetFromWithin) {
  const Result result = parse_clean(
      "module M { module N { typeprefix N \"n\"; module O { typeprefix M \"m\"; typedef long T; }; typedef long T; };"
      "module P { module Q { typeprefix P \"p\"; typedef long T; }; typedef long T; }; typedef long T; };");
  const auto* m = find<model::Module>(result.model->contents, "M");
  const auto* n = find<model::Module>(m->contents, "N");
  const auto* p = find<model::Module>(m->contents, "P");
  EXPECT_EQ(find<model::Module>(n->contents, "O")->contents[0]->repository_id, "IDL:n/M/N/O/T:1.0");
  EXPECT_EQ(find<model::Alias>(n->contents, "T")->repository_id, "IDL:n/M/N/T:1.0");
  EXPECT_EQ(find<model::Module>(p->contents, "Q")->contents[0]->repository_id, "IDL:p/M/P/Q/T:1.0");
  EXPECT_EQ(find<model::Alias>(p->contents, "T")->repository_id, "IDL:p/M/P/T:1.0");
  EXPECT_EQ(find<model::Alias>(m->contents, "T")->repository_id, "IDL:m/M/T:1.0");
  EXPECT_EQ(m->repository_id, "IDL:m/M:1.0");
}

}  // namespace
}  // namespace corbel::idl::front
