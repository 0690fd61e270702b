// SPDX-License-Identifier: Apache-2.0
// The documents generated from tables are up to date. With CORBEL_UPDATE_DOCS=1 in the environment they are rewritten.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "corbel/orb/error_table.hpp"
#include "corbel/orb/option_table.hpp"
#include "support/documents.hpp"

namespace corbel::orb {
namespace {

std::filesystem::path document(const char* name) {
  return std::filesystem::path(CORBEL_DOCS) / name;
}

TEST(Documents, OptionsAreThoseOfTheTable) {
  test::expect_document(document("options.md"), options_document());
}

TEST(Documents, ErrorsAreThoseOfTheTable) {
  test::expect_document(document("errors.md"), errors_document());
}

}  // namespace
}  // namespace corbel::orb
