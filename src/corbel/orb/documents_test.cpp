// SPDX-License-Identifier: Apache-2.0
// The documents generated from tables are up to date. With CORBEL_UPDATE_DOCS=1 in the environment they are rewritten.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "corbel/orb/error_table.hpp"
#include "corbel/orb/option_table.hpp"

namespace corbel::orb {
namespace {

std::filesystem::path document(const char* name) {
  return std::filesystem::path(CORBEL_DOCS) / name;
}

void expect_document(const char* name, const std::string& wanted) {
  if (std::getenv("CORBEL_UPDATE_DOCS") != nullptr) std::ofstream(document(name)) << wanted;
  std::ostringstream found;
  found << std::ifstream(document(name)).rdbuf();
  EXPECT_EQ(found.str(), wanted) << "docs/" << name << " is out of date: run with CORBEL_UPDATE_DOCS=1";
}

TEST(Documents, OptionsAreThoseOfTheTable) {
  expect_document("options.md", options_document());
}

TEST(Documents, ErrorsAreThoseOfTheTable) {
  expect_document("errors.md", errors_document());
}

}  // namespace
}  // namespace corbel::orb
