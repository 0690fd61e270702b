// SPDX-License-Identifier: Apache-2.0
// The document generated from a table is up to date. With CORBEL_UPDATE_DOCS=1 in the environment it is rewritten.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "corbel/orb/error_table.hpp"
#include "support/documents.hpp"

namespace corbel::orb {
namespace {

std::filesystem::path document(const char* name) {
  return std::filesystem::path(CORBEL_DOCS) / name;
}

TEST(Documents, ErrorsAreThoseOfTheTable) {
  test::expect_document(document("errors.md"), errors_document());
}

}  // namespace
}  // namespace corbel::orb
