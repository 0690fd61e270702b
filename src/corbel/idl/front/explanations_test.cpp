// SPDX-License-Identifier: Apache-2.0
#include "corbel/idl/front/explanations.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "corbel/idl/front/front.hpp"
#include "support/documents.hpp"

namespace corbel::idl::front {
namespace {

namespace fs = std::filesystem;

TEST(Explanations, AreThereForEveryIdentifierOnceAndInOrder) {
  std::ifstream header(fs::path(CORBEL_IDL_FRONT) / "diagnostics.hpp");
  std::set<unsigned> declared;
  bool inside = false;
  for (std::string line; std::getline(header, line);) {
    if (line.starts_with("enum class Id")) inside = true;
    if (line == "};") inside = false;
    const std::size_t equals = line.find(" = ");
    if (inside && equals != std::string::npos)
      declared.insert(static_cast<unsigned>(std::stoul(line.substr(equals + 3))));
  }
  std::vector<unsigned> explained;
  for (const auto& explanation : explanations()) explained.push_back(static_cast<unsigned>(explanation.id));
  EXPECT_GT(declared.size(), 80U);
  EXPECT_TRUE(std::is_sorted(explained.begin(), explained.end()));
  EXPECT_EQ(std::vector<unsigned>(declared.begin(), declared.end()), explained);
}

TEST(Explanations, ExamplesGiveWhatTheyExplain) {
  const fs::path file = fs::temp_directory_path() / ("corbel_idl_example_" + std::to_string(::getpid()) + ".idl");
  for (const auto& explanation : explanations()) {
    if (explanation.example.empty()) continue;
    std::ofstream(file) << explanation.example << "\n";
    const Result result = parse_file(file.string());
    const bool given = std::any_of(result.diagnostics.begin(), result.diagnostics.end(),
                                   [&](const auto& diagnostic) { return diagnostic.id == explanation.id; });
    EXPECT_TRUE(given) << explanation.example;
  }
  fs::remove(file);
}

TEST(Explanations, AreFoundByNumber) {
  ASSERT_NE(explain(3004), nullptr);
  EXPECT_NE(render(*explain(3004)).find("IDL-3004 (error): name not declared"), std::string::npos);
  EXPECT_EQ(explain(1), nullptr);
}

TEST(Explanations, TheDocumentIsCurrent) {
  corbel::test::expect_document(fs::path(CORBEL_DOCS) / "diagnostics.md", diagnostics_document());
}

}  // namespace
}  // namespace corbel::idl::front
