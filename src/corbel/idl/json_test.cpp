// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "corbel/idl/back/json/emit_json.hpp"
#include "corbel/idl/front/front.hpp"
#include "support/documents.hpp"

namespace corbel::idl::back::json {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

json emit_text(const std::string& text) {
  const front::Result result = front::parse(text, "test.idl");
  EXPECT_NE(result.model, nullptr) << text;
  return result.model == nullptr ? json() : json::parse(emit(*result.model));
}

TEST(Json, SaysWhatItIs) {
  const json document = emit_text("typedef long T;");
  EXPECT_EQ(document["format"], "corbel-idl");
  EXPECT_EQ(document["version"], kVersion);
  EXPECT_EQ(document["files"][0]["path"], "test.idl");
  EXPECT_EQ(document["contents"][0]["kind"], "typedef");
  EXPECT_EQ(document["contents"][0]["repository_id"], "IDL:T:1.0");
  EXPECT_EQ(document["contents"][0]["type"]["kind"], "long");
}

TEST(Json, WritesValuesWithoutLoss) {
  const json contents = emit_text(
      "const unsigned long long a = 18446744073709551615; const long b = -1; const long double c = 1.5e4000;"
      "const fixed d = 12.50d; const string e = \"\\xe9\"; const wstring f = L\"\\u20ac\"; const boolean g = TRUE;"
      "enum Choice { p, q }; const Choice h = q; const char i = 'x'; const double j = 0.1;")["contents"];
  EXPECT_EQ(contents[0]["value"], 18446744073709551615ULL);
  EXPECT_EQ(contents[1]["value"], -1);
  EXPECT_EQ(contents[2]["value"], "1.5e+4000");
  EXPECT_EQ(contents[3]["value"], "12.5");
  EXPECT_EQ(contents[4]["value"], "\u00e9");
  EXPECT_EQ(contents[5]["value"], "\u20ac");
  EXPECT_EQ(contents[6]["value"], true);
  EXPECT_EQ(contents[8]["value"]["enumerator"], "q");
  EXPECT_EQ(contents[9]["value"], "x");
  EXPECT_EQ(contents[10]["value"], 0.1);
}

TEST(Json, ComputesMemberIds) {
  const json contents = emit_text(
      "struct First { long a; @id(7) long b; long c; }; struct Next : First { long d; };"
      "@autoid(HASH) struct Hashed { long color; @hashid(\"shapesize\") long other; @id(1) long last; };"
      "@autoid module M { union U switch (long) { case 1: long color; }; };"
      "union Plain switch (long) { case 1: long a; }; exception Failed { long a; };")["contents"];
  const auto ids = [](const json& list) {
    std::vector<std::uint32_t> result;
    for (const auto& member : list) result.push_back(member.at("id").get<std::uint32_t>());
    return result;
  };
  EXPECT_EQ(ids(contents[0]["members"]), (std::vector<std::uint32_t>{0, 7, 8}));
  EXPECT_EQ(ids(contents[1]["members"]), std::vector<std::uint32_t>{9});
  EXPECT_EQ(ids(contents[2]["members"]), (std::vector<std::uint32_t>{0x0fa5dd70, 0x047790da, 1}));
  EXPECT_EQ(contents[3]["contents"][0]["cases"][0]["member"]["id"], 0x0fa5dd70);
  EXPECT_FALSE(contents[4]["cases"][0]["member"].contains("id")) << "the specification counts in structs only";
  EXPECT_FALSE(contents[5]["members"][0].contains("id"));
}

/// Everything the language has, once; the golden file shows what other tools may rely on.
TEST(Json, WritesTheWholeLanguageTheSameWayEveryTime) {
  const fs::path folder = fs::path(CORBEL_IDL_CASES) / "json";
  const front::Result result = front::parse_file((folder / "language.idl").string());
  for (const auto& diagnostic : result.diagnostics) ADD_FAILURE() << render(diagnostic);
  ASSERT_NE(result.model, nullptr);
  json document = json::parse(emit(*result.model));
  document["files"][0]["path"] = document["files"][0]["spelling"] = "language.idl";
  const std::string said = nlohmann::ordered_json::parse(document.dump()).dump(1) + "\n";
  test::expect_document(folder / "language.json", said);
}

}  // namespace
}  // namespace corbel::idl::back::json
